"""Limits of the server that a store does not have: wide vectors, long words, and secrets in words."""

from array import array
from collections.abc import Iterator
from contextlib import closing

import attrs
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.reindexing import index_again, index_outdated
from hardwon.adapters.postgres.vectors import PostgresVectorIndex, PostgresVectorStore
from hardwon.adapters.postgres.words import ensure_counted
from hardwon.domain.model.embedding import Space, unit
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import EVERYTHING
from tests.contracts.worlds import IN_TIME, World
from tests.postgres_server import member, network_to, store, url_of, world_of
from tests.strategies import DAY, NOW, lesson

pytestmark = pytest.mark.postgres

LONG_WORDS = ("f" * 4_000, "я" * 2_000)
EXPIRED = 40
MAX_TRIPS = 12


@pytest.fixture
def database() -> Iterator[PostgresDatabase]:
    with member() as address, closing(PostgresDatabase(address)) as connection:
        yield connection


@pytest.fixture
def world(database: PostgresDatabase) -> World:
    return world_of(database)


@pytest.mark.parametrize("width", [2_000, 3_072, 4_096])
def test_a_vector_of_any_width_of_a_known_model_is_stored_and_found(
    database: PostgresDatabase, width: int
) -> None:
    world, vectors = (
        world_of(database),
        PostgresVectorStore(database, Space("openai", "wide", width)),
    )
    world.add(lesson("wide"))
    query = unit(array("f", (float(place % 7) - 2.5 for place in range(width))), width)
    vectors.put((text, query) for text in vectors.pending(9))

    assert [
        hit.score for hit in PostgresVectorIndex(vectors).compare(query, EVERYTHING).top(1)
    ] == [1.0]


def test_a_long_word_is_found_and_told_from_another_one_of_the_same_beginning(world: World) -> None:
    for word in LONG_WORDS:
        world.add(lesson(f"The digest is {word}."), lesson(f"The digest is {word}{word[0]}."))
        found = world.keywords.match([word], "any", EVERYTHING, IN_TIME)

        assert found.count() == 1


def test_a_long_heading_is_remembered(world: World) -> None:
    headings = {"heading " * 1_000, "heading " * 1_001}
    world.ledger.record("/bank.md", headings, "1")
    world.ledger.record("/bank.md", headings, "2")

    assert world.ledger.headings("/bank.md") == headings


def test_the_words_of_a_secret_are_not_indexed(world: World, database: PostgresDatabase) -> None:
    world.add(
        lesson("Connect with password=hunter2correct and Bearer abcdefghij0123456789abcdefghij.")
    )
    terms = {
        term
        for (term,) in database.rows("SELECT term FROM hardwon.posting WHERE tenant = %(tenant)s")
    }

    assert "connect" in terms
    assert not {term for term in terms if "hunter" in term or "abcdefghij" in term}


def test_many_entries_expire_in_few_round_trips() -> None:
    with member() as address, network_to(str(conninfo_to_dict(address)["host"])) as network:
        with closing(PostgresDatabase(url_of(address, network.port))) as database:
            world = world_of(database)
            with world.repository.transaction():
                world.add(
                    *(
                        attrs.evolve(lesson(f"soon {number}"), tier="temporary")
                        for number in range(EXPIRED)
                    )
                )
            before = network.round_trips
            retired = world.repository.retire_expired(NOW + 999 * DAY)
            crossed = network.round_trips - before

        assert retired == EXPIRED
        assert crossed <= MAX_TRIPS


def test_wrong_figures_of_the_index_are_counted_again(
    world: World, database: PostgresDatabase
) -> None:
    world.add(lesson("first"), lesson("second"))
    with psycopg.connect(store(), autocommit=True) as owner:
        owner.execute(
            "UPDATE hardwon.corpus SET entries = entries + 5 WHERE tenant = %s", [database.tenant]
        )
    with pytest.raises(KeywordIndexUnavailableError, match="hardwon doctor --repair"):
        ensure_counted(database)

    index_again(database)
    ensure_counted(database)
    assert world.keywords.size() == 2


def test_an_index_that_holds_letters_with_strokes_is_updated(
    world: World, database: PostgresDatabase
) -> None:
    plain, other = world.add(lesson("plain words"), lesson("nach Łódź"))
    with psycopg.connect(store(), autocommit=True) as owner:
        tenant = {"tenant": database.tenant, "plain": plain, "other": other}
        for statement in (
            "DELETE FROM hardwon.posting WHERE tenant = %(tenant)s AND number = %(plain)s AND term = 'plain'",
            "UPDATE hardwon.posting SET term = 'łodz' WHERE tenant = %(tenant)s AND number = %(other)s AND term = 'lodz'",
            "UPDATE hardwon.metadata SET value = '3' WHERE tenant = %(tenant)s AND starts_with(key, 'keyword_index_version ')",
        ):
            assert owner.execute(statement, tenant).rowcount > 0
    database.index_version = 0

    def found(word: str) -> list[int]:
        matches = world.keywords.match([word], "any", EVERYTHING, IN_TIME)
        return [hit.number for hit in matches.top(9)]

    assert found("lodz") == []
    assert (index_outdated(database), index_outdated(database)) == (1, 0)
    assert found("lodz") == [other]
    assert found("plain") == []
    ensure_counted(database)
