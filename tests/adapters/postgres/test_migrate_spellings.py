"""Lessons that a server of version 1 has in two spellings become one entry, and every id still names it."""

import unicodedata
from collections.abc import Iterator
from contextlib import closing

import attrs
import psycopg
import pytest

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import migrate
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.identity import content_hash, short_hash
from tests.contracts.worlds import IN_TIME
from tests.postgres_server import new_database, world_of
from tests.strategies import DAY, NOW, lesson

pytestmark = pytest.mark.postgres

TEXT = "Der K\u00f6nig pr\u00fcft jede \u00dcbergabe zweimal"
DECOMPOSED = unicodedata.normalize("NFD", TEXT)


def id_before(text: str) -> str:
    return short_hash(" ".join(text.lower().strip().split()))


@pytest.fixture
def store() -> Iterator[str]:
    with new_database() as address:
        migrate(address)
        yield address


def make_earlier(store: str, texts: dict[str, str]) -> None:
    """Let the entries of those names have those texts, as they were stored before version 2."""
    with psycopg.connect(store, autocommit=True) as owner:
        for name, text in texts.items():
            [(number,)] = owner.execute(
                "SELECT number FROM hardwon.entry_text WHERE name = %s", (name,)
            ).fetchall()
            owner.execute(
                "UPDATE hardwon.entry SET id = %s WHERE number = %s", (id_before(text), number)
            )
            owner.execute(
                "UPDATE hardwon.entry_text SET description = %s WHERE number = %s", (text, number)
            )
        owner.execute("DELETE FROM hardwon.migration WHERE version = 2")


def test_the_spellings_of_a_lesson_become_the_oldest_of_them(store: str) -> None:
    with closing(PostgresDatabase(store)) as database:
        world = world_of(database)
        newer = attrs.evolve(
            lesson("two", name="Second", age=DAY),
            observation_count=3,
            keywords=("b",),
            reasoning="Seen.",
        )
        older = attrs.evolve(
            lesson("one", name="First", age=2 * DAY), observation_count=2, keywords=("a",)
        )
        world.add(newer, older, lesson("Another", name="Other"))
        number = world.numbers()[older.entry_id]
        world.usage.record_recall([number, world.numbers()[newer.entry_id]], NOW)
    make_earlier(store, {"First": DECOMPOSED, "Second": TEXT})

    assert migrate(store) == [2]

    with closing(PostgresDatabase(store)) as database:
        world = world_of(database)
        found = {entry.name: entry for entry in world.repository.matching(EVERYTHING, limit=9)}
        assert found.keys() == {"First", "Other"}
        united = found["First"]
        assert (united.number, united.observation_count, united.recall_count) == (number, 5, 2)
        assert (united.keywords, united.reasoning, united.description) == (
            ("a", "b"),
            "Seen.",
            DECOMPOSED,
        )
        assert world.repository.by_id(content_hash(TEXT)) == united
        assert world.repository.reworded(id_before(DECOMPOSED)) == united
        for word in ("k\u00f6nig", "zweimal"):
            assert [
                hit.number
                for hit in world.keywords.match([word], "any", EVERYTHING, IN_TIME).top(9)
            ] == [number]
        assert world.keywords.size() == 2


def test_a_lesson_that_is_stored_only_decomposed_gets_the_id_of_the_composed_text(
    store: str,
) -> None:
    text = unicodedata.normalize("NFD", "\uac01\ub3c4 \u0439\u043e\u0434")
    with closing(PostgresDatabase(store)) as database:
        world_of(database).add(lesson("one", name="First"))
    make_earlier(store, {"First": text})

    assert migrate(store) == [2]

    with closing(PostgresDatabase(store)) as database:
        world = world_of(database)
        found = world.repository.by_id(content_hash(text))
        assert found is not None
        assert world.repository.reworded(id_before(text)) == found
        assert [
            hit.number
            for hit in world.keywords.match(["\uac01\ub3c4"], "any", EVERYTHING, IN_TIME).top(9)
        ] == [found.number]
        with psycopg.connect(store) as owner:
            forced = "SELECT count(*) FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace AND relforcerowsecurity"
            assert owner.execute(forced).fetchone() != (0,)
