"""The search of many vectors by an approximate index: as good as comparing all, with whatever filter."""

import random
from array import array
from collections.abc import Iterator
from contextlib import closing
from typing import TypeAlias

import attrs
import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.vectors import PostgresVectorIndex, PostgresVectorStore
from hardwon.domain.model.embedding import Space, Vector, unit
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.project import Identity
from tests.postgres_server import member, store, world_of
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
