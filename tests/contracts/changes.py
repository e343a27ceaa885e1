"""Anything that may happen to a store, as values that Hypothesis draws."""

import datetime as dt
from collections.abc import Callable
from typing import TypeAlias

import attrs
from hypothesis import strategies as st

from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.vocabulary import TIERS
from tests.contracts.worlds import ALL, World
from tests.strategies import DIMENSIONS, all_entries, phrases, projects, timestamps, unit_vectors

Change: TypeAlias = Callable[[World], None]

OTHER_SPACE = Space(provider="planted", model="other-4", dimensions=DIMENSIONS)
SPACES = (None, OTHER_SPACE)


def _put(entry: Entry) -> Change:
    def put(world: World) -> None:
        if world.repository.by_id(entry.entry_id) or not _section_is_taken(world, entry):
            world.repository.put(entry)

    return put


def _section_is_taken(world: World, entry: Entry) -> bool:
    path = entry.file_path or ""
    return any(
        entry and entry.anchor_id == entry.anchor_id for entry in world.repository.of_file(path)
    )


def _to_one(place: int, act: Callable[[World, Entry], object]) -> Change:
    def change(world: World) -> None:
        if stored := world.repository.matching(EVERYTHING, limit=ALL):
            act(world, stored[place % len(stored)])

    return change


def _embed(vector: Vector, limit: int, space: Space | None) -> Change:
    def embed(world: World) -> None:
        vectors = world.vectors if space is None else world.vectors_of(space)
        vectors.put((text, vector) for text in vectors.pending(limit))

    return embed


def _number(entry: Entry) -> int:
    assert entry.number is not None
    return entry.number


places = st.integers(0, 9)
changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(_put, all_entries),
    st.builds(
        _to_one, places, st.just(lambda world, entry: world.repository.delete(entry.entry_id))
    ),
    st.builds(
        lambda place, fields: _to_one(
            place, lambda world, entry: world.repository.put(attrs.evolve(entry, **fields))
        ),
        places,
        st.fixed_dictionaries(
            {},
            optional={"tier": st.sampled_from(TIERS), "notes": phrases, "source_project": projects},
        ),
    ),
    st.builds(
        lambda place, at, useful: _to_one(
            place, lambda world, entry: _use(world, _number(entry), at, useful=useful)
        ),
        places,
        timestamps,
        st.booleans(),
    ),
    st.builds(_embed, unit_vectors, st.integers(1, 3), st.sampled_from(SPACES)),
    st.builds(lambda now: lambda world: world.repository.retire_expired(now), timestamps),
    st.builds(
        lambda place, session_id, at: _to_one(
            place,
            lambda world, entry: world.influences.record(
                Influence(entry.entry_id, session_id, "answer", "words", at)
            ),
        ),
        places,
        st.sampled_from(["one", "two"]),
        timestamps,
    ),
    st.builds(lambda vector: lambda world: _embed_again(world, vector), unit_vectors),
)


def _embed_again(world: World, vector: Vector) -> None:
    world.vectors.put((text, vector) for text in world.vectors.texts(ALL))


def _use(world: World, number: int, at: dt.datetime, *, useful: bool) -> None:
    world.usage.record_access([number], at)
    world.usage.record_validation(number, useful=useful)
    world.usage.record_recall([number], at)


def seen(world: World, only: EntryFilter) -> dict[int, object]:
    """Return all that can be seen of the entries of *only*, by number."""
    ranked = {
        entry.entry_id for entry in world.repository.matching(only._replace(ranked=True), limit=ALL)
    }
    other = world.vectors_of(OTHER_SPACE)
    return {
        _number(entry): (
            entry,
            entry.entry_id in ranked,
            world.vectors.vectors_of([entry.entry_id]).get(entry.entry_id),
            other.vectors_of([entry.entry_id]).get(entry.entry_id),
            world.influences.newest(entry_id=entry.entry_id, limit=ALL),
        )
        for entry in world.repository.matching(only, limit=ALL)
    }
