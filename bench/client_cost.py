"""
`python -m bench.client_cost`: what hooks that call the running server cost in Claude Code.

Two sessions take turns, one without hooks. The scripted model notes when it is asked: after a
prompt, and after each call of a tool. The client is installed by `make clients`.
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.quality.fresh import fresh_moments
from bench.quality.labelled import items
from bench.stores import build_store
from hardwon.ports.override import override
from tests.clients.conftest import CLAUDE_CODE, Desk
from tests.clients.scripted_model import Call, Document, ScriptedModel, script
from tests.entrypoints.hook_process import World

NO_HOOKS = ("--settings", '{"disableAllHooks": true}')
TITLES = {
    "prompt": "a prompt",
    "passed": "a command that passes",
    "read": "an opened file",
    "edit": "an edit",
    "failed": "a command that fails",
}
AT_ONCE = 5
"""Calls of one kind in a turn of one session."""

Ask: TypeAlias = Callable[[str], object]
Took: TypeAlias = dict[tuple[str, bool], list[float]]
"""Milliseconds, by the kind of call and whether there are hooks."""


class _TimedModel(ScriptedModel):
    """Notes when it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self._times = list[float]()

    @override
    def answer(self, path: str, body: Document) -> list[Document] | None:
        began, answer = time.monotonic(), super().answer(path, body)
        if answer is not None and self.requests[-1].is_of_agent:
            self._times.append(began)
        return answer

    def times_of_prompts(self, ask: Ask, prompts: Iterable[str]) -> Iterator[float]:
        """Yield the milliseconds from each prompt to its request."""
        for prompt in prompts:
            self._times.clear()
            began = time.monotonic()
            ask(prompt)
            yield (self._times[0] - began) * 1000

    def times_of_calls(self, ask: Ask, calls: Sequence[Call]) -> Iterator[float]:
        """Yield the milliseconds from the request before each call to the one after it."""
        edited = [call for call in calls if call.tool == "Edit"]
        opened = [Call("Read", {"file_path": call.input["file_path"]}) for call in edited]
        self._times.clear()
        ask(script(*([opened] if opened else ()), *([call] for call in calls)))
        asked = self._times[-len(calls) - 1 :]
        return ((after - before) * 1000 for before, after in pairwise(asked))


class _Turns:
    """The turns of both sessions, about which the store has no lesson."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._prompts = [
            item["prompt"] for item in items("fresh/prompts.jsonl") if not item["lessons"]
        ]
        self._edits = [item for item in items("edits.jsonl") if item["old"] and item["new"]]
        self._errors = fresh_moments("errors")

    def calls(self, kind: str, numbers: range, session: str) -> Iterator[Call]:
        """Yield calls of *kind*, each with files of its own."""
        for number in numbers:
            edit, error = (known[number % len(known)] for known in (self._edits, self._errors))
            if kind == "passed":
                yield Call("Bash", {"command": "true", "description": "pass"})
            elif kind == "failed":
                output = self._file(f"{session}{number}.txt", error["output"])
                yield Call("Bash", {"command": f"cat {output}; false", "description": "fail"})
            elif kind == "read":
                opened = self._file(f"{session}{number}.py", f"number = {number}\n")
                yield Call("Read", {"file_path": str(opened)})
            else:
                edited = str(self._file(f"{session}-edit{number}.py", f"{edit['old']}\n"))
                texts = {"old_string": edit["old"], "new_string": edit["new"]}
                yield Call("Edit", {"file_path": edited, **texts})

    def prompt(self, number: int) -> str:
        """Return a prompt that calls nothing."""
        return script(words=self._prompts[number % len(self._prompts)])

    def _file(self, name: str, text: str) -> Path:
        path = self._project / name
        path.write_text(text)
        return path


def measure(entries: int, rounds: int) -> Took:
    """Return how long the client took from request to request."""
    took: Took = {(kind, hooked): [] for kind in TITLES for hooked in (True, False)}
    with contextlib.ExitStack() as stack:
        model = stack.enter_context(_TimedModel())
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hardwon-bench-"))
        world = World(Path(folder) / "world", stack)
        build_store(str(world.store), entries)
        world.variables["HARDWON_INJECTION_LIMIT"] = "0"
        desk = Desk(CLAUDE_CODE, world, model)
        desk.register_server()
        turns = _Turns(world.project)
        asks = {
            hooked: stack.enter_context(desk.session(*arguments))
            for hooked, arguments in ((True, ()), (False, NO_HOOKS))
        }
        for ask in asks.values():
            ask(script(words="Please begin."))
        for turn in range(rounds):
            for kind in TITLES:
                for hooked in (True, False) if turn % 2 else (False, True):
                    numbers = range(turn * AT_ONCE, (turn + 1) * AT_ONCE)
                    if kind == "prompt":
                        prompts = map(turns.prompt, numbers)
                        took[kind, hooked] += model.times_of_prompts(asks[hooked], prompts)
                    else:
                        calls = [*turns.calls(kind, numbers, f"{kind}-{hooked}")]
                        took[kind, hooked] += model.times_of_calls(asks[hooked], calls)
    return took


def table(took: Mapping[tuple[str, bool], Sequence[float]]) -> Iterator[str]:
    """Yield the lines of a table of medians."""
    yield "| | without hooks | with hooks | more |"
    yield "|---|---:|---:|---:|"
    for kind, title in TITLES.items():
        without, hooked = (median(took[kind, with_hooks]) for with_hooks in (False, True))
        yield f"| {title} | {without:.0f} ms | {hooked:.0f} ms | {hooked - without:+.0f} ms |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.client_cost", description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000, help="of the store")
    parser.add_argument("--rounds", type=int, default=12, help="turns of each kind, of 5 calls")
    options = parser.parse_args()
    print("\n".join(table(measure(options.entries, options.rounds))))


if __name__ == "__main__":
    main()
