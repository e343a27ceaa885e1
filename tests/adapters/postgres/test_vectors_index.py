"""The search of many vectors by an approximate index: as good as comparing all, with whatever filter."""

import random
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TypeAlias

import attrs
import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.administration import status_of
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import migrate
from hardwon.adapters.postgres.session import Row, Statement
from hardwon.adapters.postgres.store import PostgresStore
from hardwon.adapters.postgres.vectors import (
    LARGEST_SCAN,
    PostgresVectorIndex,
    PostgresVectorStore,
)
from hardwon.domain.model.embedding import Space, Vector, unit
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.project import Identity
from tests.postgres_server import member, new_database, store, world_of
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

Filled: TypeAlias = tuple[PostgresVectorStore, dict[str, EntryFilter], list[Vector]]

WIDTH = 24
ENTRIES = 1_200
CLUSTERS = 40
SHARES = {"a third": 3, "a tenth": 10, "a fiftieth": 50}
"""Every how many-th entry is of a project."""

QUERIES = 20
WANTED = 10
MIN_RECALL = 0.95


def near(rng: random.Random, center: Vector, deviation: float) -> Vector:
    return unit(array("f", (value + rng.gauss(0, deviation) for value in center)), WIDTH)


@pytest.fixture(scope="module")
def filled() -> Iterator[Filled]:
    """Yield vectors in clusters, filters that admit fewer and fewer of them, and queries."""
    rng = random.Random(7)
    centers = [near(rng, array("f", [0.0] * WIDTH), 1.0) for _ in range(CLUSTERS)]
    with member() as address, closing(PostgresDatabase(address)) as database:
        world = world_of(database)
        projects = {
            name: world.projects.add(Identity(f"/{name}", f"/{name}"), name) for name in SHARES
        }
        vectors = PostgresVectorStore(database, Space("local", "clustered", WIDTH))
        with world.repository.transaction():
            for number in range(ENTRIES):
                rarest = next(
                    (name for name, every in reversed(SHARES.items()) if number % every == 0), None
                )
                project = projects[rarest].id if rarest else None
                world.repository.put(attrs.evolve(lesson(f"Lesson {number}"), project=project))
        while texts := vectors.pending(500):
            vectors.put([(text, near(rng, rng.choice(centers), 0.25)) for text in texts])
        filters = {
            name: EVERYTHING._replace(origins=(project.id,)) for name, project in projects.items()
        }
        queries = [near(rng, rng.choice(centers), 0.25) for _ in range(QUERIES)]
        yield vectors, {"all": EVERYTHING, **filters}, queries


@pytest.fixture(params=["no index", "an index"])
def searched(request: pytest.FixtureRequest, filled: Filled) -> PostgresVectorIndex:
    """Return a search that never compares all vectors unless it finds too few, with an index on the server and without."""
    if request.param == "an index":
        with psycopg.connect(store(), autocommit=True) as connection:
            connection.execute(
                sql.SQL(
                    "CREATE INDEX IF NOT EXISTS vector_near_clustered ON hardwon.vector USING hnsw"
                    " ((vec::halfvec({width})) halfvec_cosine_ops) WHERE vector_dims(vec) = {width}"
                ).format(width=sql.Literal(WIDTH))
            )
            connection.execute("ANALYZE hardwon.vector, hardwon.entry")
    return PostgresVectorIndex(filled[0], largest_scan=0)


@pytest.mark.parametrize("name", ["all", *SHARES])
def test_the_nearest_are_found(searched: PostgresVectorIndex, filled: Filled, name: str) -> None:
    vectors, filters, queries = filled
    exact, found = PostgresVectorIndex(vectors, largest_scan=10**9), 0
    for query in queries:
        expected = exact.compare(query, filters[name]).top(WANTED)
        matches = searched.compare(query, filters[name])
        top = matches.top(WANTED)
        found += len({*top} & {*expected})

        assert len(top) == len(expected) == min(WANTED, matches.count())
        assert top[0] == expected[0]
    assert found >= MIN_RECALL * QUERIES * WANTED


@pytest.fixture
def asked(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the limits of the questions to the approximate index."""
    session, limits = filled[0].database.session, list[object]()
    run = session.run

    def counted(statements: Sequence[Statement], *, only_reads: bool) -> list[list[Row]]:
        limits.extend(values["limit"] for sql, values in statements if "<=>" in sql)
        return run(statements, only_reads=only_reads)

    monkeypatch.setattr(session, "run", counted)
    monkeypatch.setattr("hardwon.adapters.postgres.vectors.NEAR", 2 * WANTED)
    monkeypatch.setattr("hardwon.adapters.postgres.vectors.MORE", WANTED)
    return limits


def test_the_index_is_asked_once_for_all_categories(filled: Filled, asked: list[object]) -> None:
    vectors, filters, [query, *_] = filled
    matches = PostgresVectorIndex(vectors, largest_scan=0).compare(query, filters["all"])
    matches.statistics()
    tops = [matches.top(k) for k in (WANTED, 1)]
    in_category = matches.top(2 * WANTED, "patterns")
    known = matches.scores([hit.number for hit in tops[0]])

    assert asked == [2 * WANTED]
    assert [len(top) for top in (*tops, in_category)] == [10, 1, 20]
    assert known == {hit.number: hit.score for hit in tops[0]}


def test_the_index_is_asked_again_for_more_and_for_a_category_of_few(
    filled: Filled, asked: list[object]
) -> None:
    vectors, filters, [query, *_] = filled
    matches = PostgresVectorIndex(vectors, largest_scan=0).compare(query, filters["all"])
    tops = [matches.top(k) for k in (WANTED, 5 * WANTED, 4 * WANTED)]
    rare = [matches.top(1, "heuristics") for _ in range(2)]

    assert asked == [2 * WANTED, 6 * WANTED, 2 * WANTED]
    assert [len(top) for top in (*tops, *rare)] == [10, 50, 40, 0, 0]


def test_statistics_of_a_sample_are_near_those_of_all(
    searched: PostgresVectorIndex, filled: Filled
) -> None:
    vectors, _, [query, *_] = filled
    all_of_them = (
        PostgresVectorIndex(vectors, largest_scan=10**9).compare(query, EVERYTHING).statistics()
    )
    sampled = searched.compare(query, EVERYTHING).statistics()

    assert (sampled.found, sampled.best) == (all_of_them.found, all_of_them.best)
    assert sampled.mean(ENTRIES) == pytest.approx(all_of_them.mean(ENTRIES), abs=0.02)
    assert sampled.deviation(ENTRIES) == pytest.approx(all_of_them.deviation(ENTRIES), abs=0.02)


FEW, MANY = 2_000, 6_000
"""Members make an index of so many vectors: the least, and the most."""


def indexes(address: str) -> list[str]:
    with psycopg.connect(address) as owner:
        found = owner.execute(
            "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vector_near_%' ORDER BY 1"
        )
        return [name for (name,) in found.fetchall()]


@pytest.fixture
def growing() -> Iterator[tuple[str, PostgresVectorStore, PostgresStore]]:
    """Yield a member's vectors in a database of its own, with its owner's address."""
    with new_database() as owner:
        migrate(owner)
        with closing(PostgresDatabase(owner)) as database:
            world = world_of(database)
            vectors = PostgresVectorStore(database, Space("local", "growing", WIDTH))
            world.add(lesson("The first."))
            vectors.put(
                (text, near(random.Random(1), array("f", [0.0] * WIDTH), 1.0))
                for text in vectors.pending(9)
            )
            yield owner, vectors, PostgresStore(database)


def let_there_be(owner: str, stored: int) -> None:
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("UPDATE hardwon.space SET stored = %s", [stored])


@pytest.mark.parametrize(("stored", "made"), [(FEW - 1, 0), (FEW, 1), (MANY, 1), (MANY + 1, 0)])
def test_a_member_makes_the_index_once_while_it_takes_seconds(
    growing: tuple[str, PostgresVectorStore, PostgresStore], stored: int, made: int
) -> None:
    owner, _, grown = growing
    let_there_be(owner, stored)
    for _ in range(2):
        grown.upkeep.pack()

    assert indexes(owner) == [f"vector_near_{WIDTH}"] * made


def test_embedding_many_makes_the_index_too(
    growing: tuple[str, PostgresVectorStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, vectors, grown = growing
    monkeypatch.setattr("hardwon.adapters.postgres.vectors.INDEX_EVERY", 3)
    let_there_be(owner, FEW)
    for number in range(2):
        assert indexes(owner) == []
        grown.entries.put(lesson(f"Lesson {number}."))
        vectors.put(
            (text, near(random.Random(number), array("f", [0.0] * WIDTH), 1.0))
            for text in vectors.pending(9)
        )

    assert indexes(owner) == [f"vector_near_{WIDTH}"]


@pytest.mark.parametrize(("stored", "reported"), [(LARGEST_SCAN, 0), (LARGEST_SCAN + 1, 1)])
def test_many_vectors_without_an_index_are_reported_until_the_owner_makes_it(
    growing: tuple[str, PostgresVectorStore, PostgresStore], stored: int, reported: int
) -> None:
    owner, _, grown = growing
    let_there_be(owner, stored)
    lines = grown.upkeep.slow_searches()

    assert [
        f"{stored:,} vectors of {WIDTH} dimensions are not indexed" in line for line in lines
    ] == [True] * reported
    assert status_of(grown.database).slow == tuple(lines)
    migrate(owner)
    assert grown.upkeep.slow_searches() == []
    assert len(indexes(owner)) == reported


@pytest.mark.parametrize("width", [-1, 0, 4_001, 1_000_000])
def test_a_width_that_can_not_be_indexed_is_refused(
    growing: tuple[str, PostgresVectorStore, PostgresStore], width: int
) -> None:
    owner, _, grown = growing
    let_there_be(owner, FEW)

    assert grown.database.value("SELECT hardwon.index_vectors(%(width)s)", width=width) is False
    assert indexes(owner) == []
