"""Let a learning supersede another one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import attrs

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry, PublicEntry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.likeness import MIN_COSINE, MIN_PROBABILITY, LessonTexts, probability
from hardwon.domain.use_cases.edit_entries import ChangeEntry, EditOutcome, known_entry
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry, StoreEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import Proposal, Proposals, RankingReads
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
                _ensure_may_replace(known_entry(repository, newer)[0], older)
            return self.change_entry.apply(older, EntryChange(superseded_by=newer))


def _ensure_may_replace(newer: Entry, older: str) -> None:
    if newer.entry_id == older:
        raise InvalidEntryError("an entry can't supersede itself: name two")
    if newer.kind != "learning":
        raise InvalidEntryError(
            f"{newer.entry_id} is a {newer.kind}: only a learning supersedes another one"
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
        found = probability(_lesson(older), _lesson(newer), cosines[other.number or 0])
        if found >= MIN_PROBABILITY and _is_of_one_trust(older, newer):
            yield Proposal(older.entry_id, newer.entry_id, found)


def _lesson(entry: Entry) -> LessonTexts:
    return LessonTexts(entry.name, entry.description)


def _is_of_one_trust(older: Entry, newer: Entry) -> bool:
    return older.reach == newer.reach and (
        older.project == newer.project or older.reach == "everywhere"
    )
