from pathlib import Path

import attrs
import pytest

from hardwon.adapters.sqlite import fts
from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.fts import FtsKeywordIndex
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.use_cases.store_entry import StoreEntry
from tests.adapters.sqlite_store import FULL, Sql, dump, opened
from tests.contracts.worlds import ALL, IN_TIME, World, world_of
from tests.fakes import FixedClock
from tests.strategies import DAY, NOW, lesson, with_text


@pytest.mark.parametrize("field", ["name", "description", "reasoning", "notes", "keywords"])
def test_a_word_that_stands_in_one_field_only_matches(world: World, sql: Sql, field: str) -> None:
    world.add(lesson("another"), with_text(lesson("plain"), field, "zebra"))

    for expression in ("zebra", f"{field}:zebra"):
        assert sql("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?", expression) == [(1,)]


def test_forms_of_a_word_and_accents_are_one(world: World) -> None:
    world.add(attrs.evolve(lesson("Retrying sockets"), keywords=("café",)))

    for word in ("retry", "retries", "socket", "cafe", "café", "CAFÉ"):
        assert world.keywords.match([word], "any", IN_TIME).count(LEARNINGS) == 1


def test_a_recall_touches_neither_the_keyword_index_nor_updated_at(world: World, sql: Sql) -> None:
    [seq] = world.add(FULL)
    before = sql("SELECT * FROM entries_fts_data"), sql("SELECT updated_at, created_at FROM entries")
    world.repository.record_recall([seq], NOW + DAY)

    assert (sql("SELECT * FROM entries_fts_data"), sql("SELECT updated_at, created_at FROM entries")) == before


def test_observing_again_rewrites_the_keyword_index_only_when_words_changed(world: World, sql: Sql) -> None:
    world.add(FULL)
    before = sql("SELECT * FROM entries_fts_data")
    StoreEntry(world.repository)(FULL)

    assert sql("SELECT * FROM entries_fts_data") == before
    assert sql("SELECT observation_count FROM entries") == [(4,)]


DAMAGES = [
    "DROP TABLE entries_fts",
    "DELETE FROM entries_fts",
    "INSERT INTO entries_fts (rowid, name) VALUES (10000, 'ghost')",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_keyword_index_that_does_not_fit_is_rebuilt_when_opened(folder: Path, damage: str) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL, lesson("another"))
        database.rows(damage)

    with opened(folder) as database:
        world = world_of(database)
        database.rows("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')")
        assert world.keywords.size() == 2
        for word in ("backoff", "day", "café", "feature"):
            assert world.keywords.match([word], "any", IN_TIME).count(LEARNINGS) == 1
        assert world.keywords.match(["ghost"], "any", IN_TIME).count(LEARNINGS) == 0


@pytest.mark.parametrize("damage", DAMAGES)
def test_it_is_not_rebuilt_where_nothing_may_be_repaired_and_search_says_so(folder: Path, damage: str) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL, lesson("another"))
        database.rows(damage)
    before = dump(folder)

    with opened(folder, repair_index=False) as database:
        keywords = FtsKeywordIndex(database)
        for ask in (
            keywords.size,
            lambda: keywords.frequencies(["day"], IN_TIME),
            lambda: keywords.match(["day"], "any", IN_TIME),
        ):
            with pytest.raises(KeywordIndexUnavailableError, match="doctor --repair"):
                ask()
        assert len(world_of(database).repository.find(LEARNINGS, limit=ALL)) == 2
    assert dump(folder) == before


def test_a_store_without_its_keyword_index_can_still_be_written(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL)
        database.rows("DROP TABLE entries_fts")

    with opened(folder, repair_index=False) as database:
        world_of(database).repository.put(lesson("another"))
    with opened(folder) as database:
        assert world_of(database).keywords.match(["another"], "any", IN_TIME).count(LEARNINGS) == 1


def test_a_new_store_has_its_keyword_index_even_where_nothing_may_be_repaired(folder: Path) -> None:
    with opened(folder, repair_index=False) as database:
        world = world_of(database)
        world.add(FULL)
        assert world.keywords.match(["backoff"], "any", IN_TIME).count(LEARNINGS) == 1


def test_what_was_written_without_fts5_is_found_once_it_is_there(folder: Path) -> None:
    changed = attrs.evolve(FULL, reasoning="zebra")
    with opened(folder) as database:
        world_of(database).add(FULL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fts, "is_available", lambda: False)
        with opened(folder) as database:
            world = world_of(database)
            world.add(changed)
            with pytest.raises(KeywordIndexUnavailableError, match="FTS5 not available"):
                world.keywords.size()

    with opened(folder) as database:
        assert world_of(database).keywords.match(["zebra"], "any", IN_TIME).count(LEARNINGS) == 1


def test_a_store_made_without_fts5_gets_its_index_later(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fts, "is_available", lambda: False)
        with opened(folder) as database:
            world_of(database).add(FULL)

    with opened(folder) as database:
        assert world_of(database).keywords.match(["backoff"], "any", IN_TIME).count(LEARNINGS) == 1


def test_keyword_search_can_be_switched_off(database: Database) -> None:
    with pytest.raises(KeywordIndexUnavailableError, match="switched off"):
        FtsKeywordIndex(database, enabled=False).size()


def test_a_search_ends_at_its_deadline(world: World) -> None:
    for number in range(300):
        world.repository.put(lesson(f"lesson {number}"))
    clock = FixedClock()

    with pytest.raises(KeywordIndexUnavailableError, match="no answer in time"):
        world.keywords.match(["lesson"], "any", clock.deadline(0))
    assert world.keywords.match(["lesson"], "any", clock.deadline(1)).count(LEARNINGS) == 300


def test_a_search_within_a_snapshot_leaves_the_store_as_it_was(world: World, sql: Sql) -> None:
    world.add(FULL)
    for _ in range(2):
        with world.repository.snapshot():
            assert world.keywords.match(["backoff"], "any", IN_TIME).count(LEARNINGS) == 1
    world.repository.put(lesson("another"))

    assert sql("SELECT count(*) FROM entries") == [(2,)]
