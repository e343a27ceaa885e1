"""Lessons that a store of version 13 has in two spellings become one entry, and every id still names it."""

import json
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.sqlite.keyword_index import CREATE, CREATE_PASSAGES, INSERT
from hardwon.adapters.sqlite.keyword_matches import PLACE_BITS
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.identity import content_hash, short_hash
from tests.adapters.sqlite.earlier_stores import EarlierStore
from tests.adapters.sqlite.sqlite_store import opened
from tests.contracts.worlds import IN_TIME, World, world_of
from tests.strategies import NOW

TEXT = "Der K\u00f6nig pr\u00fcft jede \u00dcbergabe zweimal"
DECOMPOSED = unicodedata.normalize("NFD", TEXT)
MIXED = TEXT.replace("\u00f6", "o\u0308")


def id_before(text: str) -> str:
    return short_hash(" ".join(text.lower().strip().split()))


def at(day: int) -> str:
    return f"2026-02-{day:02}T12:30:00.000000+00:00"


class StoreOfVersion13(EarlierStore):
    def lesson(self, name: str, text: str, day: int, *, count: int = 1, **facts: Any) -> int:
        """Add a lesson of that day, with two recalls a count; return its number."""
        known = {
            column: facts.pop(column)
            for column in ("keywords", "references", "reasoning")
            if column in facts
        }
        identity = id_before(text)
        self.connection.execute(
            "INSERT INTO entry_tally (kind, category, reach, entries) VALUES ('learning', 'patterns', 'shared', 0)"
            " ON CONFLICT DO NOTHING"
        )
        number = self.insert(
            "entry",
            id=identity,
            content_hash=identity,
            kind="learning",
            category="patterns",
            **{"observation_count": count, "updated_at": at(day), "words": 6, **facts},
        )
        lists = {column: json.dumps(known.get(column, [])) for column in ("keywords", "references")}
        self.insert(
            "entry_text",
            entry_seq=number,
            name=name,
            description=text,
            reasoning=known.get("reasoning", ""),
            notes="",
            tags="[]",
            trigger_phrases="[]",
            text_hash="h",
            created_at=at(day),
            **{"source": "manual", **lists},
        )
        self.insert("recall", entry_seq=number, recall_count=2 * count, last_recalled_at=at(day))
        self.insert(
            "history",
            memory_id=number,
            field_changed="name",
            old_value="x",
            new_value=name,
            changed_at=at(day),
        )
        self.insert("vector", space_id=1, entry_seq=number, text_hash="h", vec=b"1234")
        return number


@pytest.fixture
def store(folder: Path) -> Iterator[StoreOfVersion13]:
    store = StoreOfVersion13(folder, 13)
    store.insert(
        "space", id=1, provider="p", model="m", dimensions=1, task_scheme="", weights_hash=""
    )
    yield store
    store.connection.close()


@contextmanager
def migrated(store: EarlierStore, folder: Path) -> Iterator[World]:
    store.close()
    with opened(folder) as database:
        yield world_of(database)


@pytest.mark.parametrize(
    "texts", [(TEXT, DECOMPOSED, MIXED), (DECOMPOSED, TEXT, MIXED), (MIXED, DECOMPOSED, TEXT)]
)
def test_the_spellings_of_a_lesson_become_the_oldest_of_them(
    store: StoreOfVersion13, folder: Path, texts: tuple[str, str, str]
) -> None:
    store.lesson(
        "Second", texts[1], 2, count=3, keywords=["b", "a"], references=["r2"], reasoning="Seen."
    )
    first = store.lesson("First", texts[0], 1, count=2, keywords=["a"], references=["r1"])
    store.lesson("Third", texts[2], 3, keywords=["c"])
    other = store.lesson("Other", "Roll back first.", 1)

    with migrated(store, folder) as world:
        entries = {entry.number: entry for entry in world.repository.matching(EVERYTHING, limit=9)}
        assert entries.keys() == {first, other}
        united = entries[first]
        assert (united.name, united.observation_count, united.recall_count) == ("First", 6, 12)
        assert (united.description, united.entry_id) == (texts[0], content_hash(TEXT))
        assert (united.keywords, united.references, united.reasoning) == (
            ("a", "b", "c"),
            ("r1", "r2"),
            "Seen.",
        )
        assert united.updated_at.day == 3
        assert len(world.history.changes_of(first, 9)) == 3
        for text in texts:
            old = world.repository.by_id(id_before(text)) or world.repository.reworded(
                id_before(text)
            )
            assert old is not None
            assert old.number == first


def test_a_lesson_that_is_stored_only_decomposed_gets_the_id_of_the_composed_text(
    store: StoreOfVersion13, folder: Path
) -> None:
    number = store.lesson("First", DECOMPOSED, 1)
    store.lesson("Older", "Check it once.", 1, superseded_by=id_before(DECOMPOSED))

    with migrated(store, folder) as world:
        found = world.repository.by_id(content_hash(TEXT))
        earlier = world.repository.reworded(id_before(DECOMPOSED))
        assert found is not None
        assert earlier == found
        assert (found.number, found.description, found.recall_count) == (number, DECOMPOSED, 2)
        [older] = [
            entry
            for entry in world.repository.matching(EVERYTHING, limit=9)
            if entry.name == "Older"
        ]
        assert older.superseded_by == found.entry_id


def test_the_wider_reach_and_the_longer_life_stay(store: StoreOfVersion13, folder: Path) -> None:
    store.lesson("First", DECOMPOSED, 1, reach="home", project="a", tier="deprecated", retired=1)
    store.lesson("Second", TEXT, 2, reach="shared", project="b")

    with migrated(store, folder) as world:
        [united] = world.repository.matching(EVERYTHING, limit=9)
        assert (united.name, united.reach, united.project, united.tier) == (
            "First",
            "shared",
            "b",
            "normal",
        )


def test_lessons_of_two_projects_are_one_with_both_places(
    store: StoreOfVersion13, folder: Path
) -> None:
    store.lesson("First", DECOMPOSED, 1, project="a")
    store.lesson("Second", TEXT, 2, project="b")

    with migrated(store, folder) as world:
        [united] = world.repository.matching(EVERYTHING, limit=9)
        assert (united.project, {*world.projects.places_of(united.entry_id)}) == ("a", {"b"})


def test_composed_lessons_keep_all_that_they_have(store: StoreOfVersion13, folder: Path) -> None:
    numbers = [store.lesson("First", TEXT, 1), store.lesson("Second", "Roll back first.", 2)]

    with migrated(store, folder) as world:
        assert (
            sorted(entry.number or 0 for entry in world.repository.matching(EVERYTHING, limit=9))
            == numbers
        )
        assert world.repository.reworded(id_before(TEXT)) is None


def test_decomposed_texts_are_found_by_composed_words(
    store: StoreOfVersion13, folder: Path
) -> None:
    text = unicodedata.normalize("NFD", "\uac01\ub3c4 \u0439\u043e\u0434")
    number = store.lesson("First", text, 1)
    store.connection.execute(CREATE)
    store.connection.execute(CREATE_PASSAGES)
    store.connection.execute(INSERT, (number, "", text, "", "", ""))
    store.connection.execute(
        "INSERT INTO passages_fts (rowid, text) VALUES (?, ?)", (number << PLACE_BITS, text)
    )

    with migrated(store, folder) as world:
        for word in ("\uac01\ub3c4", "\u0439\u043e\u0434"):
            assert [
                hit.number
                for hit in world.keywords.match([word], "any", EVERYTHING, IN_TIME).top(9)
            ] == [number]
        assert [entry.number for entry in world.repository.matching(EVERYTHING, limit=9)] == [
            number
        ]


def test_a_copy_that_a_checkpoint_took_before_is_united_as_it_is_brought_back(
    store: StoreOfVersion13, folder: Path
) -> None:
    first = store.lesson("First", DECOMPOSED, 1, count=2)
    store.connection.execute("COMMIT")
    (folder / "checkpoints").mkdir()
    shutil.copy(folder / "memory.db", folder / "checkpoints" / "1.db")
    store.connection.execute("BEGIN")
    store.insert(
        "checkpoints",
        name="one",
        created_at=at(2),
        memory_count=1,
        snapshot_path="checkpoints/1.db",
        metadata=json.dumps({"scope": "all", "project": "", "root": "", "label": ""}),
    )

    with migrated(store, folder) as world:
        world.repository.delete(content_hash(TEXT))
        [checkpoint] = world.snapshots.checkpoints()
        with world.snapshots.opened(checkpoint.snapshot_path) as snapshot:
            snapshot.bring_back(checkpoint.contents, name=checkpoint.name, at=NOW)
        found = world.repository.by_id(content_hash(TEXT))
        assert found is not None
        assert (found.number, found.observation_count, found.description) == (first, 2, DECOMPOSED)
