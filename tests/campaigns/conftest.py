"""A store under a campaign, its programs, and figures that it prints."""

import contextlib
import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.mcp.conftest import LESSON
from tests.entrypoints.programs import Process, finish, hardwon, start, start_process, upsert
from tests.entrypoints.sessions import now, statuses, written
from tests.fakes.doors import Ran
from tests.machine import LONGEST_WAIT

NEVER = (
    "lost",
    "doubled",
    "tracebacks",
    "hooks not exiting 0",
    "past the host's 10 s",
    "starts that neither printed nor logged",
    "not whole",
    "not answered",
    "slow",
)
"""Figures that must be 0."""


class Figures(Counter[str]):
    """Named counts of a campaign, in the order in which they were first named."""

    def counts(self, *names: str) -> None:
        """Name what is counted, so that it is printed also where it stays 0."""
        for name in names:
            self[name] += 0

    @property
    def bad(self) -> Mapping[str, int]:
        """The figures that must be 0 and are not."""
        return {name: self[name] for name in NEVER if self[name]}


def summary(properties: Iterable[tuple[str, str, int]]) -> list[str]:
    """
    Return a line for each campaign.

    Args:
        properties: Campaign, figure and count; a figure that a campaign tells several times is
            summed up.

    """
    campaigns = dict[str, Figures]()
    for campaign, name, count in properties:
        campaigns.setdefault(campaign, Figures())[name] += count
    return [
        f"{campaign}: {', '.join(f'{name} {count}' for name, count in figures.items())}"
        for campaign, figures in campaigns.items()
    ]


EVERYTHING = "100000"
NOT_NOTED = re.compile(
    r"(?:UserPromptSubmit|Stop): out of time|no event came on standard input in time"
)
"""The lines by which a hook, which ends with 0 whatever happens, says that it did not note what was said."""


def count_lessons(world: World, acknowledged: Collection[str], figures: Figures) -> None:
    """Count the acknowledged lessons that `list` does not show, or shows as seen twice."""
    listed = hardwon(world, "list", "--json", "--limit", EVERYTHING).items
    seen = Counter[str]()
    for item in listed:
        seen[item["description"]] += item["observation_count"]
    _count(seen, acknowledged, figures)


def count_utterances(world: World, acknowledged: Collection[str], figures: Figures) -> None:
    """Let the worker write down what was said, and count what is not in the project's files, or twice."""
    for session in statuses(world):
        note_event(world, session, "end")
    give_up = time.monotonic() + LONGEST_WAIT
    while any(status.waiting for status in statuses(world).values()) and time.monotonic() < give_up:
        Worker(str(world.store), str(world.project)).run()
    logged = world.log.read_text(encoding="utf-8") if world.log.exists() else ""
    figures["not noted, but logged"] += (unnoted := len(NOT_NOTED.findall(logged)))
    quoted = [
        line.removeprefix("> ") for line in written(world).splitlines() if line.startswith("> ")
    ]
    _count(Counter(quoted), acknowledged, figures, unnoted)


def note_event(world: World, session: str, kind: EventKind, text: str = "") -> None:
    """Note an event without a process."""
    note(str(world.store), HookEvent(session, kind, now(), str(world.project), "", text))


def count_damage(world: World, figures: Figures) -> None:
    """Count what `doctor` finds wrong, and what SQLite does."""
    found = hardwon(world, "doctor", "--json").document["findings"]
    figures["not whole"] += sum(not finding["ok"] for finding in found)
    for file in world.store.glob("*.db"):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            figures["not whole"] += connection.execute("PRAGMA integrity_check").fetchall() != [
                ("ok",)
            ]
    if world.log.exists():
        figures["tracebacks"] += world.log.read_text(encoding="utf-8").count("Traceback")


def _count(
    seen: Counter[str], acknowledged: Collection[str], figures: Figures, refused: int = 0
) -> None:
    lost = [text for text in acknowledged if not seen[text]]
    doubled = [text for text, count in seen.items() if count > 1]
    figures["acknowledged"] += len(acknowledged)
    figures["lost"] += max(0, len(lost) - refused)
    figures["doubled"] += len(doubled)
    for text in lost + doubled:
        print(f"{'lost' if text in lost else 'doubled'}: {text}")  # noqa: T201  # a failed test shows it


CALLS = 12
"""How many lessons a client of the server stores."""

HANDSHAKE: dict[str, object] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "campaign", "version": "1"},
}


class Door(NamedTuple):
    """
    A way in.

    Attributes:
        name: How it is called.
        start: Starts it in a world, with a text that nothing else holds.
        kept: Tells by what it printed and that text which texts it acknowledged.

    """

    name: str
    start: Callable[[World, str], Process]
    kept: Callable[[Ran, str], Iterable[str]]

    @property
    def is_hook(self) -> bool:
        """Whether a host calls it, so that it must end with 0."""
        return self.name.startswith("hook ")


def session_of(text: str) -> str:
    """Return the session in which *text* is said."""
    return text.split(maxsplit=1)[0]


def _feed(process: Process, data: bytes) -> Process:
    """Write *data*, and leave the input open as hosts do."""
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(data)
        process.stdin.flush()
    return process


def _hook(event: str, **fields: str) -> Callable[[World, str], Process]:
    def start_hook(world: World, text: str) -> Process:
        payload = {
            "session_id": session_of(text),
            "cwd": str(world.project),
            "hook_event_name": event,
            "source": "startup",
            **{name: value.format(text=text) for name, value in fields.items()},
        }
        return _feed(start_process(world, str(BIN / "hardwon-hook")), json.dumps(payload).encode())

    return start_hook


def _serve(world: World, text: str) -> Process:
    messages: list[dict[str, object]] = [
        {"id": "hello", "method": "initialize", "params": HANDSHAKE}
    ]
    messages.append({"method": "notifications/initialized"})
    for number in range(CALLS):
        call = {
            "name": "store_memory",
            "arguments": {**LESSON, "description": text_of_call(text, number)},
        }
        messages.append({"id": number, "method": "tools/call", "params": call})
    lines = (json.dumps({"jsonrpc": "2.0", **message}) for message in messages)
    return _feed(start(world, "hardwon-mcp"), "".join(f"{line}\n" for line in lines).encode())


def text_of_call(text: str, number: int) -> str:
    """Return the description of one lesson that a client of the server stores."""
    return f"{text} Call {number} of it."


def _kept_by_server(ran: Ran, text: str) -> list[str]:
    answers = (
        json.loads(line) for line in ran.stdout.splitlines(keepends=True) if line.endswith("\n")
    )
    stored = [
        answer
        for answer in answers
        if "entryId" in answer.get("result", {}).get("structuredContent", {})
    ]
    return [text_of_call(text, answer["id"]) for answer in stored]


def _kept_by_command(ran: Ran, text: str) -> list[str]:
    return [text] if ran.stdout.startswith("Stored: ") else []


def _kept_by_hook(ran: Ran, text: str) -> list[str]:
    return [text] if (ran.code, ran.stderr) == (0, "") else []


def _nothing(_: Ran, __: str) -> list[str]:
    return []


def _command(*arguments: str) -> Callable[[World, str], Process]:
    return lambda world, text: start(
        world, "hardwon", *(argument.format(text=text) for argument in arguments)
    )


def _work(world: World, _: str) -> Process:
    return start_process(
        world,
        str(BIN / "python"),
        "-P",
        "-m",
        "hardwon.entrypoints.worker",
        "--global-store",
        str(world.store),
    )


WRITER = Door(
    "writer",
    lambda world, text: start(world, "hardwon-writer", *upsert(name="n", description=text)),
    _kept_by_command,
)
SERVER = Door("server", _serve, _kept_by_server)
ADD = Door("add", _command("add", "{text}", "--category", "patterns"), _kept_by_command)
SESSION_START = Door("hook SessionStart", _hook("SessionStart"), _nothing)
PROMPT = Door("hook UserPromptSubmit", _hook("UserPromptSubmit", prompt="{text}"), _kept_by_hook)
STOP = Door("hook Stop", _hook("Stop", last_assistant_message="{text}"), _kept_by_hook)
WORKER = Door("worker", _work, _nothing)
RECALL = Door("recall", _command("recall", "{text}"), _nothing)
LIST = Door("list", _command("list", "--json"), _nothing)
DOCTOR = Door("doctor", _command("doctor"), _nothing)
INDEX = Door("index", _command("index"), _nothing)

LESSON_DOORS = (WRITER, SERVER, ADD)
TALK_DOORS = (PROMPT, STOP)


def run_door(door: Door, world: World, text: str) -> Ran:
    """Run a door to its end."""
    return finish(door.start(world, text))


_reported = list[tuple[str, str, int]]()


@pytest.fixture
def empty_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return an empty project in which conversations are captured and nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path / "world", cleanup)
        world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "off", "HARDWON_KEYWORD_PROVIDER": "off"}
        world.variables |= {"HARDWON_CAPTURE_ENABLED": "true", "HARDWON_CAPTURE_INTERVAL": "1"}
        yield world


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Iterator[Figures]:
    """Return where a campaign counts; what it counted is printed at the end of the run, also when it failed."""
    figures = Figures()
    yield figures
    for name, count in figures.items():
        record_property(name, count)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        campaign = report.nodeid.partition("test_")[2].partition(".py")[0]
        _reported.extend(
            (campaign, name, int(str(count))) for name, count in report.user_properties
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in summary(_reported):
        terminalreporter.write_line(line)
