"""List what needs the user's decision."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import LEARNINGS, EntryFilter, Workplace
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import BankEntry, BankFile, name_in
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.project import Project, Registry, TrustReason
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.vocabulary import CAPTURED_LESSONS, LESSON_KINDS, Tier
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository, Proposals
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import KnowledgeBank
from hardwon.ports.repository import FileVersions

ALL = 2**31 - 1


class FileDrift(NamedTuple):
    """
    A learning that differs from its file.

    Attributes:
        heading: The heading under which it stood when it was imported.
        text: Its present text under that heading, without secrets; empty if it has none.
    """

    path: str
    heading: str
    entry: Entry
    text: str


@attrs.frozen(slots=False, kw_only=True)
class FindDrift:
    """
    Compare the banks with the store, once for each instance.

    A lesson is edited if its heading was imported, its text is unknown to the store, and the store
    has one lesson of that name from there whose text is no longer in the file. It is removed if the
    heading is gone, and its text from every file. Earlier texts of a lesson are known: a file that
    still has one is not edited. A version that is not the user's edits nothing.
    """

    bank: KnowledgeBank
    repository: EntryRepository
    ledger: ImportLedger
    versions: FileVersions
    workplace: Workplace

    def drifted(self) -> tuple[FileDrift, ...]:
        """
        Return the edited and removed lessons, by file and heading.

        Those of unreadable files are left out.
        """
        return tuple(
            drift for file in self._texts for drift in self._of_file(file) if self._is_own(file)
        )

    def _is_own(self, file: BankFile) -> bool:
        return file.project is None or self.versions.version_of(file.path).is_own

    def _of_file(self, file: BankFile) -> Iterator[FileDrift]:
        present = defaultdict[str, list[str]](list)
        for heading, text in self._texts[file]:
            present[heading].append(text)
        here = {content_hash(text) for _, text in self._texts[file]}
        for heading in sorted(self.ledger.headings(file.path)):
            unknown = [text for text in present[heading] if not self._is_known(text)]
            if present[heading] and not unknown:
                continue
            entries = self._stored(file, heading, here if unknown else self._everywhere)
            if len(entries) == 1 and len(unknown) <= 1:
                yield FileDrift(
                    path=file.path, heading=heading, entry=entries[0], text="".join(unknown)
                )

    def _is_known(self, text: str) -> bool:
        identity = content_hash(text)
        is_entry = self.repository.by_id(identity) or self.repository.reworded(identity)
        return is_entry is not None or self.repository.forgotten.holds([text])

    def _stored(self, file: BankFile, heading: str, except_for: set[str]) -> list[Entry]:
        name = _compared(name_in(heading))
        return [
            entry
            for entry in (self._global if file.project is None else self._local)
            if (entry.category, _compared(entry.name)) == (file.category, name)
            and entry.entry_id not in except_for
        ]

    @cached_property
    def _texts(self) -> dict[BankFile, list[tuple[str, str]]]:
        read = ((file, self.bank.read(file)) for file in self.bank.files())
        return {file: [*_texts_of(entries)] for file, entries in read if entries is not None}

    @cached_property
    def _everywhere(self) -> set[str]:
        return {content_hash(text) for texts in self._texts.values() for _, text in texts}

    @cached_property
    def _local(self) -> list[Entry]:
        return self._searched(LEARNINGS._replace(origins=self.workplace.own or ("",)))

    @cached_property
    def _global(self) -> list[Entry]:
        return [entry for entry in self._searched(LEARNINGS) if entry.reach == "everywhere"]

    def _searched(self, only: EntryFilter) -> list[Entry]:
        return self.repository.matching(only._replace(ranked=True), limit=ALL)


def _texts_of(entries: Sequence[BankEntry]) -> Iterator[tuple[str, str]]:
    texts = ((stored_form(entry.heading), stored_form(entry.text).strip()) for entry in entries)
    return ((heading, text) for heading, text in texts if text)


def _compared(name: str) -> str:
    return plain_title(name).casefold()


CAPTURED_WITHIN = dt.timedelta(days=7)
MAX_PAIRS = 100
MAX_CAPTURED = 100
SUPERSEDED_FOR = dt.timedelta(days=30)
UNUSED_FOR = dt.timedelta(days=90)
MAX_OF_CAUSE = 1_000
"""The number of entries that are read for each cause."""

ALWAYS_KEPT: frozenset[Tier] = frozenset({"constitutional", "critical"})
"""The tiers of entries that need not have been shown."""

NOT_TRUSTED: frozenset[TrustReason] = frozenset({"foreign", "unnamed"})


class DuplicatePair(NamedTuple):
    """A pair of learnings, the newer of which may replace the older."""

    older: Entry
    newer: Entry
    probability: float


class UntrustedProject(NamedTuple):
    """A project whose learnings stay at home until the user decides."""

    project: Project
    label: str
    entries: int


Cause: TypeAlias = Literal["superseded", "gone", "harmful", "unused", "note"]
"""
The cause why an entry waits for a decision.

`superseded`: for 30 days. `gone`: every cited file is gone. `unused`: it was never shown in 90 days. `note`: it was captured
in the last seven days.
"""


class LessonToReview(NamedTuple):
    """An entry that waits for a decision."""

    entry: Entry
    cause: Cause


class RepairCandidate(NamedTuple):
    """A repair without a stated cause, in its first session."""

    note: RepairNote


ReviewItem: TypeAlias = (
    DuplicatePair | FileDrift | UntrustedProject | LessonToReview | RepairCandidate
)


@attrs.frozen(kw_only=True)
class ReviewMemory:
    """
    Collect what needs a decision, without changing anything.

    Attributes:
        harmful: Returns the ids of lessons that did harm.
        first_shown: Returns when entries were first shown, None for never. A store that is younger
            than 90 days knows of no entry that it was not needed.
    """

    repository: EntryRepository
    proposals: Proposals
    drifts: Callable[[], Sequence[FileDrift]]
    registry: Registry
    counts: Mapping[str, int]
    clock: Clock
    repairs: Callable[[], Sequence[RepairNote]] = tuple
    harmful: Callable[[], Iterable[str]] = tuple
    first_shown: Callable[[], dt.date | None] = lambda: None

    def items(self) -> Sequence[ReviewItem]:
        """
        Return all items, pairs the most probable first, others the newest first.

        An entry has one cause, the first.
        """
        lessons: dict[str, LessonToReview] = {}
        for cause, entries in self._by_cause():
            for entry in entries:
                lessons.setdefault(entry.entry_id, LessonToReview(entry, cause))
        repairs = map(RepairCandidate, self.repairs())
        return [*lessons.values(), *self._pairs(), *self.drifts(), *self._untrusted(), *repairs]

    def _by_cause(self) -> Iterator[tuple[Cause, Sequence[Entry]]]:
        now, lessons = self.clock.now(), EntryFilter(kinds=LESSON_KINDS, ranked=True)
        captured = EntryFilter(kinds=CAPTURED_LESSONS, since=now - CAPTURED_WITHIN, ranked=True)
        superseded = self._matching(lessons._replace(superseded=True))
        old = now - SUPERSEDED_FOR
        yield "superseded", [entry for entry in superseded if entry.updated_at <= old]
        yield "gone", self._matching(lessons._replace(gone=True))
        harmful = map(self.repository.by_id, sorted(self.harmful()))
        yield "harmful", [entry for entry in harmful if entry]
        first_shown = self.first_shown()
        if first_shown and first_shown <= (now - UNUSED_FOR).date():
            yield "unused", self._unjudged(lessons._replace(idle_since=now - UNUSED_FOR))
        yield "note", self._unjudged(captured)[:MAX_CAPTURED]

    def _matching(self, only: EntryFilter) -> list[Entry]:
        return self.repository.matching(only, limit=MAX_OF_CAUSE, order="created_at")

    def _unjudged(self, only: EntryFilter) -> list[Entry]:
        return [
            entry
            for entry in self._matching(only)
            if not (entry.permanent or entry.usage.validations.total or entry.tier in ALWAYS_KEPT)
        ]

    def _pairs(self) -> Iterator[DuplicatePair]:
        for proposal in self.proposals.open(MAX_PAIRS):
            older, newer = (
                self.repository.by_id(proposal.older),
                self.repository.by_id(proposal.newer),
            )
            if older and newer:
                yield DuplicatePair(older, newer, proposal.probability)

    def _untrusted(self) -> Iterator[UntrustedProject]:
        for project in self.registry.projects:
            entries = self.counts.get(project.id, 0)
            if entries and self.registry.reason(project) in NOT_TRUSTED:
                yield UntrustedProject(project, self.registry.label_of(project.id), entries)
