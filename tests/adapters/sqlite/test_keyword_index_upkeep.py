"""VACUUM is safe, and a keyword index that is out of step is rebuilt."""

from collections.abc import Mapping

import attrs
import pytest

from hardwon.adapters.sqlite import keyword_index
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.keyword_index import (
    AT_ONCE,
    VERSION_KEY,
    is_outdated,
    rebuild_index,
    refresh_index,
    texts_of,
)
from hardwon.domain.model.citations import tokens_to_find
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.indexed_entry import IndexedEntry
from tests.adapters.sqlite.sqlite_store import Sql
from tests.contracts.worlds import ALL, IN_TIME, World
from tests.strategies import QUERY_VECTOR, lesson, of_file, planted


def found(world: World, word: str = "zebra") -> tuple[list[int], list[int]]:
    """Return the numbers of what a word finds, and of what is near the query, best first."""
    words = world.keywords.match([word], "any", EVERYTHING, IN_TIME).top(ALL)
    meaning = world.index.compare(QUERY_VECTOR, EVERYTHING).top(ALL)
    return [hit.number for hit in words], [hit.number for hit in meaning]


def filled(world: World) -> None:
    entries = [
        of_file(f"zebra {number}", kind="document", path=f"{number}.md") for number in range(6)
    ]
    world.add(lesson("A zebra."), *entries)
    for number, entry in enumerate(entries):
        world.embed(entry, planted(number / 10))
    for entry in entries[::2]:
        world.repository.delete(entry.entry_id)  # a file with holes is what VACUUM moves


def test_vacuum_changes_no_answer(world: World, sql: Sql) -> None:
    filled(world)
    before = found(world)
    sql("VACUUM")

    assert found(world) == before
    assert [len(rows) for rows in before] == [4, 3]
    assert sql("SELECT title FROM memory_index ORDER BY id") == [("File",)] * 3


def test_an_index_of_words_that_is_out_of_step_is_rebuilt(
    world: World, database: SqliteDatabase, sql: Sql
) -> None:
    filled(world)
    before = found(world)
    sql("UPDATE entries_fts SET description = 'quagga' WHERE description MATCH 'zebra'")
    assert found(world)[0] == []

    rebuild_index(database)
    assert found(world) == before
    assert found(world, "quagga")[0] == []


def outdated(database: SqliteDatabase) -> None:
    """Make the index what an earlier version made of the same entries: words as they stand, and no version."""
    for table, columns in (
        ("entries_fts", ("name", "description", "notes")),
        ("passages_fts", ("text",)),
    ):
        for column in columns:
            for rowid, text in database.rows(f"SELECT rowid, {column} FROM {table}"):
                plain = text.partition("\n")[0].replace(" \U000ffffd", "")
                database.rows(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (plain, rowid))
    database.rows("DELETE FROM _metadata WHERE key = ?", (VERSION_KEY,))


def test_an_index_of_an_earlier_version_answers_and_is_updated_entry_by_entry(
    world: World, database: SqliteDatabase, sql: Sql
) -> None:
    world.add(
        lesson("zebra crossing"),
        *(lesson(f"parse_row_{number} of getRow") for number in range(2 * AT_ONCE)),
    )
    assert not is_outdated(database)
    outdated(database)
    before = sql("SELECT rowid, * FROM entries_fts WHERE entries_fts MATCH 'zebra'")

    assert is_outdated(database)
    assert (len(found(world, "zebra")[0]), len(found(world, "parserow7")[0])) == (1, 0)
    assert (refresh_index(database), refresh_index(database)) == (2 * AT_ONCE, 0)
    assert not is_outdated(database)
    assert (len(found(world, "zebra")[0]), len(found(world, "parserow7")[0])) == (1, 1)
    assert sql("SELECT rowid, * FROM entries_fts WHERE entries_fts MATCH 'zebra'") == before
    assert sql("SELECT count(*) FROM passages_fts_docsize") == [(2 * AT_ONCE + 1,)]


def test_an_index_that_holds_full_width_letters_is_updated(
    world: World, database: SqliteDatabase
) -> None:
    text = "The ＡＰＩ of the ｻｰﾊﾞｰ"  # noqa: RUF001
    world.add(lesson(text), lesson("plain words"))
    for table, column in (("entries_fts", "description"), ("passages_fts", "text")):
        database.rows(f"UPDATE {table} SET {column} = ? WHERE {column} LIKE '%API%'", (text,))
    database.rows("UPDATE _metadata SET value = '1' WHERE key = ?", (VERSION_KEY,))

    assert found(world, "api")[0] == []
    assert (is_outdated(database), refresh_index(database), is_outdated(database)) == (
        True,
        1,
        False,
    )
    assert len(found(world, "api")[0]) == 1


def test_an_index_that_holds_letters_with_strokes_is_updated(
    world: World, database: SqliteDatabase
) -> None:
    text = "Die Straße nach Łódź"
    world.add(lesson(text), lesson("plain words"))
    for table, column in (("entries_fts", "description"), ("passages_fts", "text")):
        database.rows(f"UPDATE {table} SET {column} = ? WHERE {column} LIKE '%Strasse%'", (text,))
    database.rows("UPDATE _metadata SET value = '3' WHERE key = ?", (VERSION_KEY,))

    assert found(world, "lodz")[0] == []
    assert (is_outdated(database), refresh_index(database), is_outdated(database)) == (
        True,
        1,
        False,
    )
    assert [len(found(world, word)[0]) for word in ("lodz", "Łódź", "strasse")] == [1, 1, 1]


def test_an_update_reads_only_entries_that_may_be_indexed_otherwise(
    world: World, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add(lesson("plain words of getRow"), lesson("nach Łódź, кот"), lesson("more words"))
    database.rows("UPDATE _metadata SET value = '3' WHERE key = ?", (VERSION_KEY,))
    read = list[Entry | None]()

    def counted(entry: Entry | None) -> IndexedEntry:
        read.append(entry)
        return texts_of(entry)

    monkeypatch.setattr(keyword_index, "texts_of", counted)

    assert refresh_index(database) == 0
    assert len(read) == 1
    assert not is_outdated(database)


def test_an_interrupted_update_is_continued(
    world: World, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, sql: Sql
) -> None:
    world.add(*(lesson(f"parse_row_{number} of getRow") for number in range(2 * AT_ONCE)))
    outdated(database)
    batches, index = list[int](), keyword_index.index_entries

    def interrupted(database: SqliteDatabase, texts: Mapping[int, IndexedEntry]) -> int:
        batches.append(len(texts))
        if len(batches) == 2:
            raise KeyboardInterrupt
        return index(database, texts)

    monkeypatch.setattr(keyword_index, "index_entries", interrupted)
    with pytest.raises(KeyboardInterrupt):
        refresh_index(database)

    assert is_outdated(database)
    assert refresh_index(database) == AT_ONCE
    assert batches == [AT_ONCE] * 3
    assert not is_outdated(database)
    assert len(found(world, "parserow7")[0]) == 1
    assert sql("SELECT count(*) FROM _metadata WHERE key = 'keyword_index_reached'") == [(0,)]


def test_an_index_without_references_is_updated(world: World, database: SqliteDatabase) -> None:
    world.add(
        attrs.evolve(lesson("Lock it."), references=("src/quagga.py",)), lesson("plain words")
    )
    database.rows("UPDATE entries_fts SET keywords = ''")
    database.rows("UPDATE _metadata SET value = '2' WHERE key = ?", (VERSION_KEY,))

    assert found(world, "quagga")[0] == []
    assert (is_outdated(database), refresh_index(database), is_outdated(database)) == (
        True,
        1,
        False,
    )
    assert len(found(world, "quagga")[0]) == 1
    for token in tokens_to_find("src/quagga.py")[:1]:
        assert len(found(world, token)[0]) == 1


def test_no_part_of_a_secret_is_indexed(world: World, sql: Sql) -> None:
    world.add(lesson("Never print the key AKIA" + "QYLPMN5HHHFPZAM2 in readFile"))

    texts = str(sql("SELECT * FROM entries_fts")) + str(sql("SELECT * FROM passages_fts"))
    assert "readFile" in texts
    assert "QYLPMN5" not in texts
