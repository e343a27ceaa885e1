"""Tallies: after any history they say how many entries there are, and damage to them costs time only."""

import contextlib
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import attrs
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import (
    COUNTED,
    TALLY_TABLE,
    TALLY_TRIGGERS,
    admits_all,
    count_ranked,
    tallied,
)
from hardwon.adapters.sqlite.erase_files import StoreRows
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.query import where
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter, Scope
from hardwon.domain.model.project import Visibility
from hardwon.ports.entries import Field
from tests.adapters.sqlite.sqlite_store import EVERY_ENTRY, checkpoints_of
from tests.contracts.worlds import ALL, open_new_store, world_of
from tests.strategies import DAY, NOW, entries_about, file_entries, lesson

PROJECTS = (None, "here", "there", "elsewhere")
REACHES = ("everywhere", "shared", "home")
SEEN = (
    None,
    Visibility(),
    Visibility(own=("here",)),
    Visibility(own=("here", "there"), silent=("elsewhere",)),
    Visibility(silent=("here", "there")),
    Visibility(own=("there",), is_foreign=True),
)
LESSONS = ("retry the socket", "lock the cache", "parser first")


def filters() -> Iterator[EntryFilter]:
    for seen in SEEN:
        for only in (EVERYTHING, LEARNINGS, EntryFilter(kinds=("document", "session"))):
            yield only._replace(visible_in=seen, ranked=True)


def assert_counted(database: SqliteDatabase) -> None:
    """Check that tallies say the same as a count of all rows."""
    for only in filters():
        within = where(only)
        expected: dict[str | None, int] = dict(
            database.rows(COUNTED.format(within=within.sql), **within.parameters)
        )
        assert dict(tallied(database, only)) == expected
    assert count_ranked(database) == database.value("SELECT count(*) FROM entry WHERE retired = 0")


FIELDS: tuple[Field, ...] = get_args(Field)
VALUES = """
    SELECT coalesce({value}, ''), count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
    WHERE {within} GROUP BY 1
"""


def assert_tallied(database: SqliteDatabase) -> None:
    """Check that statistics are those of a plain count of all rows."""
    unranked = (EVERYTHING._replace(visible_in=seen) for seen in SEEN)
    for only, field in itertools.product((LEARNINGS, *unranked), FIELDS):
        within, value = where(only), f"{'t' if field == 'source' else 'e'}.{field}"
        sql = VALUES.format(value=value, within=within.sql)
        expected: dict[str, int] = dict(database.rows(sql, **within.parameters))
        assert dict(world_of(database).repository.tally(only, field)) == expected


BOUND: dict[str, Any] = {"scope": Scope(("here",)), "anywhere": ("learning",)}
OF_A_PROMPT: tuple[dict[str, Any], ...] = (
    {},
    {"except_session": "s"},
    BOUND,
    BOUND | {"except_session": "s"},
)


def assert_admitted(database: SqliteDatabase) -> None:
    """Check that a filter that admits every ranked entry leaves none out."""
    for only in filters():
        for bounds in OF_A_PROMPT:
            narrow = only._replace(**bounds)
            for asked in (narrow, narrow._replace(ranked=False)):
                if admits_all(database, asked):
                    within = where(narrow)
                    sql = f"SELECT count(*) FROM entry e WHERE {within.sql}"
                    assert database.value(sql, **within.parameters) == count_ranked(database)


class TalliesAgreeWithCounts(RuleBasedStateMachine):
    """Whatever happened to a store, its tallies are what counting its rows gives."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.use(open_new_store(self.folder.name))
        self.checkpoints = 0

    def use(self, database: SqliteDatabase) -> None:
        self.database = database
        self.world = world_of(database)

    def teardown(self) -> None:
        self.database.close()
        self.folder.cleanup()

    @initialize()
    def begin_with_entries(self) -> None:
        for text in LESSONS:
            self.world.repository.put(lesson(text))

    def one(self, place: int) -> Entry:
        stored = self.world.repository.matching(EVERYTHING, limit=ALL)
        return stored[place % len(stored)]

    def is_filled(self) -> bool:
        return self.world.repository.count(EVERYTHING) > 0

    @rule(entry=entries_about(st.sampled_from(LESSONS)) | file_entries)
    def put(self, entry: Entry) -> None:
        self.world.repository.put(entry)

    @precondition(is_filled)
    @rule(
        place=st.integers(0, 9),
        project=st.sampled_from(PROJECTS),
        reach=st.sampled_from(REACHES),
        other=st.sampled_from(PROJECTS),
    )
    def move(self, place: int, project: str | None, reach: str, other: str | None) -> None:
        number = self.one(place).number
        self.database.rows(
            "UPDATE entry SET project = ?, reach = ? WHERE seq = ?", (project, reach, number)
        )
        if other:
            self.database.rows(
                "INSERT OR IGNORE INTO entry_place (entry_seq, project) VALUES (?, ?)",
                (number, other),
            )

    @precondition(is_filled)
    @rule(place=st.integers(0, 9))
    def delete(self, place: int) -> None:
        self.world.repository.delete(self.one(place).entry_id)

    @precondition(is_filled)
    @rule(place=st.integers(0, 9))
    def give_up_a_transaction(self, place: int) -> None:
        with contextlib.suppress(LookupError), self.database.transaction():
            self.world.repository.delete(self.one(place).entry_id)
            assert_counted(self.database)
            raise LookupError

    @rule(text=st.sampled_from(LESSONS))
    def forget(self, text: str) -> None:
        StoreRows(self.database).erase(Erasure((text,)))

    @rule()
    def retire(self) -> None:
        self.world.repository.retire_expired(NOW + 1000 * DAY)

    @rule()
    def keep_a_snapshot(self) -> None:
        self.checkpoints += 1
        checkpoints_of(self.database).create(str(self.checkpoints), "", EVERY_ENTRY)

    @precondition(lambda self: self.checkpoints)
    @rule()
    def restore(self) -> None:
        checkpoints_of(self.database).restore(str(self.checkpoints))

    @rule(name=st.sampled_from((TALLY_TABLE, *TALLY_TRIGGERS)))
    def drop_by_hand_and_reopen(self, name: str) -> None:
        self.database.rows(f"DROP {'TABLE' if name == TALLY_TABLE else 'TRIGGER'} {name}")
        self.database.close()
        self.use(open_store(self.folder.name))

    @rule(
        change=st.sampled_from(
            (f"DELETE FROM {TALLY_TABLE}", f"UPDATE {TALLY_TABLE} SET entries = entries + 1")
        )
    )
    def damage(self, change: str) -> None:
        self.database.rows(change)

    @invariant()
    def tallies_are_counts(self) -> None:
        assert_counted(self.database)
        assert_tallied(self.database)
        assert_admitted(self.database)


TalliesAgreeWithCounts.TestCase.settings = settings(
    max_examples=max(1, settings().max_examples // 5), stateful_step_count=10
)
TestTalliesAgreeWithCounts = TalliesAgreeWithCounts.TestCase


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    with contextlib.closing(open_store(str(folder))) as database:
        for text in LESSONS:
            world_of(database).repository.put(lesson(text))
        yield database


def stored(database: SqliteDatabase) -> list[tuple[object, ...]]:
    return database.rows(
        f"SELECT kind, category, reach, project, entries FROM {TALLY_TABLE} WHERE entries != 0 ORDER BY 1"
    )


@pytest.mark.parametrize("bounds", OF_A_PROMPT)
def test_a_prompt_is_answered_without_reading_the_members_of_its_filter(
    database: SqliteDatabase, bounds: dict[str, Any]
) -> None:
    only = EVERYTHING._replace(visible_in=Visibility(own=("here",)), **bounds)
    assert admits_all(database, only)

    of_session = attrs.evolve(lesson("now"), session_id="s")
    world_of(database).repository.put(of_session)
    assert admits_all(database, only) == (only.except_session is None)

    elsewhere = attrs.evolve(lesson("there"), kind="session", category=None, file_path="/there.md")
    world_of(database).repository.put(elsewhere)
    assert not admits_all(database, only._replace(scope=Scope(("here",))))


def test_a_session_start_counts_without_reading_entries(database: SqliteDatabase) -> None:
    database.rows(f"UPDATE {TALLY_TABLE} SET entries = entries * 7")  # sums to 0 as before

    assert world_of(database).repository.sizes(Visibility(own=("here",))) == {"patterns": 21}


@pytest.mark.parametrize("field", FIELDS)
def test_statistics_read_no_entries(database: SqliteDatabase, field: Field) -> None:
    asked = list[str]()
    database.connection.set_trace_callback(asked.append)
    for only in (EVERYTHING, LEARNINGS, EVERYTHING._replace(visible_in=Visibility(own=("here",)))):
        world_of(database).repository.tally(only, field)
    database.connection.set_trace_callback(None)
    counts = [sql for sql in asked if TALLY_TABLE not in sql and "count(*)" in sql]
    plans = [step for sql in counts for *_, step in database.rows(f"EXPLAIN QUERY PLAN {sql}")]

    assert all("COVERING INDEX" in step for step in plans if step.startswith(("SCAN e", "SCAN t")))
    assert plans.count("USE TEMP B-TREE FOR GROUP BY") <= len(counts), "the few values are united"


def test_statistics_leave_out_hidden_entries_beside_deprecated_ones(
    database: SqliteDatabase,
) -> None:
    database.rows("UPDATE entry SET retired = 1 WHERE seq = 1")
    assert_tallied(database)

    database.rows("UPDATE entry SET reach = 'home', project = 'there' WHERE seq = 2")
    assert_tallied(database)


@pytest.mark.parametrize(
    "damage",
    [
        f"DELETE FROM {TALLY_TABLE}",
        f"UPDATE {TALLY_TABLE} SET entries = 5",
        f"DELETE FROM {TALLY_TABLE} WHERE kind = ''",
        "DROP TABLE entry_tally",
    ],
)
def test_damaged_tallies_are_noticed_and_made_again_when_the_store_is_opened(
    database: SqliteDatabase, folder: Path, damage: str
) -> None:
    before = stored(database)
    database.rows(damage)
    assert_counted(database)
    if "DROP" not in damage:
        world_of(database).repository.put(lesson("after the damage"))
        assert_counted(database)
        world_of(database).repository.delete(lesson("after the damage").entry_id)

    with contextlib.closing(open_store(str(folder))) as reopened:
        assert stored(reopened) == before


def test_a_store_that_is_only_read_counts_beside_damaged_tallies(
    database: SqliteDatabase, folder: Path
) -> None:
    database.rows(f"DELETE FROM {TALLY_TABLE}")
    with contextlib.closing(SqliteDatabase(str(folder / "memory.db"), read_only=True)) as other:
        assert_counted(other)


def test_two_processes_count_what_either_changed(database: SqliteDatabase, folder: Path) -> None:
    with contextlib.closing(open_store(str(folder))) as other:
        world_of(other).repository.put(lesson("of the other"))

    assert_counted(database)
    assert count_ranked(database) == len(LESSONS) + 1
