"""After any history, a server that keeps what it read answers as one that just started."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hardwon.adapters.sqlite.activity import SqliteContextWindows, SqliteInfluences, SqliteReceipts
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.injection.receipt import ContextWindow, Influence, Outcome
from hardwon.entrypoints.mcp.hook_events import HookEvents
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry
from tests.golden.still import slow_deadlines
from tests.strategies import NOW

NAMES = [f"frobnicator{number}x" for number in range(6)]
LESSONS = [
    attrs.evolve(
        entry(
            f"Key of {name}", f"`ConfigError: {name} key missing` means: set {name} in app.toml."
        ),
        references=(f"conf/{name}.toml",),
    )
    for name in NAMES
]
FILLERS = [entry(f"Filler {number}", f"filler number {number}") for number in range(30)]
COMMON = {"transcript_path": "", "tool_name": "Bash", "tool_response": {"stdout": ""}}

numbers = st.integers(0, len(NAMES) - 1)


def prompted(name: str) -> dict[str, Any]:
    text = f"Why does the service say ConfigError: {name} key missing at its start?"
    return {"hook_event_name": "UserPromptSubmit", "prompt": text}


def failed(name: str) -> dict[str, Any]:
    error = f"Exit code 1\nConfigError: {name} key missing"
    given = {"command": "make start"}
    return {"hook_event_name": "PostToolUseFailure", "tool_input": given, "error": error}


def opened(name: str) -> dict[str, Any]:
    given = {"file_path": f"conf/{name}.toml"}
    return {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": given}


def edited(name: str) -> dict[str, Any]:
    given = {"file_path": "app.toml", "new_string": f"{name} = 'key missing'"}
    return {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": given}


MOMENTS = (failed, prompted, edited, opened)


class Sessions(RuleBasedStateMachine):
    """Sessions that one server answers, on a store that others change."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = contextlib.ExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.world = World(folder / "world", self._stack)
        self._stack.enter_context(mock.patch.dict(os.environ, self.world.variables, clear=True))
        self._stack.enter_context(slow_deadlines())
        self._fresh_store = folder / "fresh"
        self._asked = self._latest = 0
        self.world.remember(*FILLERS, *LESSONS[:3])
        self.world.embed()
        self.warm = HookEvents(str(self.world.store), lambda _: None)

    def teardown(self) -> None:
        anyio.run(self.warm.close)
        self._stack.close()

    @invariant()
    def both_answer_alike(self) -> None:
        """Ask about the lesson that was changed last, each time at another moment."""
        kind = MOMENTS[self._asked % len(MOMENTS)]
        self._ask(**kind(NAMES[self._latest]), session_id=self._session)
        self._asked += 1

    @rule(number=numbers)
    def store(self, number: int) -> None:
        self._latest = number
        self.world.remember(LESSONS[number])

    @rule()
    def embed(self) -> None:
        self.world.embed()

    @rule(number=numbers)
    def remove(self, number: int) -> None:
        self._latest = number
        hardwon(self.world, "delete", LESSONS[number].entry_id, "--yes")

    @rule(number=numbers)
    def reword(self, number: int) -> None:
        self._latest = number
        text = f"{LESSONS[number].description} Always."
        hardwon(self.world, "edit", LESSONS[number].entry_id, "--description", text)

    @rule()
    def compact(self) -> None:
        with self._database() as database, database.transaction():
            SqliteContextWindows(database).empty(ContextWindow(self._session))

    @rule(passed=st.booleans())
    def end_runs(self, *, passed: bool) -> None:
        with self._database() as database:
            receipts = SqliteReceipts(database)
            for receipt in receipts.newest(limit=5):
                receipts.observe(receipt.number or 0, Outcome(1, passed=passed))

    @rule(number=numbers)
    def confirm(self, number: int) -> None:
        use = Influence(LESSONS[number].entry_id, self._session, "validation", "", NOW)
        with self._database() as database:
            SqliteInfluences(database).record(use)

    @property
    def _session(self) -> str:
        return f"session {self._asked // 6}"

    def _database(self) -> contextlib.closing[SqliteDatabase]:
        return contextlib.closing(SqliteDatabase(str(self.world.database)))

    def _ask(self, **fields: Any) -> None:
        given = {**COMMON, "cwd": str(self.world.project), **fields}
        shutil.rmtree(self._fresh_store, ignore_errors=True)
        shutil.copytree(self.world.store, self._fresh_store)
        fresh = HookEvents(str(self._fresh_store), lambda _: None)

        async def answers() -> tuple[str, str]:
            expected = await fresh.answer(given)
            await fresh.close()
            return await self.warm.answer(given), expected

        warm, expected = anyio.run(answers)
        assert warm == expected


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=4, stateful_step_count=16, deadline=None)
