"""Index one file: bring its entries up to date with its text."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Literal, TypeAlias

import attrs

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.document import CapturedSection, CapturedSections, Document
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_entry import (
    PLAIN,
    CapturedEntries,
    Defaults,
    overruled,
    section_entries,
    to_entry,
)
from hardwon.domain.model.file_state import AbsentFile
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.stored_values import note_absence, record_kept, without_file_values
from hardwon.ports.activity import History, UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import Absences, Tombstones
from hardwon.ports.override import override
from hardwon.ports.repository import FileVersions


def sections_below(repository: EntryRepository, entry: Entry) -> list[Entry]:
    """
    Return the sections of the file of *entry*.

    There are none if it is a section or has no file.
    """
    entries = [] if entry.anchor_id else repository.of_file(entry.file_path or "")
    return [section for section in entries if section.anchor_id]


def follows(section: Entry, whole: Entry) -> bool:
    """
    Return whether *section* gets the tier of its file.

    It does unless a tier was set for the section itself.
    """
    return section.tier != whole.tier and not section.own_tier


def put_in_place(repository: EntryRepository, whole: Entry) -> Entry:
    """
    Replace the entries of a file by *whole*.

    Returns it as stored.
    """
    with repository.transaction():
        replace(repository, repository.of_file(whole.file_path or ""), [whole])
        return repository.by_id(whole.entry_id) or whole


def replace(
    repository: EntryRepository, earlier: Iterable[Entry], entries: Sequence[Entry]
) -> None:
    """Replace the *earlier* entries of a file, within the open transaction."""
    staying = {entry.entry_id for entry in entries}
    repository.prefetch(lambda: [*map(repository.put, entries)])
    with repository.batch():
        for entry in earlier:
            if entry.entry_id not in staying:
                repository.delete(entry.entry_id)
        for entry in entries:
            repository.put(entry)


Selection: TypeAlias = Literal["changed", "deleted", "all"]
"""The files to index: changed ones, also those whose entries were deleted, or all."""

LEFT_BEHIND = "it holds a text that was forgotten; erase it here too"

Outcome: TypeAlias = Literal["new", "changed", "reindexed", "unchanged", "deleted", "forgotten"]
"""
`reindexed`: with unchanged text.

`deleted`: its entries were deleted and stay so. `forgotten`: as its text was forgotten for good.
"""


@attrs.frozen(kw_only=True)
class IndexedFile:
    """
    The outcome of indexing a file, or of a dry run.

    Attributes:
        entry: The entry of the whole file, or of the first section of a captured file; a new one
            has no number yet.
        sections: The number of its sections with an entry.
        warnings: Parts of it that could not be read, one line each.
    """

    outcome: Outcome
    entry: Entry | None = None
    sections: int = 0
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class IndexOneFile:
    """
    Index a file: the whole and the named sections of a document.

    A captured file has entries for its sections only.

    Attributes:
        versions: Whose the versions of files are: entries of others' versions are kept at home.
        tombstones: Sections deleted from the store that their file still has.
        absences: The state of entries whose files are gone, for when they come back.
        workplace: The origin of files that do not state theirs.
        defaults: Values of new documents that do not state them.
    """

    repository: EntryRepository
    versions: FileVersions
    tombstones: Tombstones
    absences: Absences
    usage: UsageLog
    history: History
    workplace: Workplace
    defaults: Defaults = PLAIN
    clock: Clock

    def index(
        self, document: Document, *, select: Selection = "changed", dry_run: bool = False
    ) -> IndexedFile:
        """
        Bring the entries of *document* up to date, atomically.

        A *dry_run* changes nothing.

        Raises:
            InvalidEntryError: it gives no valid entry; nothing was changed.
        """
        return self.plan(document, select).carry_out(dry_run=dry_run)

    def plan(self, document: Document, select: Selection) -> "FilePlan":
        """Return how the entries of *document* are brought up to date."""
        plan = _DocumentPlan(self, document, select)
        kind = _kind(document, next(iter(plan.known.values()), None))
        captured = document.captured_as(kind)
        if captured.found:
            return _CapturedPlan(
                tools=self, document=document, select=select, captured=captured, kind=kind
            )
        return plan

    def store(self, plans: Iterable["FilePlan"]) -> list[IndexedFile]:
        """
        Carry out *plans* in one transaction.

        Raises:
            InvalidEntryError: one gives no valid entry; nothing was changed.
        """
        with self.repository.batch():
            return [plan.carry_out(dry_run=False) for plan in plans]


def _kind(document: Document, known: Entry | None) -> Kind:
    return document.fields.kind or (known.kind if known else "document")


@attrs.frozen(slots=False)
class FilePlan(ABC):
    """The changes from the stored entries to those of a file."""

    tools: IndexOneFile
    document: Document
    select: Selection

    def carry_out(self, *, dry_run: bool) -> IndexedFile:
        """
        Bring the entries up to date, and return the outcome.

        A dry run changes nothing.
        """
        if self.is_settled:
            return self.settle(dry_run=dry_run)
        made = self.entries  # outside of the transaction
        if dry_run:
            return self.kept({entry.anchor_id: entry for entry in made})
        with self.tools.repository.transaction():
            now = attrs.evolve(self)
            if now.known != self.known:  # changed meanwhile: plan again
                return now.carry_out(dry_run=False)
            return self.write()

    @property
    def is_fresh(self) -> bool:
        """Whether the file is new to the store, and may wait for others."""
        return not (self.known or self.is_settled)

    @cached_property
    @abstractmethod
    def known(self) -> Mapping[str, Entry]:
        """The existing entries, by anchor."""

    @property
    @abstractmethod
    def is_settled(self) -> bool:
        """Whether the entries stay unchanged."""

    @abstractmethod
    def settle(self, *, dry_run: bool) -> IndexedFile:
        """Return the outcome if the entries stay unchanged."""

    @cached_property
    def is_own(self) -> bool:
        """Whether the file is in the user's version."""
        return self.tools.versions.version_of(self.document.path).is_own

    def is_accepted(self, known: Entry) -> bool:
        """Return whether *known* is in the user's version by now."""
        return known.is_of_others and self.is_own

    def placed(self, entry: Entry, known: Entry | None) -> Entry:
        """Return *entry* with its reach, home for others' versions."""
        reach = "shared" if known and known.is_of_others else entry.reach
        if reach != "shared" or self.is_own:
            return entry if reach == entry.reach else attrs.evolve(entry, reach=reach)
        return attrs.evolve(entry, reach="home", door="checkout")

    @cached_property
    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """The entries to store."""

    @abstractmethod
    def kept(self, entries: Mapping[str, Entry]) -> IndexedFile:
        """Return the outcome, given the file's *entries* by anchor."""

    @abstractmethod
    def write(self) -> IndexedFile:
        """Store the entries, and return the outcome."""

    def warnings(self, *complaints: str) -> tuple[str, ...]:
        """Return the complaints about the file's fields and *complaints*."""
        return self.about_file(*self.document.fields.complaints, *complaints)

    def about_file(self, *problems: str) -> tuple[str, ...]:
        """Return *problems* as lines that name the file."""
        return tuple(f"{self.document.path!r}: {problem}" for problem in problems)

    def restore(self, was: AbsentFile, entries: Sequence[Entry]) -> None:
        """Restore counters and history from before the file's absence."""
        tools = self.tools
        for entry in entries:
            stored, standing = (
                tools.repository.by_id(entry.entry_id),
                was.standings.get(entry.anchor_id),
            )
            if stored and stored.number is not None and standing:
                tools.usage.add(stored.number, standing.usage)
                record_kept(tools.history, stored, standing=standing, at=tools.clock.now())
        tools.absences.forget(was.file_path)

    def record_change(self, number: int | None, before: str | None, after: str | None) -> None:
        """Record a changed content hash in the history of the entry."""
        if number is not None and before != after:
            self.tools.history.record(
                number, [FieldChange("content", before, after)], self.tools.clock.now()
            )


class _DocumentPlan(FilePlan):
    """
    The plan of a file with an entry for the whole.

    A document has one for each section, too.
    """

    @cached_property
    def known(self) -> Mapping[str, Entry]:
        return {
            entry.anchor_id: entry for entry in self.tools.repository.of_file(self.document.path)
        }

    @property
    @override
    def is_fresh(self) -> bool:
        return super().is_fresh and self._absent is None

    @property
    def is_settled(self) -> bool:
        return (self._is_unchanged and self.select != "all") or self._is_deleted

    def settle(self, *, dry_run: bool) -> IndexedFile:
        if not self.known:
            if self._is_forgotten:
                return IndexedFile(outcome="forgotten", warnings=self.about_file(LEFT_BEHIND))
            return IndexedFile(outcome="deleted")
        if self.document.mtime != self.known[""].file_mtime and not dry_run:
            with self.tools.repository.transaction():
                for entry in self.tools.repository.of_file(self.document.path):
                    self.tools.repository.put(attrs.evolve(entry, file_mtime=self.document.mtime))
        return IndexedFile(outcome="unchanged", entry=self.known[""], sections=len(self.known) - 1)

    @cached_property
    def entries(self) -> Sequence[Entry]:
        made = self._made(self.known)
        made = self._made(self._absent.over(made)) if self._absent else made
        return [self.placed(entry, self.known.get(entry.anchor_id)) for entry in made]

    def kept(self, entries: Mapping[str, Entry]) -> IndexedFile:
        whole = self.entries[0]
        complaints = self.document.sections.complaints if whole.kind == "document" else ()
        outcome: Outcome = "new"
        if "" in self.known:
            outcome = "reindexed" if self.known[""].file_hash == whole.file_hash else "changed"
        return IndexedFile(
            outcome=outcome,
            entry=entries[""],
            sections=len(self.entries) - 1,
            warnings=self.warnings(*complaints, *overruled(self.document.fields, whole)),
        )

    def write(self) -> IndexedFile:
        tools, whole = self.tools, self.entries[0]
        replace(tools.repository, self.known.values(), self.entries)
        if self._absent:
            self.restore(self._absent, self.entries)
        if not self._deleted:
            tools.tombstones.forget(self.document.path)
        before = self.known.get("")
        if before and before.file_hash and before.entry_id == whole.entry_id:
            self.record_change(before.number, before.file_hash, self.document.file_hash)
        return self.kept({"": whole})

    @property
    def _is_unchanged(self) -> bool:
        """
        Whether the entries have this text.

        Documents of an early store lack their folder and are indexed again.
        """
        whole = self.known.get("")
        is_same = whole is not None and whole.file_hash == self.document.file_hash
        if not is_same or whole is None or self.is_accepted(whole):
            return False
        return whole.kind != "document" or whole.spec_folder is not None

    @property
    def _is_deleted(self) -> bool:
        return not self.known and ("" in self._deleted or self._is_forgotten)

    @cached_property
    def _deleted(self) -> frozenset[str]:
        tombstones, document = self.tools.tombstones, self.document
        return (
            tombstones.deleted(document.path, document.file_hash)
            if self.select == "changed"
            else frozenset()
        )

    @cached_property
    def _absent(self) -> AbsentFile | None:
        return (
            None
            if self.known
            else self.tools.absences.absent_file(self.document.path, self.document.file_hash)
        )

    def _made(self, earlier: Mapping[str, Entry]) -> Sequence[Entry]:
        before = earlier.get("")
        kind = _kind(self.document, before)
        defaults = self.tools.defaults if kind == "document" else PLAIN
        known = without_file_values(before, self.tools.history, defaults) if before else None
        whole = to_entry(
            self.document,
            self.document.fields,
            kind=kind,
            workplace=self.tools.workplace,
            known=known,
            defaults=defaults,
        )
        sections = section_entries(whole, self.document, earlier) if kind == "document" else ()
        return (
            self._remaining(whole),
            *(
                section
                for section in sections
                if section.anchor_id not in self._deleted | self._forgotten
            ),
        )

    def _remaining(self, whole: Entry) -> Entry:
        rest = self._unforgotten(whole.description)
        return whole if rest in {"", whole.description} else attrs.evolve(whole, description=rest)

    @property
    def _is_forgotten(self) -> bool:
        text = self.document.fields.description or self.document.text
        return bool(text) and not self._unforgotten(text)

    @cached_property
    def _unforgotten(self) -> Callable[[str], str]:
        """
        Removes forgotten passages.

        Description and text are mostly the same, and looked up once.
        """
        return cache(self.tools.repository.forgotten.without)

    @cached_property
    def _forgotten(self) -> frozenset[str]:
        forgotten = self.tools.repository.forgotten
        return frozenset(
            part.anchor_id for part in self.document.sections.found if forgotten.holds([part.text])
        )


@attrs.frozen(slots=False)
class _CapturedPlan(FilePlan):
    """
    The plan of a file of captured conversations.

    Anchors identify sections, also across files. An entry belongs to the file that was indexed
    last.
    """

    captured: CapturedSections
    kind: Kind

    @cached_property
    def known(self) -> Mapping[str, Entry]:
        """The entries of the file, and of its sections in other files, by anchor."""
        here = {
            entry.anchor_id: entry for entry in self.tools.repository.of_file(self.document.path)
        }
        missing = (
            section.anchor_id for section in self.captured.found if section.anchor_id not in here
        )
        elsewhere = ((anchor, self.tools.repository.by_id(anchor)) for anchor in missing)
        return here | {anchor: entry for anchor, entry in elsewhere if entry}

    @property
    def is_settled(self) -> bool:
        return self._outcome in {"unchanged", "deleted"}

    def settle(self, *, dry_run: bool) -> IndexedFile:
        del dry_run
        return self.kept(self.known)

    @cached_property
    def entries(self) -> Sequence[Entry]:
        return [self._entry(section) for section in self._due]

    def kept(self, entries: Mapping[str, Entry]) -> IndexedFile:
        first = next((entries.get(section.anchor_id) for section in self._living), None)
        taken = (section.anchor_id for section in self.captured.found if self._is_taken(section))
        complaints = (
            f"the anchor {anchor!r} is left out: it is another memory's id" for anchor in taken
        )
        warnings = () if self.is_settled else self.warnings(*self.captured.complaints, *complaints)
        left = self.about_file(
            *(f"{LEFT_BEHIND}: hardwon forget {anchor}" for anchor in self._forgotten)
        )
        return IndexedFile(
            outcome=self._outcome,
            entry=first,
            sections=len(self._living),
            warnings=(*warnings, *left),
        )

    def write(self) -> IndexedFile:
        note_absence(
            self.tools.absences,
            self.tools.history,
            entries=self._leaving,
            at=self.tools.clock.now(),
        )
        for entry in self._leaving:
            self.tools.repository.delete(entry.entry_id)
        for entry in self.entries:
            self._put(entry, self.known.get(entry.anchor_id))
        if len(self._living) == len(self._free):
            self.tools.tombstones.forget(self.document.path)
        return self.kept(attrs.evolve(self).known)

    @property
    def _outcome(self) -> Outcome:
        if not (self._living or self._of_file):
            return "deleted"
        if self._leaving or not all(map(self._is_current, self._living)):
            return "changed" if self._of_file else "new"
        return "reindexed" if self._due else "unchanged"

    @cached_property
    def _free(self) -> Sequence[CapturedSection]:
        return [section for section in self.captured.found if not self._is_taken(section)]

    @cached_property
    def _living(self) -> Sequence[CapturedSection]:
        return [
            section
            for section in self._free
            if section.anchor_id not in self._forgotten and not self._is_deleted(section)
        ]

    @cached_property
    def _forgotten(self) -> Sequence[str]:
        forgotten = self.tools.repository.forgotten
        return [
            section.anchor_id
            for section in self._free
            if forgotten.holds(read().text for read in [section.read])
        ]

    @cached_property
    def _due(self) -> Sequence[CapturedSection]:
        return [
            section
            for section in self._living
            if self.select == "all" or not self._is_current(section)
        ]

    @cached_property
    def _of_file(self) -> Sequence[Entry]:
        return [entry for entry in self.known.values() if entry.file_path == self.document.path]

    @cached_property
    def _leaving(self) -> Sequence[Entry]:
        staying = {section.anchor_id for section in self._living}
        return [entry for entry in self._of_file if entry.entry_id not in staying]

    def _is_taken(self, section: CapturedSection) -> bool:
        entry = self.known.get(section.anchor_id)
        if entry is None or entry.entry_id != section.anchor_id:
            return False
        return entry.anchor_id != section.anchor_id or self._is_claimed(entry)

    def _is_claimed(self, entry: Entry) -> bool:
        """
        Return whether others' version of the file has a section from another file.

        That file is the user's.
        """
        return entry.file_path != self.document.path and not (entry.is_of_others or self.is_own)

    def _is_deleted(self, section: CapturedSection) -> bool:
        if self.select != "changed" or section.anchor_id in self.known:
            return False
        return section.anchor_id in self.tools.tombstones.deleted(
            self.document.path, section.section_hash
        )

    def _is_current(self, section: CapturedSection) -> bool:
        entry = self.known.get(section.anchor_id)
        wanted = (section.anchor_id, self.document.path, section.section_hash)
        if entry is None or (entry.entry_id, entry.file_path, entry.file_hash) != wanted:
            return False
        return not self.is_accepted(entry)

    def _entry(self, section: CapturedSection) -> Entry:
        """
        Return the entry of a section.

        If it comes back, it has the values from before it was gone.
        """
        making = CapturedEntries(self.document, self.kind, self.tools.workplace)
        known = self.known.get(section.anchor_id)
        entry = making.entry(
            section, without_file_values(known, self.tools.history) if known else None
        )
        was = None if known else self._absent(entry)
        entry = making.entry(section, was.over([entry])[entry.anchor_id]) if was else entry
        return self.placed(entry, known)

    def _absent(self, entry: Entry) -> AbsentFile | None:
        was = self.tools.absences.absent_file(entry.place, "")
        return was if was and was.file_path == entry.place else None

    def _put(self, entry: Entry, known: Entry | None) -> None:
        was = None if known else self._absent(entry)
        self.tools.repository.put(entry)
        if was:
            self.restore(was, [entry])
        if known:
            self.record_change(known.number, known.file_hash, entry.file_hash)
