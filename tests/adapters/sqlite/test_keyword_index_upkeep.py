"""VACUUM is safe, and a keyword index that is out of step is rebuilt."""

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.keyword_index import rebuild_index
from hardwon.domain.model.filters import EVERYTHING
from tests.adapters.sqlite.sqlite_store import Sql
from tests.contracts.worlds import ALL, IN_TIME, World
from tests.strategies import QUERY_VECTOR, lesson, of_file, planted


def found(world: World, word: str = "zebra") -> tuple[list[int], list[int]]:
    """Return the numbers of what a word finds, and of what is near the query, best first."""
    words = world.keywords.match([word], "any", EVERYTHING, IN_TIME).top(ALL)
    meaning = world.index.compare(QUERY_VECTOR, EVERYTHING).top(ALL)
    return [hit.seq for hit in words], [hit.seq for hit in meaning]


def filled(world: World) -> None:
    entries = [of_file(f"zebra {number}", kind="document", path=f"{number}.md") for number in range(6)]
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


def test_an_index_of_words_that_is_out_of_step_is_rebuilt(world: World, database: Database, sql: Sql) -> None:
    filled(world)
    before = found(world)
    sql("UPDATE entries_fts SET description = 'quagga' WHERE description MATCH 'zebra'")
    assert found(world)[0] == []

    rebuild_index(database)
    assert found(world) == before
    assert found(world, "quagga")[0] == []
