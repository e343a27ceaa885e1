"""A search reads each entry a few times at most, also right after a large import."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import migrate
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.project import Visibility
from tests.contracts.worlds import IN_TIME
from tests.postgres_server import new_database, world_of
from tests.strategies import QUERY_VECTOR, lesson, planted

pytestmark = pytest.mark.postgres

ENTRIES = 300
ROWS_AN_ENTRY = 20
"""Upper bound of the rows that one step of a plan reads, for each entry; a step that compares all with all reads ENTRIES."""

TERMS = ("lesson", "parser")
SEEN = Visibility(own=("here",))


class Explained(PostgresDatabase):
    """A connection that asks for the plan of every read before it runs it."""

    rows_read: dict[str, float]

    def _run(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        if "hardwon." in statement:
            [(plans,)] = super()._run(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values)
            self.rows_read[statement] = max(_rows_read(plans[0]["Plan"]))
        return super()._run(statement, values)


def _rows_read(plan: Mapping[str, Any]) -> Iterator[float]:
    """Yield how many rows each step of a plan gave and left out, over all of its runs."""
    left_out = sum(rows for name, rows in plan.items() if name.startswith("Rows Removed"))
    yield (plan["Actual Rows"] + left_out) * plan["Actual Loops"]
    for step in plan.get("Plans", ()):
        yield from _rows_read(step)


@pytest.fixture
def just_filled() -> Iterator[Explained]:
    """Yield a store that a program has just filled, on a server that makes no statistics by itself."""
    with new_database() as address:
        migrate(address)
        with psycopg.connect(address, autocommit=True) as owner:
            tables = owner.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'r'"
            ).fetchall()
            for (name,) in tables:
                owner.execute(
                    sql.SQL("ALTER TABLE hardwon.{} SET (autovacuum_enabled = false)").format(
                        sql.Identifier(name)
                    )
                )
        with closing(PostgresDatabase(address)) as database:
            world = world_of(database)
            with world.repository.transaction():
                world.add(*(lesson(f"Lesson {number} of the parser.") for number in range(ENTRIES)))
        with closing(PostgresDatabase(address)) as database:
            world = world_of(database)
            world.embed_all({number: planted(1 / number) for number in world.numbers().values()})
        with closing(Explained(address)) as database:
            database.rows_read = {}
            yield database


def test_every_read_of_a_session_start_reads_each_entry_a_few_times(just_filled: Explained) -> None:
    world, only = world_of(just_filled), LEARNINGS._replace(visible_in=SEEN, ranked=True)
    matches = world.index.compare(QUERY_VECTOR, only)
    found = [hit.number for hit in matches.top(10)]
    by_word = world.keywords.match(TERMS, "any", only, IN_TIME)
    world.keywords.weigh(TERMS, only, IN_TIME)
    world.vectors.count_pending(only)
    world.repository.newest_by_track_record(20, SEEN)
    world.repository.constitutional(only)
    world.repository.facts(found)

    assert (matches.count(), by_word.count(), len(matches.scores(world.numbers().values()))) == (
        ENTRIES,
    ) * 3
    assert len(just_filled.rows_read) > 8
    assert {
        sql: rows for sql, rows in just_filled.rows_read.items() if rows > ROWS_AN_ENTRY * ENTRIES
    } == {}
