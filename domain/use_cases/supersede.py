"""Let a learning supersede another one, and find the entries near one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry, PublicEntry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import (
    InvalidEntryError,
    KeywordIndexUnavailableError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.likeness import (
    MIN_COSINE,
    LessonTexts,
    likelihood,
    overlap,
)
from hardwon.domain.model.prompt_terms import informative_words
from hardwon.domain.use_cases.edit_entries import ChangeEntry, EditOutcome, known_entry
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.retrieve import SemanticSearch
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry, StoreEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import Proposal, Proposals, RankingReads
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.store import Store
from hardwon.ports.vectors import PendingText, VectorIndex

NEIGHBOURS = 5
"""The number of closest learnings that a new one is compared with."""


@attrs.frozen
class Supersede:
    """
    Mark a learning as superseded.

    It is then ranked below, in no block, and beside no prompt.
    """

    change_entry: ChangeEntry

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(ChangeEntry.on(store, clock))

    def apply(self, older: str, newer: str) -> EditOutcome:
        """
        Mark the entry *older* as superseded by *newer*.

        An empty *newer* removes the mark.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: one is no learning, both are the same, or *newer* is superseded
                itself.
        """
        repository = self.change_entry.repository
        with repository.transaction():
            if newer:
                ensure_may_replace(
                    known_entry(repository, newer)[0], known_entry(repository, older)[0]
                )
            return self.change_entry.apply(older, EntryChange(superseded_by=newer))


def ensure_may_replace(newer: Entry, older: Entry) -> None:
    """
    Check that *newer* may supersede *older*.

    Raises:
        InvalidEntryError: one is no learning, both are the same, or *newer* is superseded itself.
    """
    if newer.entry_id == older.entry_id:
        raise InvalidEntryError("an entry can't supersede itself: name two")
    for entry in (newer, older):
        if entry.kind != "learning":
            raise InvalidEntryError(
                f"{entry.entry_id} is a {entry.kind}: only a learning supersedes another one"
            )
    if newer.superseded_by:
        raise InvalidEntryError(
            f"{newer.entry_id} is superseded itself, by {newer.superseded_by}: name that one"
        )


@attrs.frozen
class KeepInPlace:
    """Keep a learning that supersedes another one."""

    store_entry: StoreEntry
    supersede: Supersede

    @classmethod
    def on(cls, store: Store, clock: Clock, origin: Origin) -> Self:
        """Return it on the roles of *store*."""
        return cls(StoreEntry.on(store, origin), Supersede.on(store, clock))

    def keep(self, entry: PublicEntry, replaced: str | None) -> StoredEntry:
        """Keep *entry*, and mark the entry *replaced* as superseded, atomically."""
        with self.supersede.change_entry.repository.transaction():
            stored = self.store_entry.keep(entry)
            if replaced:
                self.supersede.apply(replaced, stored.entry.entry_id)
            return stored


@attrs.frozen
class ProposeSupersessions:
    """Find the earlier learnings that new ones probably supersede."""

    repository: RankingReads
    index: VectorIndex
    proposals: Proposals

    def propose(self, embedded: Iterable[tuple[PendingText, Vector]]) -> None:
        """Propose pairs of newly embedded entries and their neighbours."""
        vectors = {text.number: vector for text, vector in embedded}
        for entry in self.repository.hydrate([*vectors]):
            if entry.kind == "learning":
                for proposal in self._pairs(entry, vectors[entry.number or 0]):
                    self.proposals.propose(proposal)

    def _pairs(self, entry: Entry, vector: Vector) -> Iterator[Proposal]:
        matches = self.index.compare(
            vector, LEARNINGS._replace(ranked=True, except_for=(entry.number or 0,))
        )
        hits = {hit.number: hit.score for hit in matches.top(NEIGHBOURS) if hit.score >= MIN_COSINE}
        yield from _proposals(entry, self.repository.hydrate([*hits]), hits)


def _proposals(
    entry: Entry, others: Sequence[Entry], cosines: dict[int, float]
) -> Iterator[Proposal]:
    for other in others:
        older, newer = sorted(
            (entry, other), key=lambda known: (known.created_at, known.number or 0)
        )
        cosine = cosines[other.number or 0]
        found = likelihood(LessonTexts.of(older), LessonTexts.of(newer), cosine)
        if found.is_likely and _is_of_one_trust(older, newer):
            yield Proposal(older.entry_id, newer.entry_id, found.probability)


def _is_of_one_trust(older: Entry, newer: Entry) -> bool:
    return older.reach == newer.reach and (
        older.project == newer.project or older.reach == "everywhere"
    )


class Neighbour(NamedTuple):
    """
    An entry near another one.

    Attributes:
        cosine: Their similarity, `[-1, 1]`.
        closeness: How far it is above the other entries, by the statistics of all.
    """

    entry: Entry
    cosine: float
    closeness: float


@attrs.frozen
class FindNeighbours:
    """
    Compare an entry with others by their vectors.

    Nothing is embedded for it.

    Attributes:
        semantic: The spaces, in order of preference; the first that has its vector is searched.
    """

    repository: RankingReads
    semantic: Sequence[SemanticSearch]

    @classmethod
    def on(cls, spaces: Spaces) -> Self:
        """Return it on the store of *spaces*."""
        return cls(spaces.store.entries, [space.search for space in spaces])

    def nearest_to(self, entry: Entry, only: EntryFilter, limit: int) -> Sequence[Neighbour] | None:
        """
        Return at most *limit* neighbours of *only*, the nearest first.

        None for an entry without a vector.
        """
        for search in self.semantic:
            if vector := search.store.vectors_of([entry.entry_id]).get(entry.entry_id):
                matches = search.vector_index.compare(vector, only._replace(ranked=True))
                cosines = {hit.number: hit.score for hit in matches.top(limit + 1)}
                closeness = matches.statistics().closeness
                return [
                    Neighbour(other, cosine, closeness(cosine))
                    for other in self.repository.hydrate([*cosines])
                    for cosine in [cosines[other.number or 0]]
                    if other.entry_id != entry.entry_id
                ][:limit]
        return None


NEAREST = 3
"""The number of lessons that are named beside a stored one."""

CLOSE = 0.25
"""
The least closeness of a lesson that is named.

The lesson that a new one replaces is hardly closer than others on its subject, so it is low.
"""

OVERLAP = 0.12
"""The least overlap of words where no vectors are compared."""

_READ = 12
"""The number of matches that are read, superseded ones included."""


@attrs.frozen
class FindNearest:
    """Find the lessons nearest to a stored one, by its vector or by words."""

    neighbours: FindNeighbours
    keywords: KeywordIndex

    @classmethod
    def on(cls, spaces: Spaces) -> Self:
        """Return it on the store of *spaces*."""
        enabled = spaces.settings.keyword_search
        return cls(FindNeighbours.on(spaces), spaces.store.keywords_of_questions(enabled=enabled))

    def near(self, entry: Entry, only: EntryFilter, deadline: Deadline) -> tuple[Entry, ...]:
        """
        Return at most three learnings of *only*, the nearest first.

        Neither *entry* nor superseded ones are among them.
        """
        only = only._replace(kinds=("learning",), ranked=True)
        with self.neighbours.repository.snapshot():
            close = self._by_vector(entry, only)
            if close is None:
                close = self._by_words(entry, only, deadline)
        return tuple(
            other for other in close if other.entry_id != entry.entry_id and not other.superseded_by
        )[:NEAREST]

    def _by_vector(self, entry: Entry, only: EntryFilter) -> Sequence[Entry] | None:
        try:
            near = self.neighbours.nearest_to(entry, only, _READ)
        except VectorIndexUnavailableError:
            return None
        if near is None:
            return None
        return [other.entry for other in near if other.closeness >= CLOSE]

    def _by_words(self, entry: Entry, only: EntryFilter, deadline: Deadline) -> Sequence[Entry]:
        lesson = LessonTexts.of(entry)
        terms = informative_words(search_terms(lesson.text))
        try:
            hits = self.keywords.weigh(terms, only, deadline).top(_READ)
        except KeywordIndexUnavailableError:
            return ()
        known = self.neighbours.repository.hydrate([hit.number for hit in hits])
        return [other for other in known if overlap(lesson, LessonTexts.of(other)) >= OVERLAP]
