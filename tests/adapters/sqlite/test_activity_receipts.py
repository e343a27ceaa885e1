"""Receipts in the store's tables: all of one or nothing, and never at the cost of time."""

import contextlib

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.query import where
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry
from tests.adapters.sqlite.sqlite_store import Sql
from tests.contracts.worlds import World
from tests.strategies import NOW

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
