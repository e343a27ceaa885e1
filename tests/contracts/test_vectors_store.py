from array import array
from collections.abc import Iterator

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, KINDS, Kind
from hardwon.ports.vectors import PendingText, VectorBlock, VectorSource
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.fakes.searches import categories_of, vectors_of
from tests.strategies import (
    DIMENSIONS,
    NOW,
    SPACE,
    all_entries,
    few_examples,
    filters,
    is_within,
    lesson,
    of_file,
    planted,
    unit_vectors,
    with_text,
    within,
)

pytestmark = on_every_implementation

OTHER_SPACE = Space(provider="planted", model="another", dimensions=DIMENSIONS)
stores = st.lists(
    st.tuples(all_entries, st.none() | unit_vectors),
    max_size=10,
    unique_by=lambda pair: pair[0].entry_id,
)


def fill(world: World, stored: list[tuple[Entry, Vector | None]]) -> dict[int, Vector]:
    """Store entries and those vectors that are there; return the vectors by number."""
    numbers = world.add(*(entry for entry, _ in stored))
    vectors = {
        number: vector
        for number, (_, vector) in zip(numbers, stored, strict=True)
        if vector is not None
    }
    world.embed_all(vectors)
    return vectors


def loaded(source: VectorSource, only: EntryFilter) -> dict[int, Vector]:
    return vectors_of(source, categories_of(source, only))


@given(stored=stores)
@few_examples
def test_the_vector_of_one_entry_is_the_one_that_was_stored(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]]
) -> None:
    with make() as world:
        fill(world, stored)

        for entry, vector in stored:
            assert world.vectors.vectors_of([entry.entry_id]).get(entry.entry_id) == vector
            assert (
                world.vectors_of(OTHER_SPACE).vectors_of([entry.entry_id]).get(entry.entry_id)
                is None
            )
        assert world.vectors.vectors_of(["0" * 16]).get("0" * 16) is None
        ids = [entry.entry_id for entry, _ in stored]
        assert world.vectors.vectors_of(ids) == {
            entry.entry_id: vector for entry, vector in stored if vector is not None
        }


@given(stored=stores, only=filters)
@few_examples
def test_an_entry_has_a_vector_or_waits_for_one(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]], only: EntryFilter
) -> None:
    with make() as world:
        vectors = fill(world, stored)
        waiting = [pending.number for pending in world.vectors.pending(ALL)]
        inside = [vector for entry, vector in stored if is_within(entry, only)]

        assert set(waiting) == set(world.numbers().values()) - vectors.keys()
        assert world.vectors.count(only) == sum(vector is not None for vector in inside)
        assert world.vectors.count_pending(only) == sum(vector is None for vector in inside)


@given(stored=stores, limit=st.integers(-1, 5))
@few_examples
def test_the_newest_wait_first_with_the_text_to_embed(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]], limit: int
) -> None:
    with make() as world:
        fill(world, stored)
        waiting = [entry for entry, vector in stored if vector is None]
        waiting.sort(key=lambda entry: (NOW - entry.updated_at, entry.entry_id))

        texts = [entry.searchable_text() for entry in waiting]
        assert [pending.text for pending in world.vectors.pending(limit)] == texts[: max(0, limit)]


@given(stored=stores, only=filters)
@few_examples
def test_stored_filters_are_loaded_bit_for_bit(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]], only: EntryFilter
) -> None:
    with make() as world:
        vectors, numbers = fill(world, stored), world.numbers()
        inside = [
            entry for entry, vector in stored if vector is not None and is_within(entry, only)
        ]
        categories = categories_of(world.vectors, only)

        assert loaded(world.vectors, only) == {
            numbers[entry.entry_id]: vectors[numbers[entry.entry_id]] for entry in inside
        }
        assert {number: categories[number] for number in loaded(world.vectors, only)} == {
            numbers[entry.entry_id]: entry.category for entry in inside
        }
        assert world.vectors.dimensions == DIMENSIONS


served_kinds = st.sampled_from([KINDS, ("learning",), CONVERSATION_KINDS, ("learning", "session")])


@given(stored=stores, kinds=served_kinds, only=filters)
@few_examples
def test_a_space_of_some_kinds_leaves_the_others_unchanged(
    make: MakeWorld,
    stored: list[tuple[Entry, Vector | None]],
    kinds: tuple[Kind, ...],
    only: EntryFilter,
) -> None:
    with make() as world:
        vectors, store = fill(world, stored), world.vectors_of(kinds=kinds)
        served = {
            entry.entry_id
            for entry in within(EntryFilter(kinds=kinds), [entry for entry, _ in stored])
        }
        bare = [entry for entry, vector in stored if vector is None and entry.entry_id in served]
        ids = {number: entry_id for entry_id, number in world.numbers().items()}

        assert store.kinds == kinds
        assert {ids[pending.number] for pending in store.pending(ALL)} == {
            entry.entry_id for entry in bare
        }
        assert store.count_pending(only) == len(within(only, bare))
        assert store.count(EVERYTHING) == len(vectors)

        asked = {entry.entry_id for entry in within(only, [entry for entry, _ in stored])}
        assert {ids[text.number] for text in store.texts(ALL, only=only)} == asked & served


def test_the_version_is_another_one_after_each_change(make: MakeWorld) -> None:
    entry, file = lesson("one"), of_file("two")
    with make() as world:
        seen = [world.vectors.version()]
        for change in (
            lambda: world.repository.put(entry),
            lambda: world.repository.put(file),
            lambda: world.embed(entry, planted(0.6)),
            lambda: world.embed(file, planted(0.8)),
            lambda: world.repository.put(attrs.evolve(entry, permanent=True)),
            lambda: world.repository.put(attrs.evolve(file, notes="changed")),
            lambda: world.repository.delete(entry.entry_id),
            lambda: world.repository.delete(file.entry_id),
        ):
            change()
            seen.append(world.vectors.version())

        assert len(set(seen)) == len(seen)


@given(stored=stores)
@few_examples
def test_the_tie_order_is_newest_first_then_by_id(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]]
) -> None:
    with make() as world:
        numbers = world.add(*(entry for entry, _ in stored))
        facts = world.repository.facts(numbers)
        facts.sort(key=lambda entry_facts: (NOW - entry_facts.updated_at, entry_facts.entry_id))

        assert world.vectors.in_tie_order(sorted(numbers)) == [
            entry_facts.number for entry_facts in facts
        ]


@pytest.mark.parametrize("entry", [lesson("one"), of_file("one")], ids=lambda entry: entry.kind)
@pytest.mark.parametrize("field", ["name", "notes", "reasoning"])
def test_a_changed_text_loses_its_vector(make: MakeWorld, field: str, entry: Entry) -> None:
    with make() as world:
        world.add(entry)
        world.embed(entry, planted(1.0))
        world.repository.put(with_text(entry, field, "changed"))

        assert (world.vectors.count(EVERYTHING), world.vectors.count_pending(EVERYTHING)) == (0, 1)


def test_a_file_whose_text_changed_loses_its_vector_and_one_only_touched_keeps_it(
    make: MakeWorld,
) -> None:
    file = of_file("one", file_mtime=1, file_hash="0" * 64)
    with make() as world:
        world.add(file)
        world.embed(file, planted(1.0))
        world.repository.put(
            attrs.evolve(file, file_mtime=2, tags=("new",), permanent=True, branch="main")
        )
        assert world.vectors.count(EVERYTHING) == 1

        world.repository.put(attrs.evolve(file, description="two"))
        assert (world.vectors.count(EVERYTHING), world.vectors.count_pending(EVERYTHING)) == (0, 1)


def test_a_change_of_anything_else_keeps_the_vector(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        [number] = world.add(entry)
        world.embed(entry, planted(1.0))
        world.repository.put(
            attrs.evolve(entry, keywords=("new",), observation_count=2, category="heuristics")
        )
        world.usage.record_recall([number], NOW)

        assert world.vectors.count(LEARNINGS) == 1
        assert categories_of(world.vectors, LEARNINGS) == {number: "heuristics"}


def test_a_vector_of_a_text_that_changed_meanwhile_is_dropped(make: MakeWorld) -> None:
    entry, other = lesson("one"), lesson("two")
    with make() as world:
        world.add(entry, other)
        waiting = world.vectors.pending(ALL)
        world.repository.put(attrs.evolve(entry, notes="changed"))
        world.vectors.put((text, planted(0.6)) for text in waiting)

        assert [pending.text for pending in world.vectors.pending(ALL)] == ["Lesson\none\nchanged"]
        assert world.vectors.count(LEARNINGS) == 1


def test_a_vector_can_be_replaced(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        [number] = world.add(entry)
        [waiting] = world.vectors.pending(ALL)
        world.vectors.put([(waiting, planted(0.6))])
        world.vectors.put([(waiting, planted(0.8))])

        assert loaded(world.vectors, LEARNINGS) == {number: planted(0.8)}


@given(stored=stores)
@few_examples
def test_the_texts_are_those_of_all_entries_by_number_a_page_at_a_time(
    make: MakeWorld, stored: list[tuple[Entry, Vector | None]]
) -> None:
    with make() as world, make() as bare:
        fill(world, stored)
        bare.add(*(entry for entry, _ in stored))
        pages, after = list[PendingText](), 0
        while page := world.vectors.texts(2, after):
            pages += page
            after = page[-1].number

        assert pages == sorted(bare.vectors.pending(ALL), key=lambda text: text.number)


def test_vectors_of_another_space_are_another_matter(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        world.add(entry)
        other = world.vectors_of(OTHER_SPACE)
        other.put((text, planted(0.6)) for text in other.pending(ALL))
        assert (
            world.vectors.count(LEARNINGS),
            world.vectors.count_pending(LEARNINGS),
            other.count(LEARNINGS),
        ) == (
            0,
            1,
            1,
        )

        world.embed(entry, planted(0.8))
        assert (world.vectors.count(LEARNINGS), other.count(LEARNINGS)) == (1, 1)
        assert (world.vectors.space, other.space) == (SPACE, OTHER_SPACE)


def test_a_changed_text_loses_its_vectors_of_every_space(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        world.add(entry)
        other = world.vectors_of(OTHER_SPACE)
        other.put((text, planted(0.6)) for text in other.pending(ALL))
        world.embed(entry, planted(0.8))
        world.repository.put(attrs.evolve(entry, notes="changed"))

        assert world.vectors.count(LEARNINGS) == other.count(LEARNINGS) == 0


def test_storing_nothing_in_an_empty_space_is_nothing(make: MakeWorld) -> None:
    with make() as world:
        world.vectors.put([])

        assert world.vectors.count(LEARNINGS) == world.vectors.count_pending(LEARNINGS) == 0
        assert world.vectors.load([]) == world.vectors.load([1]) == VectorBlock([], array("f"))


def test_vectors_are_stored_all_or_none(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"), lesson("two"))
        first, _ = world.vectors.pending(ALL)

        with pytest.raises(LookupError):
            world.vectors.put(broken_off_after(first, planted(0.6)))
        assert world.vectors.count(LEARNINGS) == 0


def broken_off_after(text: PendingText, vector: Vector) -> Iterator[tuple[PendingText, Vector]]:
    yield text, vector
    raise LookupError
