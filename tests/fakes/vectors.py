"""The vectors of a store in memory."""

from array import array
from collections.abc import Iterable, Mapping, Sequence

from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.ports.override import override
from hardwon.ports.vectors import PendingText, VectorBlock, VectorStore
from tests.fakes.state import State, text_hash
from tests.strategies import SPACE


class InMemoryVectorStore(VectorStore):
    """Also the source of an index."""

    def __init__(self, state: State, space: Space = SPACE, kinds: tuple[Kind, ...] = KINDS) -> None:
        self._state = state
        self._space = space
        self._kinds = kinds
        self._version = 0

    @property
    @override
    def space(self) -> Space:
        return self._space

    @property
    @override
    def dimensions(self) -> int:
        return self._space.dimensions

    @property
    @override
    def kinds(self) -> tuple[Kind, ...]:
        return self._kinds

    @override
    def has_any(self, only: EntryFilter) -> bool:
        return bool(self._embedded(only))

    @override
    def count(self, only: EntryFilter) -> int:
        return len(self._embedded(only))

    @override
    def count_pending(self, only: EntryFilter) -> int:
        return len(self._pending(only))

    @override
    def vectors_of(self, entry_ids: Sequence[str]) -> Mapping[str, Vector]:
        stored = {
            entry_id: self._state.vectors.get((self._space, self._state.number_of(entry_id) or 0))
            for entry_id in entry_ids
        }
        return {entry_id: found[1] for entry_id, found in stored.items() if found}

    @override
    def pending(self, limit: int) -> list[PendingText]:
        texts = [
            (number, self._state.entries[number].searchable_text())
            for number in self._pending(EVERYTHING)[: max(0, limit)]
        ]
        return [PendingText(number, text, text_hash(text)) for number, text in texts]

    @override
    def texts(
        self, limit: int, after: int = 0, only: EntryFilter = EVERYTHING
    ) -> list[PendingText]:
        numbers = sorted(
            number for number in self._state.within(self._served_of(only)) if number > after
        )
        texts = [
            (number, self._state.entries[number].searchable_text())
            for number in numbers[: max(0, limit)]
        ]
        return [PendingText(number, text, text_hash(text)) for number, text in texts]

    @override
    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        for text, vector in list(vectors):
            entry = self._state.entries.get(text.number)
            is_same = entry and text_hash(entry.searchable_text()) == text.text_hash
            if is_same and not self._state.is_retired(text.number):
                self._state.vectors[self._space, text.number] = text.text_hash, vector

    @override
    def version(self) -> int:
        self._version += 1
        return self._version

    @override
    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        groups: dict[str | None, list[str]] = {}
        for number in self._state.within(only):
            groups.setdefault(self._state.entries[number].category, []).append(str(number))
        return {category: ",".join(numbers) for category, numbers in groups.items()}

    @override
    def load(self, numbers: Sequence[int]) -> VectorBlock:
        there = [number for number in numbers if (self._space, number) in self._state.vectors]
        values: Vector = array("f")
        for number in there:
            values.extend(self._state.vectors[self._space, number][1])
        return VectorBlock(there, values)

    @override
    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        return self._state.in_tie_order(numbers)

    def _embedded(self, only: EntryFilter) -> list[int]:
        return [
            number
            for number in self._state.within(only)
            if (self._space, number) in self._state.vectors
        ]

    def _pending(self, only: EntryFilter) -> list[int]:
        return [
            number
            for number in self._state.within(self._served_of(only))
            if (self._space, number) not in self._state.vectors
        ]

    def _served_of(self, only: EntryFilter) -> EntryFilter:
        kinds = tuple(kind for kind in only.kinds if kind in self._kinds)
        return only._replace(kinds=kinds, ranked=True)
