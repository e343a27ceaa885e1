import attrs
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from tests.contracts.worlds import ALL, MakeWorld, on_every_implementation
from tests.strategies import QUERY_VECTOR, all_entries, few_examples, filters, lesson


@on_every_implementation
@few_examples
@given(known=st.lists(all_entries, max_size=8), only=filters)
def test_the_unlabelled_are_those_found_without_keywords_in_the_same_order(
    make: MakeWorld, known: list[Entry], only: EntryFilter
) -> None:
    with make() as world:
        world.add(*known)
        bare = [entry for entry in world.repository.matching(only, limit=ALL) if not entry.keywords]

        assert world.repository.matching(only._replace(unlabelled=True), limit=ALL) == bare
        assert world.repository.count(only._replace(unlabelled=True)) == len(bare)


@on_every_implementation
@few_examples
@given(known=st.lists(all_entries, max_size=8), size=st.integers(1, 3), only=filters)
def test_pages_of_unlabelled_leave_out_none_and_repeat_none(
    make: MakeWorld, known: list[Entry], size: int, only: EntryFilter
) -> None:
    with make() as world:
        world.add(*known)
        everything = world.repository.matching(only._replace(unlabelled=True), limit=ALL)
        paged: list[Entry] = []
        while page := world.repository.matching(
            only._replace(unlabelled=True), limit=size, after=paged[-1] if paged else None
        ):
            paged += page

        assert paged == everything


@on_every_implementation
@few_examples
@given(known=st.lists(all_entries, min_size=1, max_size=8))
def test_an_entry_labelled_meanwhile_still_marks_where_the_next_page_begins(
    make: MakeWorld, known: list[Entry]
) -> None:
    with make() as world:
        world.add(*(attrs.evolve(entry, keywords=()) for entry in known))
        first, *rest = world.repository.matching(EVERYTHING._replace(unlabelled=True), limit=ALL)
        world.repository.put(attrs.evolve(first, keywords=("sqlite",)))

        assert (
            world.repository.matching(EVERYTHING._replace(unlabelled=True), limit=ALL, after=first)
            == rest
        )
        assert world.repository.matching(EVERYTHING._replace(unlabelled=True), limit=ALL) == rest


@on_every_implementation
def test_new_labels_change_neither_the_timestamp_of_an_entry_nor_its_vector(
    make: MakeWorld,
) -> None:
    with make() as world:
        entry = lesson("Hash the content.")
        world.add(entry)
        world.embed(entry, QUERY_VECTOR)
        before = world.repository.by_id(entry.entry_id)
        assert before
        world.repository.put(attrs.evolve(before, keywords=("sqlite",)))

        assert world.repository.by_id(entry.entry_id) == attrs.evolve(before, keywords=("sqlite",))
        assert world.repository.count(LEARNINGS._replace(unlabelled=True)) == 0
        assert (world.vectors.count(LEARNINGS), world.vectors.count_pending(LEARNINGS)) == (1, 0)
