import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.strategies import NOW, QUERY_VECTOR, all_entries, few_examples, lesson, of_file, planted

pytestmark = on_every_implementation

stores = st.lists(all_entries, min_size=1, max_size=8, unique_by=lambda entry: entry.entry_id)
ONE_OF_EACH = pytest.mark.parametrize(
    "entry", [lesson("zebra"), of_file("zebra")], ids=lambda entry: entry.kind
)


@given(stored=stores, place=st.integers(0, 7))
@few_examples
def test_deletion_removes_the_entry_and_nothing_else(
    make: MakeWorld, stored: list[Entry], place: int
) -> None:
    gone = stored[place % len(stored)]
    with make() as world:
        numbers = dict(zip((entry.entry_id for entry in stored), world.add(*stored), strict=True))
        world.embed_all(dict.fromkeys(numbers.values(), planted(0.6)))
        world.usage.record_recall(list(numbers.values()), NOW)
        before = world.repository.matching(EVERYTHING, limit=ALL)

        assert world.repository.delete(gone.entry_id) is True
        number = numbers.pop(gone.entry_id)
        assert world.repository.by_id(gone.entry_id) is None
        assert (world.repository.hydrate([number]), world.repository.facts([number])) == ([], [])
        assert world.repository.matching(EVERYTHING, limit=ALL) == [
            entry for entry in before if entry.entry_id != gone.entry_id
        ]
        assert world.index.compare(QUERY_VECTOR, EVERYTHING).scores(
            [number, *numbers.values()]
        ).keys() == set(numbers.values())
        assert world.keywords.size() == world.vectors.count(EVERYTHING) == len(numbers)


def hang_something_on(world: World, entry: Entry) -> int:
    """Store *entry* with a vector and a recall; return its number."""
    [number] = world.add(entry)
    world.embed(entry, planted(1.0))
    world.usage.record_recall([number], NOW)
    return number


@ONE_OF_EACH
def test_a_restored_entry_starts_over_under_another_number(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        before = hang_something_on(world, entry)
        world.repository.delete(entry.entry_id)
        [number] = world.add(entry)

        assert number != before
        assert world.repository.by_id(entry.entry_id) == entry
        assert (world.vectors.count(EVERYTHING), world.vectors.count_pending(EVERYTHING)) == (0, 1)
        assert (
            world.keywords.match(["zebra"], "any", EVERYTHING, IN_TIME).count()
            == world.keywords.size()
            == 1
        )


@ONE_OF_EACH
def test_deleting_what_is_not_there_changes_nothing(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        assert world.repository.delete(entry.entry_id) is False
        hang_something_on(world, entry)
        assert world.repository.delete(entry.entry_id) is True
        assert world.repository.delete(entry.entry_id) is False

        assert (
            world.repository.count(EVERYTHING)
            == world.keywords.size()
            == world.vectors.count(EVERYTHING)
            == 0
        )


@ONE_OF_EACH
def test_a_deletion_that_is_rolled_back_has_not_been(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        number = hang_something_on(world, entry)
        before = world.repository.hydrate([number])
        with pytest.raises(LookupError):
            delete_and_fail(world, entry)

        assert world.repository.hydrate([number]) == before
        assert world.index.compare(QUERY_VECTOR, EVERYTHING).scores([number]) == {number: 1.0}
        assert world.keywords.match(["zebra"], "any", EVERYTHING, IN_TIME).count() == 1
        assert world.keywords.weigh(["zebra"], EVERYTHING, IN_TIME).count() == 1


def delete_and_fail(world: World, entry: Entry) -> None:
    with world.repository.transaction():
        world.repository.delete(entry.entry_id)
        raise LookupError
