"""Let entries stand for one file."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.files.captured import captured_file
from hardwon.domain.model.files.fields import read_fields
from hardwon.domain.model.files.file_entry import PLAIN, Defaults, to_entry
from hardwon.domain.model.files.kinds import kind_by_place
from hardwon.domain.model.files.markdown import MarkdownFile
from hardwon.domain.model.files.overruled import overruled
from hardwon.domain.model.files.section_entries import SectionEntries, section_entries
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.importance.standing import Departed
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.conversing.keep_captured import KeepCaptured
from hardwon.domain.use_cases.filing.file_entries import add_counts, put_in_place, stored_of
from hardwon.domain.use_cases.filing.kept_file import KeptFile, Outcome
from hardwon.ports.clock import Clock
from hardwon.ports.departures import Departures
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History
from hardwon.ports.tombstones import Tombstones
from hardwon.ports.usage_log import UsageLog


@attrs.frozen(kw_only=True)
class KeepFile:
    """
    Let an entry stand for a file, and one for each named section of a document; of captured files, for these alone.

    Attributes:
        repository: The entries.
        tombstones: What was deleted though its file is there.
        departures: What stood for files that are gone: one that comes back takes its place again.
        usage: Counts how entries are used.
        history: What became of entries.
        workplace: Where files come from that do not say so.
        project_root: The project's folder, links resolved.
        defaults: What holds of new documents that do not say so.
        clock: The time.

    """

    repository: EntryRepository
    tombstones: Tombstones
    departures: Departures
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
        work = _Work(self, file, raises_the_dead=again or revived)
        known = stored_of(self.repository, file.path)
        if kept := work.keep_captured(known, again=again, rehearsed=rehearsed):
            return kept
        if _stands_for(known, file) and not again:
            return self._pass_over(file, known, rehearsed=rehearsed)
        if work.is_buried(known):
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
            self.departures.forget(made.was.file_path)
        entry = self.repository.get(made.whole.entry_id) or made.whole
        if not made.is_partly_buried:
            self.tombstones.lift(file.path)
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
    is_partly_buried: bool
    warnings: tuple[str, ...]
    was: Departed | None = None

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

    def __init__(self, tools: KeepFile, file: MarkdownFile, *, raises_the_dead: bool) -> None:
        self._tools = tools
        self._file = file
        self._fields = read_fields(file.markdown.front_matter)
        self._raises_the_dead = raises_the_dead
        graves = () if raises_the_dead else tools.tombstones.buried(file.path, file.file_hash)
        self._buried = frozenset(graves)

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
            raises_the_dead=self._raises_the_dead,
            rehearsed=rehearsed,
        )

    def is_buried(self, known: list[Entry]) -> bool:
        return not known and "" in self._buried

    def make(self, known: list[Entry]) -> _Made:
        """Return what the file becomes: one that comes back as if it had never been away."""
        was = None if known else self._tools.departures.of(self._file.path, self._file.file_hash)
        made = self._made({entry.anchor_id: entry for entry in known})
        return attrs.evolve(self._made(was.over(made.entries)), was=was) if was else made

    def _made(self, earlier: dict[str, Entry]) -> _Made:
        kind = self._kind(earlier.get(""))
        defaults = self._tools.defaults if kind == "document" else PLAIN
        whole = to_entry(self._file, self._fields, kind, self._tools.workplace, earlier.get(""), defaults=defaults)
        sections = self._sections(whole, earlier)
        complaints = self._file.markdown.complaints + self._fields.complaints + sections.complaints
        complaints += overruled(self._fields, whole)
        return _Made(whole, sections, bool(self._buried), tuple(f"{self._file.path!r}: {each}" for each in complaints))

    def _sections(self, whole: Entry, earlier: dict[str, Entry]) -> SectionEntries:
        if whole.kind != "document":
            return SectionEntries()
        made = section_entries(whole, self._file.markdown.body, earlier)
        living = tuple(entry for entry in made.entries if entry.anchor_id not in self._buried)
        return made._replace(entries=living)

    def _kind(self, known: Entry | None) -> Kind:
        """Return what the file says it is, else what its place says, else what it was saved as."""
        by_place = kind_by_place(self._file.path, self._tools.project_root)
        return self._fields.kind or by_place or (known.kind if known else "document")


def _stands_for(known: list[Entry], file: MarkdownFile) -> bool:
    """Tell whether *known* is all that *file* would become; a document of an early store lacks its folder."""
    if not known or known[0].anchor_id:
        return False
    return known[0].file_hash == file.file_hash and (known[0].kind != "document" or known[0].spec_folder is not None)
