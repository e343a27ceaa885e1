"""
What is to be done about a captured file.

Let an entry stand for each section of a file that conversations were captured in.

Let entries stand for one file.

What became of a file that was to be kept.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal

import attrs

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.document import (
    PLAIN,
    CapturedEntries,
    CapturedFile,
    CapturedSection,
    Defaults,
    SectionEntries,
    captured_file,
    overruled,
    section_entries,
    to_entry,
)
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.formats.document_format import FileFields, MarkdownFile, kind_by_place, read_fields
from hardwon.domain.model.history import FieldChange
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.activity import History, UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import Absences, Tombstones


def stored_of(repository: EntryRepository, path: str) -> list[Entry]:
    """Return the entries that stand for the file at *path*: that of the whole file first, then its sections."""
    whole = repository.with_file(path)
    return [*([whole] if whole else []), *repository.sections_of(path)]


def sections_below(repository: EntryRepository, entry: Entry) -> list[Entry]:
    """Return the sections of the file that *entry* stands for; none for a section and for what has no file."""
    return [] if entry.file_path is None or entry.anchor_id else repository.sections_of(entry.file_path)


def follows(section: Entry, whole: Entry) -> bool:
    """Tell whether *section* is to get the tier of its file: it has another one, which was not set for it alone."""
    return section.tier != whole.tier and not section.own_tier


def put_in_place(repository: EntryRepository, whole: Entry, sections: Sequence[Entry] = ()) -> Entry:
    """
    Let *whole* and *sections* alone stand for a file; return the whole as it is stored.

    Raises:
        StorageError: the store can't be written now; nothing was changed.
    """
    entries = (whole, *sections)
    staying = {entry.entry_id for entry in entries}
    with repository.transaction():
        for earlier in stored_of(repository, whole.file_path or ""):
            if earlier.entry_id not in staying:
                repository.delete(earlier.entry_id)
        for entry in entries:
            repository.put(entry)
        return repository.get(whole.entry_id) or whole


def add_counts(repository: EntryRepository, usage: UsageLog, was: AbsentFile, entries: Sequence[Entry]) -> None:
    """
    Add to the counts of *entries*, which are stored, those of the file that *was*.

    Raises:
        StorageError: the store can't be written now.
    """
    for entry in entries:
        stored = repository.get(entry.entry_id)
        if stored and stored.number is not None and entry.anchor_id in was.standings:
            usage.add(stored.number, was.standings[entry.anchor_id].usage)


def note_absence(absences: Absences, entries: Iterable[Entry], at: dt.datetime) -> None:
    """
    Remember what the store has the word on of *entries*, which stood for what is gone, each where it belongs.

    Raises:
        StorageError: the store can't be written now.
    """
    by_place = sorted(entries, key=lambda entry: entry.place)
    for place, gone in groupby(by_place, key=lambda entry: entry.place):
        absences.keep(AbsentFile(place, {entry.anchor_id: standing_of(entry) for entry in gone}), at)


Outcome = Literal["new", "changed", "again", "unchanged", "deleted"]
"""What became of a file; `again`: its text is as it was, `deleted`: its entry was, and stays so."""


@attrs.frozen(kw_only=True)
class KeptFile:
    """
    What became of a file; of a rehearsal, what would.

    Attributes:
        outcome: In a word.
        entry: What stands for the whole file, of a captured one for its first section; None when nothing does.
        sections: How many of its sections have an entry.
        warnings: What could not be read of it, one line each.

    """

    outcome: Outcome
    entry: Entry | None = None
    sections: int = 0
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class CapturedPlan:
    """
    What is to be done about a file.

    Attributes:
        kept: Its sections but those that were deleted.
        due: Those whose entry is to be made.
        is_partly_deleted: Whether some were deleted.
        known: What stands for the file so far, as a whole or in part.
        is_other: Whether one of its sections is not what the store has.
        warnings: What could not be read of it.

    """

    kept: tuple[CapturedSection, ...]
    due: tuple[CapturedSection, ...]
    is_partly_deleted: bool
    known: tuple[Entry, ...]
    is_other: bool
    warnings: tuple[str, ...]

    @property
    def leaving(self) -> list[Entry]:
        """What stands for it no longer."""
        staying = {each.section.anchor_id for each in self.kept}
        return [entry for entry in self.known if entry.entry_id not in staying]

    @property
    def outcome(self) -> Outcome:
        """What becomes of it."""
        if not (self.kept or self.known):
            return "deleted"
        if self.is_other or self.leaving:
            return "changed" if self.known else "new"
        return "again" if self.due else "unchanged"

    def told(self, entries: Mapping[str, Entry]) -> KeptFile:
        """Return what is told of it, given its *entries*."""
        first = next((entries.get(each.section.anchor_id) for each in self.kept), None)
        warnings = () if self.outcome in {"unchanged", "deleted"} else self.warnings
        return KeptFile(outcome=self.outcome, entry=first, sections=len(self.kept), warnings=warnings)


def stands_for(known: Mapping[str, Entry], path: str, each: CapturedSection) -> bool:
    """Tell whether what the store has of that section is what the file at *path* says."""
    anchor = each.section.anchor_id
    entry = known.get(anchor)
    return entry is not None and (entry.entry_id, entry.file_path, entry.file_hash) == (anchor, path, each.section_hash)


def is_anothers(known: Mapping[str, Entry], each: CapturedSection) -> bool:
    """Tell whether the section bears the id of an entry that is no captured section."""
    anchor = each.section.anchor_id
    entry = known.get(anchor)
    return entry is not None and entry.entry_id == anchor != entry.anchor_id


@attrs.frozen(kw_only=True)
class KeepCaptured:
    """
    Keep the sections of captured files; each is known by its own name, and its entry follows the file read last.

    Attributes:
        repository: The entries.
        tombstones: What was deleted though its file is there.
        absences: What stood for sections that are gone.
        usage: Counts how entries are used.
        history: What became of entries.
        workplace: Where files come from that do not say so.
        clock: The time.

    """

    repository: EntryRepository
    tombstones: Tombstones
    absences: Absences
    usage: UsageLog
    history: History
    workplace: Workplace
    clock: Clock

    def __call__(
        self,
        file: MarkdownFile,
        kind: Kind,
        fields: FileFields,
        captured: CapturedFile,
        *,
        again: bool,
        include_deleted: bool,
        rehearsed: bool,
    ) -> KeptFile:
        """
        Let the store say what the sections of *file* say, all of it or nothing.

        Args:
            file: As it was read.
            kind: What it is kept as.
            fields: What its front matter says.
            captured: Its sections, at least one.
            again: Also those that are as they were.
            include_deleted: Also what was deleted.
            rehearsed: Change nothing, only tell what would be done.

        Raises:
            InvalidEntryError: nothing can be made of one; nothing was changed.
            StorageError: the store can't be written now; nothing was changed.

        """
        known = self._known(file.path, captured)
        plan = self._plan(file, captured, known, again=again, include_deleted=include_deleted)
        if plan.outcome in {"unchanged", "deleted"}:
            return plan.told(known)
        making = CapturedEntries(file, fields, kind, self.workplace)
        made = self._made(making, plan, known)
        if rehearsed:
            return plan.told({entry.anchor_id: entry for entry in made})
        with self.repository.transaction():
            now_known = self._known(file.path, captured)
            if now_known != known:  # somebody was faster
                plan = self._plan(file, captured, now_known, again=again, include_deleted=include_deleted)
                made = self._made(making, plan, now_known)
            self._put(file, made, plan, now_known)
            return plan.told(self._known(file.path, captured))

    def _known(self, path: str, captured: CapturedFile) -> dict[str, Entry]:
        """Return by anchor what stands for the file, and for its sections elsewhere."""
        here = {entry.anchor_id: entry for entry in stored_of(self.repository, path)}
        missing = (each.section.anchor_id for each in captured.found if each.section.anchor_id not in here)
        elsewhere = ((anchor, self.repository.get(anchor)) for anchor in missing)
        return here | {anchor: entry for anchor, entry in elsewhere if entry}

    def _plan(
        self,
        file: MarkdownFile,
        captured: CapturedFile,
        known: Mapping[str, Entry],
        *,
        again: bool,
        include_deleted: bool,
    ) -> CapturedPlan:
        free = [each for each in captured.found if not is_anothers(known, each)]
        taken = [each for each in captured.found if is_anothers(known, each)]
        kept = [each for each in free if include_deleted or not self._is_deleted(file, each, known)]
        complaints = (
            *file.markdown.complaints,
            *captured.complaints,
            *(f"the anchor {each.section.anchor_id!r} is left out: it is another memory's id" for each in taken),
        )
        return CapturedPlan(
            kept=tuple(kept),
            due=tuple(each for each in kept if again or not stands_for(known, file.path, each)),
            is_partly_deleted=len(kept) < len(free),
            known=tuple(entry for entry in known.values() if entry.file_path == file.path),
            is_other=any(not stands_for(known, file.path, each) for each in kept),
            warnings=tuple(f"{file.path!r}: {each}" for each in complaints),
        )

    def _is_deleted(self, file: MarkdownFile, each: CapturedSection, known: Mapping[str, Entry]) -> bool:
        anchor = each.section.anchor_id
        return anchor not in known and anchor in self.tombstones.deleted(file.path, each.section_hash)

    def _made(self, making: CapturedEntries, plan: CapturedPlan, known: Mapping[str, Entry]) -> list[Entry]:
        return [self._entry(making, each, known.get(each.section.anchor_id)) for each in plan.due]

    def _entry(self, making: CapturedEntries, each: CapturedSection, known: Entry | None) -> Entry:
        """Return the entry of a section: of one that comes back, as if it had never been away."""
        entry = making.entry(each, known)
        was = None if known else self._absent(entry)
        return making.entry(each, was.over([entry])[entry.anchor_id]) if was else entry

    def _absent(self, entry: Entry) -> AbsentFile | None:
        was = self.absences.of(entry.place, "")
        return was if was and was.file_path == entry.place else None

    def _put(self, file: MarkdownFile, made: Sequence[Entry], plan: CapturedPlan, known: Mapping[str, Entry]) -> None:
        note_absence(self.absences, plan.leaving, self.clock.now())
        for entry in plan.leaving:
            self.repository.delete(entry.entry_id)
        for entry in made:
            self._put_one(entry, known.get(entry.anchor_id))
        if not plan.is_partly_deleted:
            self.tombstones.forget(file.path)

    def _put_one(self, entry: Entry, known: Entry | None) -> None:
        was = None if known else self._absent(entry)
        self.repository.put(entry)
        if was:
            add_counts(self.repository, self.usage, was, [entry])
            self.absences.forget(was.file_path)
        if known and known.number is not None and known.file_hash != entry.file_hash:
            change = FieldChange("content", known.file_hash, entry.file_hash)
            self.history.record(known.number, [change], self.clock.now())


@attrs.frozen(kw_only=True)
class KeepFile:
    """
    Let an entry stand for a file, and one for each named section of a document; of captured files, for these alone.

    Attributes:
        repository: The entries.
        tombstones: What was deleted though its file is there.
        absences: What stood for files that are gone: one that comes back takes its place again.
        usage: Counts how entries are used.
        history: What became of entries.
        workplace: Where files come from that do not say so.
        project_root: The project's folder, links resolved.
        defaults: What holds of new documents that do not say so.
        clock: The time.

    """

    repository: EntryRepository
    tombstones: Tombstones
    absences: Absences
    usage: UsageLog
    history: History
    workplace: Workplace
    project_root: str
    defaults: Defaults = PLAIN
    clock: Clock

    def __call__(
        self, file: MarkdownFile, *, again: bool = False, revived: bool = False, rehearsed: bool = False
    ) -> KeptFile:
        """
        Let the store say what *file* says, all of it or nothing.

        Args:
            file: As it was read.
            again: Also when the file is as it was.
            revived: Also what was deleted from the file as it is; so does *again*.
            rehearsed: Change nothing, only tell what would be done.

        Raises:
            InvalidEntryError: nothing can be made of it; nothing was changed.
            StorageError: the store can't be written now; nothing was changed.

        """
        work = _Work(self, file, include_deleted=again or revived)
        known = stored_of(self.repository, file.path)
        if kept := work.keep_captured(known, again=again, rehearsed=rehearsed):
            return kept
        if _stands_for(known, file) and not again:
            return self._pass_over(file, known, rehearsed=rehearsed)
        if work.is_deleted(known):
            return KeptFile(outcome="deleted")
        made = work.make(known)
        if rehearsed:
            return made.told(known)
        with self.repository.transaction():
            now_known = stored_of(self.repository, file.path)
            made = made if now_known == known else work.make(now_known)  # somebody was faster
            entry = self._put(file, made, now_known)
        return attrs.evolve(made.told(now_known), entry=entry)

    def _pass_over(self, file: MarkdownFile, known: list[Entry], *, rehearsed: bool) -> KeptFile:
        if file.mtime != known[0].file_mtime and not rehearsed:
            with self.repository.transaction():
                for entry in stored_of(self.repository, file.path):
                    self.repository.put(attrs.evolve(entry, file_mtime=file.mtime))
        return KeptFile(outcome="unchanged", entry=known[0], sections=len(known) - 1)

    def _put(self, file: MarkdownFile, made: "_Made", known: list[Entry]) -> Entry:
        put_in_place(self.repository, made.whole, made.sections.entries)
        if made.was:
            add_counts(self.repository, self.usage, made.was, made.entries)
            self.absences.forget(made.was.file_path)
        entry = self.repository.get(made.whole.entry_id) or made.whole
        if not made.is_partly_deleted:
            self.tombstones.forget(file.path)
        earlier = known[0].file_hash if known and known[0].entry_id == entry.entry_id else None
        if earlier and earlier != file.file_hash and entry.number is not None:
            change = FieldChange("content", earlier, file.file_hash)
            self.history.record(entry.number, [change], self.clock.now())
        return entry


@attrs.frozen
class _Made:
    """What a file was made into."""

    whole: Entry
    sections: SectionEntries
    is_partly_deleted: bool
    warnings: tuple[str, ...]
    was: AbsentFile | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (self.whole, *self.sections.entries)

    def told(self, known: list[Entry]) -> KeptFile:
        is_known = bool(known) and not known[0].anchor_id
        is_same = is_known and known[0].file_hash == self.whole.file_hash
        outcome: Outcome = "again" if is_same else "changed" if is_known else "new"
        return KeptFile(outcome=outcome, entry=self.whole, sections=len(self.sections.entries), warnings=self.warnings)


class _Work:
    """The making of entries out of one file."""

    def __init__(self, tools: KeepFile, file: MarkdownFile, *, include_deleted: bool) -> None:
        self._tools = tools
        self._file = file
        self._fields = read_fields(file.markdown.front_matter)
        self._include_deleted = include_deleted
        deleted = () if include_deleted else tools.tombstones.deleted(file.path, file.file_hash)
        self._deleted = frozenset(deleted)

    def keep_captured(self, known: list[Entry], *, again: bool, rehearsed: bool) -> KeptFile | None:
        """Keep a file that was captured section by section; return None for any other."""
        kind = self._kind(known[0] if known else None)
        found = captured_file(self._file, kind, self._fields.complaints)
        if not found.found:
            return None
        tools = {field: getattr(self._tools, field) for field in attrs.fields_dict(KeepCaptured)}
        return KeepCaptured(**tools)(
            self._file,
            kind,
            self._fields,
            found,
            again=again,
            include_deleted=self._include_deleted,
            rehearsed=rehearsed,
        )

    def is_deleted(self, known: list[Entry]) -> bool:
        return not known and "" in self._deleted

    def make(self, known: list[Entry]) -> _Made:
        """Return what the file becomes: one that comes back as if it had never been away."""
        was = None if known else self._tools.absences.of(self._file.path, self._file.file_hash)
        made = self._made({entry.anchor_id: entry for entry in known})
        return attrs.evolve(self._made(was.over(made.entries)), was=was) if was else made

    def _made(self, earlier: dict[str, Entry]) -> _Made:
        kind = self._kind(earlier.get(""))
        defaults = self._tools.defaults if kind == "document" else PLAIN
        whole = to_entry(self._file, self._fields, kind, self._tools.workplace, earlier.get(""), defaults=defaults)
        sections = self._sections(whole, earlier)
        complaints = self._file.markdown.complaints + self._fields.complaints + sections.complaints
        complaints += overruled(self._fields, whole)
        return _Made(whole, sections, bool(self._deleted), tuple(f"{self._file.path!r}: {each}" for each in complaints))

    def _sections(self, whole: Entry, earlier: dict[str, Entry]) -> SectionEntries:
        if whole.kind != "document":
            return SectionEntries()
        made = section_entries(whole, self._file.markdown.body, earlier)
        kept = tuple(entry for entry in made.entries if entry.anchor_id not in self._deleted)
        return made._replace(entries=kept)

    def _kind(self, known: Entry | None) -> Kind:
        """Return what the file says it is, else what its place says, else what it was saved as."""
        by_place = kind_by_place(self._file.path, self._tools.project_root)
        return self._fields.kind or by_place or (known.kind if known else "document")


def _stands_for(known: list[Entry], file: MarkdownFile) -> bool:
    """Tell whether *known* is all that *file* would become; a document of an early store lacks its folder."""
    if not known or known[0].anchor_id:
        return False
    return known[0].file_hash == file.file_hash and (known[0].kind != "document" or known[0].spec_folder is not None)
