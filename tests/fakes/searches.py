"""Search by word, by meaning and by trigger, in memory."""

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, cosine
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import (
    KeywordIndexUnavailableError,
    NumpyMissingError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.indexed_entry import IndexedEntry
from hardwon.domain.model.keywords import completions, index_term, index_words
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.keyword_index import KeywordIndex, Mode, TriggerOwner, TriggerSource
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches, VectorIndex, VectorSource
from tests.fakes.state import State

SEARCHABLE = EVERYTHING._replace(ranked=True)


class InMemoryMatches(Matches):
    def __init__(self, state: State, scores: Mapping[int, float], full: float = 0.0) -> None:
        self._state = state
        self._scores = scores
        self._full = full

    @override
    def count(self) -> int:
        return len(self._scores)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        best = sorted(self._found(category), key=lambda number: -self._scores[number])
        return [IndexHit(number, self._scores[number]) for number in best[:k]]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        return {number: self._scores[number] for number in numbers if number in self._scores}

    @override
    def statistics(self) -> ScoreStatistics:
        return ScoreStatistics.of(self._scores.values())._replace(full=self._full)

    def _found(self, category: Category | None) -> list[int]:
        entries = self._state.entries
        return [
            number
            for number in self._state.in_tie_order(self._scores)
            if category in {None, entries[number].category}
        ]


class InMemoryKeywordIndex(KeywordIndex):
    """Scores by how often the terms occur in all."""

    def __init__(self, state: State, *, available: bool = True) -> None:
        self._state = state
        self.available = available
        self.searches: list[tuple[str, ...]] = []

    @override
    def size(self) -> int:
        self._ensure_available()
        return len(self._state.within(SEARCHABLE))

    @override
    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        del deadline
        self._ensure_available()
        entries = self._words().values()
        return {term: sum(words[index_term(term)] > 0 for words in entries) for term in terms}

    @override
    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        del deadline
        self._ensure_available()
        numbers = self._state.within(only._replace(ranked=True))
        return completions(
            beginning, (self._state.entries[number].searchable_text() for number in numbers)
        )

    @override
    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> InMemoryMatches:
        del deadline
        self._ensure_available()
        self.searches.append(tuple(terms))
        combine, wanted = any if mode == "any" else all, [*map(index_term, terms)]
        inside = self._state.within(only)
        found = {
            number: float(sum(words[term] for term in wanted))
            for number, words in self._words(labels=mode == "any").items()
            if number in inside and wanted and combine(words[term] for term in wanted)
        }
        return InMemoryMatches(self._state, found)

    @override
    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> InMemoryMatches:
        found = self.match(terms, "any", only, deadline)
        return InMemoryMatches(
            self._state, found.scores(self._state.entries), full=float(len(terms))
        )

    def _words(self, *, labels: bool = True) -> dict[int, Counter[str]]:
        entries = {number: self._state.entries[number] for number in self._state.within(SEARCHABLE)}
        return {number: _counted(entry, labels=labels) for number, entry in entries.items()}

    def _ensure_available(self) -> None:
        if not self.available:
            raise KeywordIndexUnavailableError("no keyword index here")


@functools.lru_cache(maxsize=10_000)
def _counted(entry: Entry, *, labels: bool) -> Counter[str]:
    title, description, notes, added, reasoning, tokens = IndexedEntry.of(entry, str)
    own = f"{title}\n{description}\n{notes}\n{reasoning}"
    return Counter(index_words(" ".join((own, added, *tokens)) if labels else own))


def categories_of(source: VectorSource, only: EntryFilter) -> dict[int, str | None]:
    """Return the category of each entry of *only*."""
    return {
        int(number): category
        for category, numbers in source.members(only).items()
        for number in numbers.split(",")
    }


def vectors_of(source: VectorSource, numbers: Iterable[int]) -> dict[int, Vector]:
    """Return the vectors of those of *numbers* that have one."""
    block, width = source.load([*numbers]), source.dimensions
    rows = [block.values[at : at + width] for at in range(0, len(block.values), width)]
    return dict(zip(block.numbers, rows, strict=True))


class InMemoryVectorMatches(Matches):
    def __init__(self, source: VectorSource, query: Vector, only: EntryFilter) -> None:
        self._source = source
        categories = categories_of(source, only)
        self._scores = {
            number: cosine(row, query) for number, row in vectors_of(source, categories).items()
        }
        self._categories = {number: categories[number] for number in self._scores}

    @override
    def count(self) -> int:
        return len(self._scores)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        best = sorted(
            self._source.in_tie_order(self._within(category)),
            key=lambda number: -self._scores[number],
        )
        return [IndexHit(number, self._scores[number]) for number in best[:k]]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        return {number: self._scores[number] for number in numbers if number in self._scores}

    @override
    def statistics(self) -> ScoreStatistics:
        cosines = sorted(self._scores.values())
        low = cosines[place_of_low(len(cosines))] if cosines else 0.0
        return ScoreStatistics.of(cosines)._replace(low=low)

    def _within(self, category: Category | None) -> list[int]:
        return [number for number, own in self._categories.items() if category in {None, own}]


class InMemoryVectorIndex(VectorIndex):
    """Pure Python; `broken` is what goes wrong, if anything."""

    def __init__(
        self, source: VectorSource, *, broken: VectorIndexUnavailableError | None = None
    ) -> None:
        self._source = source
        self._broken = broken
        self.seconds = 0.0

    @override
    def ensure_usable(self) -> None:
        if isinstance(self._broken, NumpyMissingError):
            raise self._broken

    @override
    def cpu_seconds(self) -> float:
        return self.seconds

    @override
    def compare(
        self, query: Vector, only: EntryFilter, likely: Sequence[int] = ()
    ) -> InMemoryVectorMatches:
        if self._broken:
            raise self._broken
        return InMemoryVectorMatches(self._source, query, only)


class InMemoryTriggerSource(TriggerSource):
    """Says how often it was asked; `elsewhere` stands for changes by other processes."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.elsewhere = 0
        self.looks = 0

    @override
    def own_changes(self) -> int:
        return hash(tuple(self._state.entries.values()))

    @override
    def version(self) -> int:
        self.looks += 1
        return hash((self.elsewhere, self.own_changes()))

    @override
    def owners(self, only: EntryFilter) -> list[TriggerOwner]:
        within = {*self._state.within(only._replace(ranked=True))}
        return [
            TriggerOwner(
                number,
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.spec_folder,
                entry.file_path,
                entry.anchor_id,
                entry.tier,
                entry.trigger_phrases,
            )
            for number, entry in sorted(self._state.entries.items())
            if entry.trigger_phrases and number in within
        ]
