"""A store that an earlier hardwon wrote is opened with everything in it."""

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pytest

from hardwon.adapters.sqlite import migrations
from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.model.identity import short_hash
from tests.adapters.sqlite.sqlite_store import FULL, opened
from tests.contracts.worlds import ALL, IN_TIME, World, world_of
from tests.strategies import NOW, QUERY_VECTOR, SPACE, of_file, planted

PLAIN = Entry(
    name="Read first",
    description="Read first, then write.",
    category="heuristics",
    created_at=NOW,
    updated_at=NOW,
)
GAP = 5

SCHEMA_1 = f"""
INSERT INTO entry VALUES
    ({GAP}, '{FULL.entry_id}', 'learning', 'patterns', 3, 'high', '2026-02-28T12:30:00.000000+00:00'),
    (9, '{PLAIN.entry_id}', 'learning', 'heuristics', 1, 'medium', '2026-03-01T12:30:00.000000+00:00');
INSERT INTO entry_text VALUES
    ({GAP}, 'Backoff', 'Retry with a backoff.', 'It took a day.', '- Observed in: Feature #12', '["retry", "café"]',
        '["src/a.py", "it''s \\"quoted\\""]', 'hash of full', '2026-02-27T12:30:00.000000+00:00', 'retro', 'here'),
    (9, 'Read first', 'Read first, then write.', '', '', '[]', '[]', 'hash of plain',
        '2026-03-01T12:30:00.000000+00:00', 'manual', NULL);
INSERT INTO recall VALUES ({GAP}, 7, '2026-03-01T12:30:00.000000+00:00');
INSERT INTO space VALUES (3, '{SPACE.provider}', '{SPACE.model}', {SPACE.dimensions}, '{SPACE.task_scheme}', '');
INSERT INTO vector VALUES (3, {GAP}, 'hash of full', x'{planted(0.6).tobytes().hex()}');
INSERT INTO sources VALUES ('/a/patterns.md', 'fingerprint');
INSERT INTO source_heading VALUES ('/a/patterns.md', 'Backoff');
INSERT INTO _metadata VALUES ('schema_version', '1'), ('active_space', '3'), ('automatic_provider', 'local');
CREATE VIRTUAL TABLE entries_fts USING fts5(name, description, notes, keywords, reasoning,
    tokenize = 'porter unicode61');
INSERT INTO entries_fts (rowid, name, description, notes, keywords, reasoning) VALUES
    ({GAP}, 'Backoff', 'Retry with a backoff.', '- Observed in: Feature #12', 'retry café', 'It took a day.'),
    (9, 'Read first', 'Read first, then write.', '', '', '');
"""

WAITING_ID = short_hash("project", "label:here", "0")
KEPT_PLAIN = attrs.evolve(PLAIN, reach="everywhere")
KEPT_FULL = attrs.evolve(FULL, recall_count=7, last_recalled_at=NOW, project=WAITING_ID)


@pytest.fixture
def old_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        MIGRATIONS[0](connection)
        connection.executescript(SCHEMA_1)
    return folder


@pytest.fixture
def old_world(old_folder: Path) -> Iterator[World]:
    with opened(old_folder) as database:
        yield world_of(database)


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        return connection.execute(query).fetchall()


def test_the_newest_version_is_that_of_the_last_migration() -> None:
    assert len(MIGRATIONS) == NEWEST


def test_entries_keep_their_texts_counters_projects_and_numbers(old_world: World) -> None:
    assert old_world.repository.matching(LEARNINGS, limit=ALL) == [KEPT_PLAIN, KEPT_FULL]
    assert old_world.numbers() == {FULL.entry_id: GAP, PLAIN.entry_id: 9}


def test_columns_that_recall_reads_are_filled_in(old_world: World) -> None:
    for facts in old_world.repository.recall_facts([GAP, 9]):
        [entry] = old_world.repository.hydrate([facts.ranking.number])

        assert facts.content_hash == entry.entry_id
        texts = (entry.name, entry.description, entry.notes, entry.reasoning)
        assert facts.words == len(" ".join(texts).split())
        assert facts[1:6] == ("learning", entry.project, None, None, False)


def test_vectors_stay_and_those_that_wait_still_wait(old_world: World) -> None:
    assert old_world.index.compare(QUERY_VECTOR, EVERYTHING).scores([GAP, 9]) == {GAP: 0.6}
    assert [pending.number for pending in old_world.vectors.pending(ALL)] == [9]

    old_world.embed(PLAIN, planted(0.8))
    assert old_world.vectors.count_pending(EVERYTHING) == 0


@pytest.mark.parametrize(
    ("word", "found"), [("backoff", GAP), ("cafe", GAP), ("feature", GAP), ("write", 9)]
)
def test_words_are_found_whole_and_by_passage(old_world: World, word: str, found: int) -> None:
    for matches in (
        old_world.keywords.match([word], "any", EVERYTHING, IN_TIME),
        old_world.keywords.weigh([word], EVERYTHING, IN_TIME),
    ):
        assert [hit.number for hit in matches.top(ALL)] == [found]


def test_imports_and_decisions_are_remembered(old_folder: Path, old_world: World) -> None:
    assert old_world.ledger.headings("/a/patterns.md") == {"Backoff"}
    assert old_world.ledger.fingerprint("/a/patterns.md") == "fingerprint"
    assert dict(
        rows(
            old_folder,
            "SELECT key, value FROM _metadata WHERE key IN ('schema_version', 'active_space')",
        )
    ) == {
        "schema_version": str(NEWEST),
        "active_space": "3",
    }


def test_a_new_entry_gets_a_number_never_given_before(old_folder: Path) -> None:
    with closing(sqlite3.connect(old_folder / "memory.db")) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM entry WHERE seq = 9")
        connection.commit()
    with opened(old_folder) as database:
        assert world_of(database).add(of_file("a decision")) == [10]


def test_the_views_have_the_columns_outsiders_read(old_folder: Path, old_world: World) -> None:
    old_world.add(
        of_file(
            "a decision",
            source_project="here",
            workspace="work",
            branch="main",
            permanent=True,
            path="a.md",
        ),
        of_file("a session", kind="session"),
    )
    old_world.vectors.put(
        (text, planted(0.8)) for text in old_world.vectors.pending(ALL) if text.number > 9
    )
    embedding = array("f", planted(0.8)).tobytes()

    assert len(rows(old_folder, "PRAGMA table_info(entries)")) == 16
    assert rows(
        old_folder, "SELECT id, recall_count, source_project, embedding FROM entries ORDER BY name"
    ) == [
        (FULL.entry_id, 7, "here", planted(0.6).tobytes()),
        (PLAIN.entry_id, 0, None, None),
    ]
    updated = int(of_file("a decision").updated_at.timestamp())
    [row] = rows(old_folder, "SELECT * FROM memories")
    columns = [column[1] for column in rows(old_folder, "PRAGMA table_info(memories)")]
    assert dict(zip(columns, row, strict=True)) == {
        "id": of_file("any", path="a.md").entry_id,
        "text": "a decision",
        "embedding": embedding,
        "type": "decision",
        "project": "here",
        "workspace": "work",
        "branch": "main",
        "timestamp": updated,
        "source_file": "/memory/decision/a.md",
        "permanent": 1,
    }
    assert rows(old_folder, "SELECT typeof(timestamp) FROM memories") == [("integer",)]


def rows_of_version_6(folder: Path, changes: str, query: str) -> list[tuple[Any, ...]]:
    """Return what *query* finds once a store of version 5, in which *changes* were made, is opened."""
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        for migrate in MIGRATIONS[1:5]:
            migrate(connection)
        connection.executescript(
            f"UPDATE _metadata SET value = '5' WHERE key = 'schema_version';{changes}"
        )
    with opened(folder):
        return rows(folder, query)


def test_a_section_whose_tier_was_changed_keeps_it(old_folder: Path) -> None:
    changes = """
        UPDATE entry SET kind = 'document', category = NULL;
        UPDATE entry_text SET anchor_id = 'section ' || entry_seq, file_path = '/a.md';
        INSERT INTO history (memory_id, field_changed, changed_at) VALUES (5, 'importance_tier', ''), (9, 'title', '');
    """
    query = "SELECT anchor_id, own_tier FROM entry_text ORDER BY 1"

    assert rows_of_version_6(old_folder, changes, query) == [("section 5", 1), ("section 9", 0)]


WHOLE_AND_SECTION = """
    UPDATE entry SET kind = 'document', category = NULL;
    UPDATE entry_text SET file_path = '/a.md', anchor_id = iif(entry_seq = 9, 'x', '');
"""


@pytest.mark.parametrize(
    ("whole", "section", "history", "own"),
    [
        ("critical", "normal", "", 1),
        ("normal", "critical", "", 1),
        ("critical", "critical", "", 0),
        (
            "critical",
            "normal",
            "INSERT INTO history VALUES (1, 5, 'importance_tier', 'normal', 'critical', '');",
            0,
        ),
        (
            "critical",
            "important",
            "INSERT INTO history VALUES (1, 5, 'importance_tier', 'normal', 'critical', '');",
            1,
        ),
    ],
    ids=["imported", "imported higher", "as its file", "left behind", "neither tier of its file"],
)
def test_a_section_keeps_a_tier_that_its_file_never_had(
    old_folder: Path, whole: str, section: str, history: str, own: int
) -> None:
    tiers = f"UPDATE entry SET tier = iif(seq = 9, '{section}', '{whole}');"
    query = "SELECT anchor_id, own_tier FROM entry_text ORDER BY 1"

    assert rows_of_version_6(old_folder, WHOLE_AND_SECTION + tiers + history, query) == [
        ("", 0),
        ("x", own),
    ]


def test_a_section_of_a_file_that_is_gone_keeps_a_tier_that_is_not_that_of_its_file(
    old_folder: Path,
) -> None:
    departed = """INSERT INTO departed SELECT '/gone.md', anchor.value, 'hash', 'Gone', tier.value, 0.5, 0, '[]', '[]', '[]',
        '', 0, NULL, 0, 0, '' FROM json_each('["", "a", "b"]') anchor
        JOIN json_each('["critical", "critical", "normal"]') tier ON tier.key = anchor.key;"""
    query = "SELECT anchor_id, own_tier FROM departed ORDER BY 1"

    assert rows_of_version_6(old_folder, departed, query) == [("", 0), ("a", 0), ("b", 1)]


def test_a_migrated_store_has_the_tables_of_a_new_one(
    old_folder: Path, old_world: World, tmp_path: Path
) -> None:
    assert old_world
    with opened(tmp_path / "new"):
        pass
    tables = "SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB '*_fts*' ORDER BY name"

    assert rows(old_folder, tables) == rows(tmp_path / "new", tables)
    assert rows(old_folder, "PRAGMA integrity_check") == [("ok",)]
    assert rows(old_folder, "PRAGMA foreign_key_check") == []


def test_a_migration_that_fails_leaves_the_old_store_as_it_was(old_folder: Path) -> None:
    before = rows(old_folder, "SELECT sql FROM sqlite_master ORDER BY name")
    broken = migrations.ENTRIES_OF_FILES + "INSERT INTO nowhere VALUES (1);\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "ENTRIES_OF_FILES", broken)
        with pytest.raises(StorageError, match="nowhere"):
            open_store(str(old_folder))

    assert rows(old_folder, "SELECT sql FROM sqlite_master ORDER BY name") == before
    with opened(old_folder) as database:
        assert world_of(database).repository.matching(LEARNINGS, limit=ALL) == [
            KEPT_PLAIN,
            KEPT_FULL,
        ]
