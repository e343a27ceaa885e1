"""Receipts in the store's tables: all of one or nothing, and never at the cost of time."""

import contextlib

import pytest

from hardwon.adapters.sqlite.activity import SqliteReceipts
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.query import where
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Outcome, Receipt, ReceiptEntry
from tests.adapters.sqlite.sqlite_store import Sql
from tests.contracts.worlds import World
from tests.strategies import NOW, lesson

RECEIPT = Receipt(
    "s",
    "start",
    NOW,
    "here",
    None,
    None,
    "hybrid",
    "d",
    ("", ""),
    (ReceiptEntry("e", "lesson", "d"),),
)


def test_the_records_of_a_session_are_found_without_reading_those_of_others(
    world: World, database: SqliteDatabase
) -> None:
    assert world.receipts.shown_in("s") == frozenset()
    within = where(EVERYTHING._replace(except_session="s"))
    plan = database.rows(
        f"EXPLAIN QUERY PLAN SELECT e.seq FROM entry e WHERE {within.sql}", **within.parameters
    )

    assert any(
        "SEARCH entry_text USING COVERING INDEX entry_text_by_session" in step for *_, step in plan
    )


def test_a_query_for_one_session_or_entry_uses_an_index(
    world: World, database: SqliteDatabase, sql: Sql
) -> None:
    asked = list[str]()
    database.connection.set_trace_callback(asked.append)
    for find in (world.receipts.newest, world.influences.newest):
        find(session_id="s", limit=1)
        find(entry_id="e", limit=1)
    plans = [step for query in asked for *_, step in sql(f"EXPLAIN QUERY PLAN {query}")]

    assert len(asked) == 4
    assert not [step for step in plans if step.startswith("SCAN")]


def test_a_busy_store_is_not_waited_for_and_keeps_nothing(
    world: World, database: SqliteDatabase, sql: Sql
) -> None:
    sql("BEGIN IMMEDIATE")

    with pytest.raises(StorageError, match="locked"):
        world.receipts.record(RECEIPT)
    sql("ROLLBACK")
    assert sql("SELECT (SELECT count(*) FROM receipt), (SELECT count(*) FROM receipt_entry)") == [
        (0, 0)
    ]
    assert database.value("PRAGMA busy_timeout") == 5_000


def test_records_of_a_failed_transaction_are_not_kept(world: World, sql: Sql) -> None:
    with contextlib.suppress(KeyError), world.repository.transaction():
        world.receipts.record(RECEIPT)
        raise KeyError

    assert sql("SELECT (SELECT count(*) FROM receipt), (SELECT count(*) FROM receipt_entry)") == [
        (0, 0)
    ]


def test_text_that_cannot_be_stored_raises_a_domain_error_and_nothing_is_kept(
    world: World, sql: Sql
) -> None:
    with pytest.raises(StorageError):
        world.receipts.record(RECEIPT._replace(query="\ud800"))

    assert sql("SELECT count(*) FROM receipt") == [(0,)]


def test_outcomes_are_those_of_the_file_after_any_change(
    world: World, database: SqliteDatabase
) -> None:
    entry = lesson("Name the unit.")
    world.add(entry)
    passed = RECEIPT._replace(
        event="failure",
        shown=(ReceiptEntry(entry.entry_id, "memory", "d"),),
        outcome=Outcome(1, passed=True),
    )
    counts = list[int]()

    def count() -> None:
        counts.append(sum(found.times for found in world.receipts.outcomes()))

    count()
    with contextlib.suppress(KeyError), world.repository.transaction():
        world.receipts.record(passed)
        count()
        raise KeyError
    count()
    world.receipts.record(passed)
    count()
    with contextlib.closing(SqliteDatabase(database.path)) as other:
        SqliteReceipts(other).record(passed)
        count()
        SqliteReceipts(other).reject(entry.entry_id, "s", rejected=True)
    assert [found.has_helped for found in world.receipts.outcomes()] == [False]
    assert counts == [0, 1, 0, 1, 2]


def test_outcomes_are_read_once_while_nothing_changes(
    world: World, database: SqliteDatabase
) -> None:
    world.receipts.outcomes()
    asked = list[str]()
    database.connection.set_trace_callback(asked.append)
    world.receipts.outcomes()

    assert asked == ["PRAGMA data_version"]
