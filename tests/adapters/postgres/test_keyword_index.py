"""Keyword search on a server, where frequent terms are not counted to their end."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from hardwon.adapters.postgres import keyword_index
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.domain.model.filters import LEARNINGS
from tests.contracts.worlds import IN_TIME, World
from tests.postgres_server import member, world_of
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

ENTRIES = 24
WORDS = {f"w{divisor}x": divisor for divisor in (1, 2, 3, 5, 7, 12, 20)}
"""Each is in every so many-th lesson."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with member() as address, closing(PostgresDatabase(address)) as database:
        world = world_of(database)
        texts = (
            " ".join(word for word, every in WORDS.items() if number % every == 0)
            for number in range(1, ENTRIES + 1)
        )
        with world.repository.transaction():
            world.add(*(lesson(f"Lesson {place} {text}.") for place, text in enumerate(texts)))
        yield world


@pytest.mark.parametrize("most", [1, 2, 3, 6, 9, 20, 60, 1_000])
@pytest.mark.parametrize(
    "terms", [tuple(WORDS), ("w1x", "w2x", "unknown"), ("w1x", "lesson"), ("unknown",)]
)
def test_terms_too_frequent_to_be_read_are_not_counted_to_their_end(
    world: World, monkeypatch: pytest.MonkeyPatch, terms: tuple[str, ...], most: int
) -> None:
    monkeypatch.setattr(keyword_index, "max_hits", lambda **_: most)
    whole = world.keywords.weigh(terms, LEARNINGS, IN_TIME)
    monkeypatch.setattr(keyword_index, "FIRST_COUNT", 1)
    bounded = world.keywords.weigh(terms, LEARNINGS, IN_TIME)

    assert bounded.top(ENTRIES) == whole.top(ENTRIES)
    assert bounded.statistics() == whole.statistics()
