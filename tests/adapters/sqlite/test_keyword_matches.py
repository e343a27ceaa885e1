"""The entries that pass a filter: what is remembered is what the store says now."""

import itertools
from collections.abc import Callable
from random import Random

import attrs
import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex
from hardwon.adapters.sqlite.keyword_matches import (
    FilterMembers,
    KeywordMatches,
    TermCounts,
    frequencies,
)
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.domain.model.vocabulary import CATEGORIES
from tests.adapters.sqlite.sqlite_store import leave_a_gap
from tests.contracts.worlds import IN_TIME, World
from tests.strategies import DAY, NOW, lesson, of_file

DECISIONS = EntryFilter(kinds=("decision",))
UNKNOWN_NUMBERS = (-1, 0, 10**9)


@pytest.fixture
def numbers(world: World, database: SqliteDatabase) -> list[int]:
    """Store five lessons and, in the next block, two decisions."""
    for number in range(5):
        world.repository.put(lesson(f"lesson {number}"))
    leave_a_gap(database)
    for path in ("1.md", "2.md"):
        world.repository.put(of_file("a decision", path=path))
    return [number for (number,) in database.rows("SELECT seq FROM entry ORDER BY seq")]


@pytest.mark.parametrize("limits", [*itertools.permutations((-1, 1, 3, 4))], ids=str)
def test_kept_counts_say_what_counting_again_would(
    world: World, database: SqliteDatabase, limits: tuple[int, ...]
) -> None:
    counts = TermCounts(database, "entries_fts")
    for added in ("zebra", "zebra lion", "a zebra", "the zebra"):
        world.add(lesson(added))
        for most, terms in itertools.product(limits, (["zebra"], ["lion", "zebra", "tiger"])):
            assert counts.of(terms, most) == frequencies(database, "entries_fts", terms, most=most)


@pytest.mark.parametrize("at_once", [1, 3, 7])
def test_members_are_the_same_however_many_are_asked_for(
    database: SqliteDatabase, numbers: list[int], at_once: int
) -> None:
    members = FilterMembers(database, LEARNINGS)
    found = dict[int, str | None]()
    for place in range(0, len(numbers), at_once):
        found.update(members.among([*numbers[place : place + at_once], *UNKNOWN_NUMBERS]))

    assert found == dict.fromkeys(numbers[:5], "patterns")
    assert members.among(reversed(numbers)) == found


def test_the_blocks_are_those_of_members_alone(
    database: SqliteDatabase, numbers: list[int]
) -> None:
    members = FilterMembers(database, DECISIONS)
    members.among(numbers)

    assert members.blocks == {numbers[-1] >> 10} != FilterMembers(database, LEARNINGS).blocks
    assert FilterMembers(database, EntryFilter(kinds=("session",))).blocks == set()


@pytest.mark.parametrize(
    "only",
    [
        LEARNINGS,
        EntryFilter(tier="important"),
        EntryFilter(tier="normal"),
        EntryFilter(shown=True),
        EntryFilter(shown=False),
    ],
)
@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.repository.delete(lesson("lesson 3").entry_id),
        lambda world: world.repository.put(lesson("lesson 9")),
        lambda world: world.repository.put(attrs.evolve(lesson("lesson 3"), tier="deprecated")),
        lambda world: world.repository.put(attrs.evolve(lesson("lesson 3"), tier="important")),
        lambda world: world.usage.record_recall([1], NOW + DAY),
    ],
)
def test_a_search_after_a_change_finds_what_a_new_one_finds(
    world: World,
    database: SqliteDatabase,
    numbers: list[int],
    only: EntryFilter,
    change: Callable[[World], object],
) -> None:
    assert 1 in numbers
    kept = FtsKeywordIndex(database)
    kept.match(["lesson"], "any", only, IN_TIME).statistics()
    change(world)

    found, expected = (
        index.match(["lesson"], "any", only, IN_TIME).scores(range(1 << 12))
        for index in (kept, FtsKeywordIndex(database))
    )
    assert found == expected


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("only", [LEARNINGS, DECISIONS, EVERYTHING])
def test_the_best_matches_are_the_same_however_deep_they_were_read_before(
    world: World, database: SqliteDatabase, only: EntryFilter, seed: int
) -> None:
    random = Random(seed)
    for number in range(60):
        text = f"text {number}"
        entry = lesson(text, category=random.choice(CATEGORIES), age=random.randrange(3) * DAY)
        world.repository.put(random.choice([entry, entry, of_file(text, path=f"{number}.md")]))
    rows = database.rows("SELECT seq, category FROM entry ORDER BY updated_at DESC, id")
    scores = {number: random.choice([0.1, 0.2, 0.3, random.random()]) for number, _ in rows}
    members = FilterMembers(database, only)
    matches = KeywordMatches(database, scores, members)
    for _ in range(6):
        k, category = random.randrange(1, 30), random.choice([None, *CATEGORIES])
        inside = [
            number
            for number, own in rows
            if number in members.among([number]) and category in {None, own}
        ]
        expected = sorted(inside, key=lambda number: -scores[number])[:k]

        assert matches.top(k, category) == [IndexHit(number, scores[number]) for number in expected]
