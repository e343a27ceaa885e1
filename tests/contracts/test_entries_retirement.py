"""Deprecated and expired entries are kept and never found."""

import datetime as dt

import attrs
import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.strategies import DAY, NOW, QUERY_VECTOR, lesson, of_file, planted

pytestmark = on_every_implementation

RANKED = EVERYTHING._replace(ranked=True)
ONE_OF_EACH = pytest.mark.parametrize(
    "entry", [lesson("zebra"), of_file("zebra")], ids=lambda entry: entry.kind
)


def found_anywhere(world: World) -> set[int]:
    """Return the numbers of what any search finds, or the prominent learnings hold."""
    matches = [
        world.keywords.match(["zebra"], "any", EVERYTHING, IN_TIME),
        world.keywords.weigh(["zebra"], EVERYTHING, IN_TIME),
        world.index.compare(QUERY_VECTOR, EVERYTHING),
    ]
    prominent = {
        facts.number
        for newest in world.repository.newest_by_track_record(ALL).values()
        for facts in newest
    }
    return prominent | {hit.number for found in matches for hit in found.top(ALL)}


def counts(world: World) -> tuple[int, int, int, int]:
    return (
        world.repository.count(RANKED),
        world.keywords.size(),
        world.vectors.count(EVERYTHING),
        world.vectors.count_pending(EVERYTHING),
    )


@ONE_OF_EACH
def test_deprecated_entries_are_listed_and_in_no_index(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        [number] = world.add(entry)
        world.embed(entry, planted(0.6))
        assert found_anywhere(world) == {number}

        world.repository.put(attrs.evolve(entry, tier="deprecated"))
        assert found_anywhere(world) == set()
        assert counts(world) == (0, 0, 0, 0)
        assert dict(world.repository.sizes()) == {}
        assert world.repository.most_observed() == 1
        assert world.repository.matching(EVERYTHING, limit=ALL) == [
            attrs.evolve(entry, tier="deprecated")
        ]


@ONE_OF_EACH
def test_reinstated_entries_are_searched_again(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        [number] = world.add(attrs.evolve(entry, tier="deprecated"))
        world.repository.put(entry)

        assert counts(world) == (1, 1, 0, 1)
        world.embed(entry, planted(0.6))
        assert found_anywhere(world) == {number}


@ONE_OF_EACH
def test_a_vector_that_comes_too_late_is_not_kept(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        world.add(entry)
        waiting = world.vectors.pending(ALL)
        world.repository.put(attrs.evolve(entry, tier="deprecated"))
        world.vectors.put((text, planted(0.6)) for text in waiting)

        assert world.vectors.count(EVERYTHING) == 0


@pytest.mark.parametrize(("age", "gone"), [(6, 0), (7, 1), (8, 1)])
@ONE_OF_EACH
def test_temporary_entries_are_found_for_seven_days(
    make: MakeWorld, entry: Entry, age: int, gone: int
) -> None:
    temporary = attrs.evolve(entry, tier="temporary", created_at=NOW - age * DAY)
    with make() as world:
        [number] = world.add(temporary)
        world.embed(temporary, planted(0.6))

        assert world.repository.retire_expired(NOW) == gone
        assert world.repository.retire_expired(NOW) == 0
        assert found_anywhere(world) == (set() if gone else {number})
        assert world.repository.matching(EVERYTHING, limit=ALL) == [temporary]


def test_an_expired_entry_stays_so_when_it_is_rewritten_and_returns_when_it_no_longer_expires(
    make: MakeWorld,
) -> None:
    temporary = attrs.evolve(lesson("zebra", age=8 * DAY), tier="temporary")
    with make() as world:
        [number] = world.add(temporary)
        world.repository.retire_expired(NOW)
        world.repository.put(attrs.evolve(temporary, keywords=("label",)))
        assert found_anywhere(world) == set()
        assert counts(world) == (0, 0, 0, 0)

        world.repository.put(attrs.evolve(temporary, tier="normal"))
        assert number in found_anywhere(world)


def test_permanent_entries_never_expire(make: MakeWorld) -> None:
    entry = attrs.evolve(lesson("zebra"), tier="temporary", permanent=True)
    with make() as world:
        world.add(entry)

        assert world.repository.retire_expired(NOW + dt.timedelta(days=1000)) == 0
        assert world.repository.count(LEARNINGS._replace(ranked=True)) == 1
