"""After any history, a session start prints what one without preparation would print."""

import contextlib
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hardwon.domain.model.errors import ForgottenError
from tests.entrypoints.hook.test_prepared_start import pause_and_resume, prepare
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.entrypoints.sessions import lesson

TEXTS = (
    "Read partner feeds line by line.",
    "Escape the quotes of a csv column.",
    "Name the unit of a csv column in its heading.",
)
RECALLS = "SELECT entry_seq, recall_count, last_recalled_at FROM recall"
texts = st.sampled_from(TEXTS)


class Starts(RuleBasedStateMachine):
    """
    Sessions begin after changes and turns, in any order.

    Counters and receipts are no changes: the start without preparation has those of the last turn.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stack = contextlib.ExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.world = world = World(folder / "world", self._stack)
        self.number, self.recalls = 0, list[tuple[Any, ...]]()
        self.plain = folder / "plain"
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
        world.commit("feeds.py")
        self.change_feature("Read partner feeds.")
        self.change_bank(TEXTS[0])
        world.hook()
        self.end_turn()

    def teardown(self) -> None:
        self._stack.close()

    @rule()
    def end_turn(self) -> None:
        prepare(self.world)
        self.recalls = self.world.query(RECALLS)

    @rule(text=texts)
    def add(self, text: str) -> None:
        with contextlib.suppress(ForgottenError):
            keep(self.world, description=text)

    @rule(text=texts, place=st.integers(0, 3))
    def edit(self, text: str, place: int) -> None:
        hardwon(self.world, "edit", self._entry(place), "--description", f"{text} Always.")

    @rule(command=st.sampled_from(["delete", "forget"]), place=st.integers(0, 3))
    def remove(self, command: str, place: int) -> None:
        hardwon(self.world, command, self._entry(place), "--yes")

    @rule(place=st.integers(0, 3))
    def judge(self, place: int) -> None:
        hardwon(self.world, "validate", self._entry(place), "--not-useful")

    @rule(command=st.sampled_from([("trust",), ("trust", "--revoke")]))
    def trust(self, command: tuple[str, ...]) -> None:
        hardwon(self.world, *command)

    @rule()
    def pause(self) -> None:
        pause_and_resume(self.world)

    @rule(limit=st.sampled_from(["1", "2", "20"]))
    def set_limit(self, limit: str) -> None:
        self.world.variables["HARDWON_INJECTION_LIMIT"] = limit

    @rule()
    def commit(self) -> None:
        self.number += 1
        self.world.commit(f"column_{self.number}.py")

    @rule(name=st.sampled_from(["quotes-of-csv", "unit-of-heading"]))
    def switch(self, name: str) -> None:
        self.world.git("checkout", "--quiet", "-B", name)  # as a user would

    @rule(text=texts)
    def change_bank(self, text: str) -> None:
        self.world.write_bank("patterns", lesson("Pattern: Of a bank", text))

    @rule(text=texts)
    def change_feature(self, text: str) -> None:
        self.number += 1
        meta = {"slug": "csv", "status": "active"}
        self.world.write_feature(f"{self.number}-csv", meta, spec=f"# S\n\n{text}\n")

    @invariant()
    def a_start_prints_what_one_without_preparation_prints(self) -> None:
        without = self._printed_without()
        printed = self.world.hook().stdout

        assert printed in {without, self._printed_without(self.recalls)}

    def _entry(self, place: int) -> str:
        found = self.world.query("SELECT id FROM entry ORDER BY seq")
        return str(found[place % len(found)][0]) if found else "none"

    def _printed_without(self, recalls: list[tuple[Any, ...]] | None = None) -> str:
        shutil.rmtree(self.plain, ignore_errors=True)
        shutil.copytree(self.world.store, self.plain)
        (self.plain / "prepared-starts").unlink(missing_ok=True)
        if recalls is not None:
            with contextlib.closing(sqlite3.connect(self.plain / "memory.db")) as connection:
                connection.execute("DELETE FROM recall")
                known = "SELECT ?, ?, ? WHERE ?1 IN (SELECT seq FROM entry)"
                connection.executemany(
                    f"INSERT INTO recall (entry_seq, recall_count, last_recalled_at) {known}",
                    recalls,
                )
                connection.commit()
        here = self.world.variables["HARDWON_STORE"]
        self.world.variables["HARDWON_STORE"] = str(self.plain)
        try:
            return self.world.hook().stdout
        finally:
            self.world.variables["HARDWON_STORE"] = here


TestStarts = Starts.TestCase
TestStarts.settings = settings(max_examples=4, stateful_step_count=12, deadline=None)
