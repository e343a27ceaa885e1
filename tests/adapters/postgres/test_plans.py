"""A search reads only the entries that may answer, each a few times."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import migrate
from hardwon.adapters.postgres.session import Statement
from hardwon.adapters.postgres.vectors import PostgresVectorIndex, PostgresVectorStore
from hardwon.adapters.threads import Threads
from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.embedding import Space, unit
from hardwon.domain.model.filters import LEARNINGS, OF_OTHERS, Workplace
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.inject_at_start import InjectAtStart
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from tests.contracts.worlds import IN_TIME
from tests.fakes.clock import FixedClock
from tests.fakes.models import PlantedEmbedder
from tests.postgres_server import member, new_database, store, world_of
from tests.strategies import NOW, QUERY_VECTOR, lesson, planted

pytestmark = pytest.mark.postgres

ENTRIES = 300
ROWS_AN_ENTRY = 20
"""Upper bound of the rows that one step of a plan reads, for each entry; a step that compares all with all reads ENTRIES."""

EXPLAIN = "EXPLAIN (ANALYZE, FORMAT JSON)"

MANY, WIDTH = 8_000, 25
MULTIPLIED = (
    """
    INSERT INTO hardwon.entry SELECT (jsonb_populate_record(e, jsonb_build_object(
        'number', n, 'id', md5(n::text), 'updated_at', e.updated_at - n * interval '1 minute'))).*
    FROM hardwon.entry e, generate_series(2, %(entries)s) n WHERE e.tenant = %(tenant)s
    """,
    """
    INSERT INTO hardwon.entry_text SELECT (jsonb_populate_record(t, jsonb_build_object('number', n, 'text_hash', n::text))).*
    FROM hardwon.entry_text t, generate_series(2, %(entries)s) n WHERE t.tenant = %(tenant)s
    """,
    """
    INSERT INTO hardwon.vector (tenant, space, number, owner, text_hash, vec)
    SELECT v.tenant, v.space, n, v.owner, n::text, (SELECT l2_normalize(array_agg(sin(n * place))::vector) FROM generate_series(1, 25) place)
    FROM hardwon.vector v, generate_series(2, %(entries)s) n WHERE v.tenant = %(tenant)s
    """,
    """
    INSERT INTO hardwon.posting SELECT (jsonb_populate_record(p, jsonb_build_object('number', n))).*
    FROM hardwon.posting p, generate_series(2, %(entries)s) n WHERE p.tenant = %(tenant)s AND (p.term != 'parser' OR n %% 100 = 0)
    """,
    "UPDATE hardwon.corpus SET entries = %(entries)s, passages = %(entries)s WHERE tenant = %(tenant)s",
    """
    CREATE INDEX IF NOT EXISTS vector_near_25 ON hardwon.vector USING hnsw ((vec::halfvec(25)) halfvec_cosine_ops)
        WHERE vector_dims(vec) = 25
    """,
    "VACUUM (ANALYZE) hardwon.entry, hardwon.entry_text, hardwon.vector, hardwon.posting",
)
"""Statements that make many lessons of one."""

TERMS, RARE = ("lesson", "parser"), ("parser",)
SEEN = Visibility(own=("here",))


class Step(NamedTuple):
    """
    A step of a plan.

    Attributes:
        table: The table that it reads, empty for others.
        rows: How many it gave and left out, over all of its runs.

    """

    kind: str
    table: str
    rows: float


class Explained(PostgresDatabase):
    """A connection that asks for the plan of every read before it runs it."""

    steps: dict[str, list[Step]]
    tuned: int = 0
    """How often neighbours were asked for."""

    def _ask(self, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        answers = super()._ask(statements)
        for statement, values in statements:
            if "hardwon." in statement:
                [[(plans,)]] = super()._ask([(f"{EXPLAIN} {statement}", values)])
                self.steps[statement] = [*_steps(plans[0]["Plan"])]
                self.tuned += "<=>" in statement
        return answers


def _steps(plan: Mapping[str, Any]) -> Iterator[Step]:
    left_out = sum(rows for name, rows in plan.items() if name.startswith("Rows Removed"))
    rows = (plan["Actual Rows"] + left_out) * plan["Actual Loops"]
    yield Step(plan["Node Type"], plan.get("Relation Name", ""), rows)
    for step in plan.get("Plans", ()):
        yield from _steps(step)


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
            database.steps = {}
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
    assert len(just_filled.steps) > 8
    assert [*steps_of(just_filled, ROWS_AN_ENTRY * ENTRIES + 1)] == []


def steps_of(database: Explained, rows: int) -> Iterator[tuple[str, Step]]:
    """Yield the steps that read at least so many rows, with their statements."""
    for statement, steps in database.steps.items():
        yield from ((statement, step) for step in steps if step.rows >= rows)


@pytest.fixture
def large() -> Iterator[tuple[Explained, PostgresVectorStore]]:
    """Yield a tenant of many lessons with a frequent and a rare word."""
    with member() as address, closing(Explained(address)) as database:
        database.steps = {}
        vectors = PostgresVectorStore(database, Space("local", "large", WIDTH))
        world = world_of(database)
        world.add(lesson("The first of the parser."))
        [text] = vectors.pending(9)
        vectors.put([(text, unit(array("f", range(1, WIDTH + 1)), WIDTH))])
        with psycopg.connect(store(), autocommit=True) as owner:
            for statement in MULTIPLIED:
                owner.execute(statement, {"tenant": database.tenant, "entries": MANY})
        database.steps.clear()
        database.entries_at_first = MANY
        yield database, vectors


def test_of_many_lessons_no_table_is_read_as_a_whole(
    large: tuple[Explained, PostgresVectorStore],
) -> None:
    database, vectors = large
    world, only = world_of(database), LEARNINGS._replace(visible_in=SEEN, ranked=True)
    query = unit(array("f", range(WIDTH, 0, -1)), WIDTH)
    with database.snapshot():
        matches = PostgresVectorIndex(vectors, largest_scan=MANY // 2).compare(query, only)
        best = [hit.number for hit in matches.top(100)]
        matches.statistics()
        world.keywords.frequencies(RARE, IN_TIME)
        by_word = world.keywords.weigh(RARE, only, IN_TIME)
        counts = (
            world.repository.count(only),
            sum(world.repository.sizes(SEEN).values()),
            vectors.count_pending(only),
            world.repository.count(OF_OTHERS),
        )
        world.repository.most_observed(SEEN)
        world.repository.constitutional(only)
        world.repository.retire_expired(NOW)
        world.repository.recall_facts(best)
        world.repository.printed(best)
        world.repository.outdated(best)

    assert (len(best), by_word.count(), counts) == (100, 1 + MANY // 100, (MANY, MANY, 0, 0))
    assert len(database.steps) > 9
    whole = {(step.kind, step.table) for _, step in steps_of(database, MANY // 2) if step.table}
    assert {table for _, table in whole} == {"entry", "vector"}  # counts, by an index
    assert not any("Seq" in kind for kind, _ in whole)


@pytest.mark.parametrize("framed", [True, False], ids=["of a host", "by arguments"])
def test_a_start_asks_for_neighbours_once(
    large: tuple[Explained, PostgresVectorStore], *, framed: bool
) -> None:
    database, vectors = large
    world, index = world_of(database), PostgresVectorIndex(vectors, largest_scan=MANY // 2)
    semantic = SemanticSearch(PlantedEmbedder(space=vectors.space), vectors, index)
    inject = InjectAtStart(
        repository=world.repository,
        retrieve=Retrieve([semantic], world.keywords, Threads()),
        vectors=vectors,
        clock=FixedClock(),
        weights=SignalWeights(),
    )
    block = inject.block_for(
        ContextQuery(feature=Feature(slug="parser", description="The first of the parser.")),
        limit=20,
        deadline=IN_TIME,
        workplace=Workplace("here", visibility=SEEN),
        framed=framed,
    )

    assert f"active (vector={MANY}" in block.text
    assert database.tuned == 1
