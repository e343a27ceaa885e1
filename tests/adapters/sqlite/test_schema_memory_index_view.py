"""The view `memory_index` shows documents with the customer's columns."""

import contextlib
import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, TIERS
from hardwon.domain.use_cases.edit_entries import ChangeEntry
from tests.contracts.worlds import World, open_new_store, world_of
from tests.fakes.clock import FixedClock
from tests.strategies import NOW, of_file

COLUMNS = [
    *(
        "id",
        "spec_folder",
        "file_path",
        "title",
        "anchor_id",
        "content",
        "embedding",
        "created_at",
        "created_at_epoch",
    ),
    *(
        "updated_at",
        "importance_weight",
        "importance_tier",
        "context_type",
        "channel",
        "session_id",
        "access_count",
    ),
    *("last_accessed", "validation_count", "confidence_score", "trigger_phrases"),
]
DOCUMENT = of_file("One writer at a time.", kind="document", spec_folder="005-memory")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    with contextlib.closing(open_new_store(str(tmp_path))) as database:
        yield database


@pytest.fixture
def world(database: SqliteDatabase) -> World:
    world = world_of(database)
    world.add(DOCUMENT)
    return world


def row(database: SqliteDatabase) -> dict[str, Any]:
    [values] = database.rows("SELECT * FROM memory_index")
    return dict(zip(COLUMNS, values, strict=True))


def test_a_new_row_has_the_columns_and_their_defaults(
    database: SqliteDatabase, world: World
) -> None:
    assert world.repository.by_id(DOCUMENT.entry_id) == DOCUMENT
    assert [column for _, column, *_ in database.rows("PRAGMA table_info(memory_index)")] == COLUMNS
    new = row(database)

    assert (new["importance_weight"], new["importance_tier"], new["context_type"]) == (
        0.5,
        "normal",
        "general",
    )
    assert (new["access_count"], new["last_accessed"]) == (0, None)
    assert (new["validation_count"], new["confidence_score"], new["trigger_phrases"]) == (
        0,
        0.5,
        "[]",
    )
    assert (new["channel"], new["session_id"]) == (None, None)
    assert dt.datetime.fromisoformat(new["created_at"]) == DOCUMENT.created_at
    assert new["created_at_epoch"] == int(DOCUMENT.created_at.timestamp())


def test_changes_and_judgements_show(database: SqliteDatabase, world: World) -> None:
    clock = FixedClock(NOW)
    ChangeEntry(repository=world.repository, history=world.history, clock=clock).apply(
        DOCUMENT.entry_id,
        EntryChange(
            trigger_phrases=("save it",), importance_tier="critical", importance_weight=1.0
        ),
    )
    validate = world.validate_entry(clock)
    for useful in (True, True, False):
        validate.judge(DOCUMENT.entry_id, useful=useful)
    changed = row(database)

    assert json.loads(changed["trigger_phrases"]) == ["save it"]
    assert (changed["importance_tier"], changed["importance_weight"]) == ("critical", 1.0)
    assert (changed["validation_count"], round(changed["confidence_score"], 3)) == (3, 0.667)
    assert dt.datetime.fromisoformat(changed["updated_at"]) == NOW
    assert dt.datetime.fromisoformat(changed["created_at"]) == DOCUMENT.created_at
    fields = database.rows(
        "SELECT memory_id, field_changed FROM memory_history ORDER BY id LIMIT 3"
    )
    assert fields == [(1, "trigger_phrases"), (1, "importance_weight"), (1, "importance_tier")]


@pytest.mark.parametrize(
    ("column", "values"),
    [("tier", TIERS), ("context_type", CONTEXT_TYPES)],
    ids=["tier", "context type"],
)
def test_the_store_itself_refuses_other_words(
    database: SqliteDatabase, world: World, column: str, values: tuple[str, ...]
) -> None:
    assert world.repository.by_id(DOCUMENT.entry_id)
    for value in values:
        database.rows(f"UPDATE entry SET {column} = ?", (value,))
    with pytest.raises(StorageError, match="CHECK constraint failed"):
        database.rows(f"UPDATE entry SET {column} = 'other'")


def test_folder_tier_context_type_and_creation_are_indexed(database: SqliteDatabase) -> None:
    indexes = [name for _, name, *_ in database.rows("PRAGMA index_list(entry)")]
    indexed = [
        [column for *_, column in database.rows(f"PRAGMA index_info({name})")] for name in indexes
    ]

    for column in ("spec_folder", "tier", "context_type", "created_at_epoch"):
        assert [column] in indexed
