"""All doors through which memory is shown without a wider scope being asked for, opened in one project after another."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hardwon.domain.model.filters import COLLECTIONS
from tests.attack.words import LEDGER, MARKERS, PARSER, TOPIC, place_of, words_in
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import hardwon

MOST = 100
TYPED = ", typed by a person"
"""The end of the name of a door that a person opens."""
WORDS_OF_A_QUESTION = 20
"""Made-up words in one question."""

PHRASES = (
    f"Please settle the {MARKERS['decision: phrase']} books today",
    f"Shall we count the {MARKERS['gotcha: phrase']} cents?",
    f"Then open the {MARKERS['document: phrase']} import again",
    "I want to reconcile the invoices now",
    "How do I rename the hybrid tariff column over two releases?",
    "Should I archive the quarterly manifest before the auditors arrive?",
    f"And check the {LEDGER['phrase']} total",
    f"And check the {PARSER['phrase']} total",
)
"""Prompts, each of which says a phrase of some project, or is answered by a lesson of one."""

SPEC_FOLDERS = ("005-import", f"006-{MARKERS['document: folder']}", "007-linked", "memory", "specs")
QUESTION = f"How do we handle {TOPIC} in the books, and what must we beware of?"


class Output(NamedTuple):
    """
    The answer of one door.

    Attributes:
        door: Its name: a hook's event, a command, a tool.
        request: The question or the arguments.
        text: The whole answer, warnings included.
        words: The made-up words in it.
    """

    door: str
    request: str
    text: str
    words: frozenset[str]


def _output(door: str, request: str, text: str) -> Output:
    return Output(door, request, text, words_in(text))


class Doors:
    """The doors of a store; each answer is what a user or an agent in a project gets."""

    def __init__(self, world: World, visit: Visitor) -> None:
        self._world = world
        self._visitor = visit
        self._sessions = 0

    def sweep(self, project: Path) -> list[Output]:
        """Return the answers of every door in *project*."""
        self._world.project = project
        return [*self._hooks(), *self._questions(), *self._lists(), *self._tools()]

    def lessons(self, project: Path) -> list[Output]:
        """Return the answers of the doors of lessons in *project*."""
        self._world.project = project
        options = ("--in", "learnings", "--limit", str(MOST), "--json")
        return [
            *self._starts(),
            *self._asked("recall", TOPIC, *options),
            *self._asked("recall", TOPIC),
            self._command("list", *options),
            self._command("context"),
            self._tool("memory_search", query=TOPIC, collection="learnings", limit=MOST),
        ]

    def _hooks(self) -> Iterator[Output]:
        yield from self._starts()
        for prompt in (QUESTION, *PHRASES):
            yield self._hook("UserPromptSubmit", prompt=prompt)

    def _starts(self) -> Iterator[Output]:
        run = self._world.argument_form("--limit", str(MOST))
        yield _output("SessionStart", "by arguments", run.stdout + run.stderr)
        yield self._hook("SessionStart", source="startup")
        yield self._hook("SessionStart", source="compact")

    def _hook(self, event: str, **fields: object) -> Output:
        self._sessions += 1
        payload = {
            **self._world.session_start(),
            "session_id": f"session-{self._sessions}",
            "hook_event_name": event,
        }
        run = self._world.hook(payload={**payload, **fields})
        return _output(event, str(fields), run.stdout + run.stderr)

    def _questions(self) -> Iterator[Output]:
        for collection in COLLECTIONS:
            options = ("--in", collection, "--limit", str(MOST), "--min-score", "0", "--json")
            yield from self._asked("recall", TOPIC, *options)
        for words in _in_words():
            yield from self._asked(
                "recall", words, "--limit", str(MOST), "--min-score", "0", "--json"
            )
        yield from self._asked("recall", TOPIC)
        yield from self._asked("search", TOPIC)
        yield self._command("why", "--prompt", QUESTION, "--json")

    def _lists(self) -> Iterator[Output]:
        for collection in COLLECTIONS:
            yield self._command("list", "--in", collection, "--limit", str(MOST), "--json")
        yield self._command("context")
        yield self._command("context", "--in", "conversations", "--limit", str(MOST), "--json")
        yield self._command("why", "--limit", str(MOST), "--json")
        yield self._command("retro", "review", "--json")
        yield self._command("checkpoint", "list", "--json")

    def _tools(self) -> Iterator[Output]:
        yield self._tool("memory_search", query=TOPIC, limit=MOST)
        yield self._tool("memory_search", concepts=["invoice", "rounding"], limit=MOST)
        for words in _in_words():
            yield self._tool("memory_search", query=words, limit=MOST)
        for collection in COLLECTIONS:
            yield self._tool("memory_search", query=TOPIC, collection=collection, limit=MOST)
            yield self._tool("memory_list", collection=collection, limit=MOST)
        for prompt in PHRASES:
            yield self._tool("memory_match_triggers", prompt=prompt, limit=20)
        for folder in SPEC_FOLDERS:
            yield self._tool("memory_load", specFolder=folder, limit=MOST)
        yield self._tool("checkpoint_list")

    def glance(self, project: Path) -> list[Output]:
        """Return the answers of a few doors, one of each kind, in *project*."""
        self._world.project = project
        return [
            *self._starts(),
            self._hook("UserPromptSubmit", prompt=QUESTION),
            *self._asked("recall", TOPIC, "--limit", str(MOST), "--min-score", "0", "--json"),
            *self._asked("recall", TOPIC, "--in", "documents", "--limit", str(MOST), "--json"),
            self._command("list", "--limit", str(MOST), "--json"),
            self._command("checkpoint", "list", "--json"),
            self._tool("memory_search", query=TOPIC, limit=MOST),
            self._tool("memory_list", limit=MOST),
            self._tool("memory_load", specFolder="005-import", limit=MOST),
            *(self._tool("memory_match_triggers", prompt=prompt, limit=20) for prompt in PHRASES),
        ]

    def figures(self, project: Path) -> list[Output]:
        """Return the figures that doors show in *project*."""
        self._world.project = project
        return [self._command("stats"), self._tool("memory_stats")]

    def _asked(self, *arguments: str) -> Iterator[Output]:
        """Yield the answers to a question that an agent asks, and that a person types."""
        own = self._world.variables
        self._world.variables = {**own, "CLAUDECODE": "1"}
        yield self._command(*arguments)
        self._world.variables = own
        output = self._command(*arguments)
        yield output._replace(door=f"{output.door}{TYPED}")

    def _command(self, *arguments: str) -> Output:
        ran = hardwon(self._world, *arguments)
        return _output(f"hardwon {arguments[0]}", " ".join(arguments[1:]), ran.stdout + ran.stderr)

    def _tool(self, name: str, /, **arguments: object) -> Output:
        return _output(name, str(arguments), str(self.call(name, **arguments)))

    def call(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """Return the answer of a tool in the project whose doors were opened last."""
        return self._visitor.call(name, **arguments)


def _in_words() -> Iterator[str]:
    """Yield questions that hold all made-up words of the projects."""
    words = [*MARKERS.values(), *LEDGER.values(), *PARSER.values()]
    for at in range(0, len(words), WORDS_OF_A_QUESTION):
        yield " ".join(words[at : at + WORDS_OF_A_QUESTION])


def of_agents(outputs: Iterable[Output]) -> list[Output]:
    """Return the outputs that agents get, as answers or without a query."""
    return [item for item in outputs if not item.door.endswith(TYPED)]


def typed(outputs: Iterable[Output]) -> list[Output]:
    """Return the answers to what a person types."""
    return [item for item in outputs if item.door.endswith(TYPED)]


def words_of(outputs: Iterable[Output]) -> set[str]:
    """Return all made-up words of these answers."""
    return set().union(*(item.words for item in outputs))


def leaks(
    outputs: Sequence[Output], *owners: Mapping[str, str], except_for: Collection[str] = ()
) -> list[str]:
    """Return a line for each word of these *owners* in *outputs*: its place, and the doors that showed it."""
    wanted = {word for words in owners for place, word in words.items() if place not in except_for}
    lines = list[str]()
    for word in sorted(wanted, key=place_of):
        by = [
            item for item in outputs if word in item.words and word not in item.request
        ]  # an echo is no leak
        if by:
            doors = ", ".join(
                f"{door} ({count})" for door, count in Counter(item.door for item in by).items()
            )
            lines.append(
                f"{place_of(word)}: {word!r} by {doors}; first by {by[0].door} {by[0].request[:80]}"
            )
    return lines
