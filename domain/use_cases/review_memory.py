"""Everything that waits for the user's decision: pairs, drift, untrusted projects, and what was captured of late."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.project import Project, Registry, TrustReason
from hardwon.domain.use_cases.bank_drift import Drift
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository, Proposals

CAPTURED_WITHIN = dt.timedelta(days=7)
MAX_PAIRS = 100
MAX_CAPTURED = 100
NOT_TRUSTED: frozenset[TrustReason] = frozenset({"foreign", "unnamed"})


class Pair(NamedTuple):
    """
    Two learnings of which the newer one probably says the same as the older one, or replaces it.

    Attributes:
        probability: That it does.
    """

    older: Entry
    newer: Entry
    probability: float


class Untrusted(NamedTuple):
    """
    A project whose learnings stay at home, without a word of the user on it.

    Attributes:
        label: How it is called.
        entries: The number of its entries, at least 1.
    """

    project: Project
    label: str
    entries: int


class Captured(NamedTuple):
    """A note that was taken from a conversation of the last seven days and not judged yet."""

    entry: Entry


ReviewItem: TypeAlias = Pair | Drift | Untrusted | Captured


@attrs.frozen(kw_only=True)
class ReviewMemory:
    """
    Collect what waits for a decision; nothing is changed.

    Attributes:
        drifts: Finds the lessons that were changed in the knowledge banks by hand.
        registry: The projects.
        counts: The number of entries of each project, by id.
    """

    repository: EntryRepository
    proposals: Proposals
    drifts: Callable[[], Sequence[Drift]]
    registry: Registry
    counts: Mapping[str, int]
    clock: Clock

    def items(self) -> Sequence[ReviewItem]:
        """
        Return all of it: pairs, the most probable first, then drifts, projects, and notes, the newest first.

        Raises:
            StorageError: the store can't be read.
        """
        return [*self._pairs(), *self.drifts(), *self._untrusted(), *self._captured()]

    def _pairs(self) -> Iterator[Pair]:
        for proposal in self.proposals.open(MAX_PAIRS):
            older, newer = self.repository.get(proposal.older), self.repository.get(proposal.newer)
            if older and newer:
                yield Pair(older, newer, proposal.probability)

    def _untrusted(self) -> Iterator[Untrusted]:
        for project in self.registry.projects:
            entries = self.counts.get(project.id, 0)
            if entries and self.registry.reason(project) in NOT_TRUSTED:
                yield Untrusted(project, self.registry.label_of(project.id), entries)

    def _captured(self) -> Iterator[Captured]:
        since = self.clock.now() - CAPTURED_WITHIN
        only = EntryFilter(kinds=("decision", "gotcha", "preference"), since=since, ranked=True)
        for entry in self.repository.find(only, limit=MAX_CAPTURED, order="created_at"):
            if not (entry.permanent or entry.usage.validations.total):
                yield Captured(entry)
