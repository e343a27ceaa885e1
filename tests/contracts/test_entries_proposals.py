"""Proposed pairs, and learnings that are superseded."""

import attrs

from hardwon.ports.entries import Proposal
from tests.contracts.worlds import MakeWorld, World, on_every_implementation
from tests.strategies import lesson

OLDER, NEWER, OTHER = (
    lesson(text) for text in ("Retry at once.", "Retry after a pause.", "Name the unit.")
)
PAIR = Proposal(OLDER.entry_id, NEWER.entry_id, 0.95)


def pair_in(world: World) -> tuple[int, int, int]:
    older, newer, other = world.add(OLDER, NEWER, OTHER)
    world.proposals.propose(PAIR)
    return older, newer, other


@on_every_implementation
def test_a_pair_is_open_until_it_is_decided(make: MakeWorld) -> None:
    with make() as world:
        older, newer, other = pair_in(world)
        world.proposals.propose(PAIR._replace(probability=0.99))
        world.proposals.propose(Proposal(OTHER.entry_id, "0" * 16, 0.99))
        better = Proposal(OTHER.entry_id, NEWER.entry_id, 0.97)
        world.proposals.propose(better)

        assert world.proposals.open(9) == [better, PAIR]
        assert world.proposals.open(1) == [better]
        assert world.repository.outdated([older, newer, other]) == {older, other}
        assert world.repository.outdated([older, other]) == frozenset()
        assert world.proposals.reject(*PAIR[:2])
        assert not world.proposals.reject(*PAIR[:2])
        world.proposals.propose(PAIR)
        assert world.proposals.open(9) == [better]
        assert world.repository.outdated([older, newer]) == frozenset()


@on_every_implementation
def test_a_pair_goes_with_its_entries_and_is_closed_by_a_superseded_one(make: MakeWorld) -> None:
    with make() as world:
        older, newer, _ = pair_in(world)
        world.repository.put(attrs.evolve(OLDER, superseded_by=NEWER.entry_id))

        assert world.proposals.open(9) == []
        assert world.repository.outdated([older, newer]) == frozenset()
        world.repository.put(attrs.evolve(OLDER, superseded_by=None))
        world.repository.put(attrs.evolve(NEWER, superseded_by=OTHER.entry_id))
        assert world.repository.outdated([older, newer]) == frozenset()
        world.repository.put(attrs.evolve(NEWER, superseded_by=None))
        assert world.proposals.open(9) == [PAIR]
        world.repository.put(attrs.evolve(NEWER, tier="deprecated"))
        assert world.proposals.open(9) == []
        world.repository.delete(NEWER.entry_id)
        world.add(NEWER)
        assert world.proposals.open(9) == []


@on_every_implementation
def test_the_id_of_a_successor_follows_its_rewording_and_goes_with_it(make: MakeWorld) -> None:
    with make() as world:
        world.add(attrs.evolve(OLDER, superseded_by=NEWER.entry_id), NEWER)
        reworded = attrs.evolve(NEWER, description="Retry after a pause that doubles.")
        with world.repository.transaction():
            world.repository.reword(NEWER.entry_id, lesson(reworded.description))
        [facts] = [
            known
            for known in world.repository.facts(world.numbers().values())
            if known.entry_id == OLDER.entry_id
        ]

        assert facts.superseded_by == lesson(reworded.description).entry_id
        world.repository.delete(facts.superseded_by)
        freed = world.repository.by_id(OLDER.entry_id)
        assert freed is not None
        assert freed.superseded_by is None
