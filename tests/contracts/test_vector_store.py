from array import array
from collections.abc import Iterator

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.ports.vector_source import VectorBlock
from hardwon.ports.vector_store import PendingText
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.strategies import DIMENSIONS, NOW, SPACE, entries, few_examples, lesson, planted, unit_vectors, with_text

pytestmark = on_every_implementation

OTHER_SPACE = Space(provider="planted", model="another", dimensions=DIMENSIONS)
stores = st.lists(st.tuples(entries, st.none() | unit_vectors), max_size=10, unique_by=lambda pair: pair[0].entry_id)


def fill(world: World, stored: list[tuple[Entry, Vector | None]]) -> dict[int, Vector]:
    """Store entries and those vectors that are there; return the vectors by number."""
    seqs = world.add(*(entry for entry, _ in stored))
    vectors = {seq: vector for seq, (_, vector) in zip(seqs, stored, strict=True) if vector is not None}
    world.vectors.put((text, vectors[text.seq]) for text in world.vectors.pending(ALL) if text.seq in vectors)
    return vectors


def rows_of(block: VectorBlock) -> dict[int, Vector]:
    rows = [block.values[at : at + DIMENSIONS] for at in range(0, len(block.values), DIMENSIONS)]
    return dict(zip(block.seqs, rows, strict=True))


@given(stored=stores)
@few_examples
def test_an_entry_has_a_vector_or_waits_for_one(make: MakeWorld, stored: list[tuple[Entry, Vector | None]]) -> None:
    with make() as world:
        vectors = fill(world, stored)
        waiting = [pending.seq for pending in world.vectors.pending(ALL)]

        assert world.vectors.count() == len(vectors)
        assert world.vectors.count_pending() == len(waiting) == len(stored) - len(vectors)
        assert not set(waiting) & vectors.keys()


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


@given(stored=stores)
@few_examples
def test_what_is_stored_is_loaded_bit_for_bit(make: MakeWorld, stored: list[tuple[Entry, Vector | None]]) -> None:
    with make() as world:
        vectors = fill(world, stored)
        block = world.source.load()

        assert rows_of(block) == vectors
        categories = {each.seq: each.category for each in world.repository.facts(vectors)}
        assert dict(zip(block.seqs, block.categories, strict=True)) == categories
        assert world.source.dimensions == DIMENSIONS


@given(stored=stores)
@few_examples
def test_only_the_vectors_asked_for_are_fetched(make: MakeWorld, stored: list[tuple[Entry, Vector | None]]) -> None:
    with make() as world:
        vectors = fill(world, stored)
        wanted = [*list(world.seqs().values())[::2], 10_000]

        assert rows_of(world.source.fetch(wanted)) == {seq: vectors[seq] for seq in wanted if seq in vectors}
        assert rows_of(world.source.fetch([])) == {}


@given(stored=stores)
@few_examples
def test_the_tie_order_is_newest_first_then_by_id(make: MakeWorld, stored: list[tuple[Entry, Vector | None]]) -> None:
    with make() as world:
        seqs = world.add(*(entry for entry, _ in stored))
        facts = world.repository.facts(seqs)
        facts.sort(key=lambda each: (NOW - each.updated_at, each.entry_id))

        assert world.source.in_tie_order(sorted(seqs)) == [each.seq for each in facts]


@pytest.mark.parametrize("field", ["name", "notes", "reasoning"])
def test_a_changed_text_loses_its_vector(make: MakeWorld, field: str) -> None:
    entry = lesson("one")
    with make() as world:
        world.add(entry)
        world.embed(entry, planted(1.0))
        world.repository.put(with_text(entry, field, "changed"))

        assert (world.vectors.count(), world.vectors.count_pending()) == (0, 1)


def test_a_change_of_anything_else_keeps_the_vector(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        [seq] = world.add(entry)
        world.embed(entry, planted(1.0))
        world.repository.put(attrs.evolve(entry, keywords=("new",), observation_count=2, category="heuristics"))
        world.repository.record_recall([seq], NOW)

        assert world.vectors.count() == 1
        assert world.source.load().categories == ["heuristics"]


def test_a_vector_of_a_text_that_changed_meanwhile_is_dropped(make: MakeWorld) -> None:
    entry, other = lesson("one"), lesson("two")
    with make() as world:
        world.add(entry, other)
        waiting = world.vectors.pending(ALL)
        world.repository.put(attrs.evolve(entry, notes="changed"))
        world.vectors.put((text, planted(0.6)) for text in waiting)

        assert [pending.text for pending in world.vectors.pending(ALL)] == ["Lesson\none\nchanged"]
        assert world.vectors.count() == 1


def test_a_vector_can_be_replaced(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        [seq] = world.add(entry)
        [waiting] = world.vectors.pending(ALL)
        world.vectors.put([(waiting, planted(0.6))])
        world.vectors.put([(waiting, planted(0.8))])

        assert rows_of(world.source.load()) == {seq: planted(0.8)}


def test_vectors_of_another_space_are_another_matter(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        world.add(entry)
        other = world.vectors_of(OTHER_SPACE)
        other.put((text, planted(0.6)) for text in other.pending(ALL))
        assert (world.vectors.count(), world.vectors.count_pending(), other.count()) == (0, 1, 1)

        world.embed(entry, planted(0.8))
        assert (world.vectors.count(), other.count()) == (1, 1)
        assert (world.vectors.space, other.space) == (SPACE, OTHER_SPACE)

        world.vectors.clear()
        assert (world.vectors.count(), world.vectors.count_pending(), other.count()) == (0, 1, 1)


def test_a_changed_text_loses_its_vectors_of_every_space(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        world.add(entry)
        other = world.vectors_of(OTHER_SPACE)
        other.put((text, planted(0.6)) for text in other.pending(ALL))
        world.embed(entry, planted(0.8))
        world.repository.put(attrs.evolve(entry, notes="changed"))

        assert world.vectors.count() == other.count() == 0


def test_clearing_an_empty_space_is_nothing(make: MakeWorld) -> None:
    with make() as world:
        world.vectors.clear()
        world.vectors.put([])

        assert world.vectors.count() == world.vectors.count_pending() == 0
        assert world.source.load() == VectorBlock([], [], array("f"))


def test_entries_of_another_kind_need_no_vector_here(make: MakeWorld) -> None:
    with make() as world:
        world.repository.put(attrs.evolve(lesson("one"), kind="session"))

        assert (world.vectors.count(), world.vectors.count_pending(), world.vectors.pending(ALL)) == (0, 0, [])


def test_vectors_are_stored_all_or_none(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"), lesson("two"))
        first, _ = world.vectors.pending(ALL)

        with pytest.raises(LookupError):
            world.vectors.put(broken_off_after(first, planted(0.6)))
        assert world.vectors.count() == 0


def broken_off_after(text: PendingText, vector: Vector) -> Iterator[tuple[PendingText, Vector]]:
    yield text, vector
    raise LookupError
