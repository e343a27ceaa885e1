"""Let an entry stand for each section of a file that conversations were captured in."""

from collections.abc import Mapping, Sequence

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.files.captured import CapturedEntries, CapturedFile, CapturedSection
from hardwon.domain.model.files.fields import FileFields
from hardwon.domain.model.files.markdown import MarkdownFile
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.importance.standing import Departed
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.conversing.captured_plan import CapturedPlan, is_anothers, stands_for
from hardwon.domain.use_cases.filing.file_entries import add_counts, depart, stored_of
from hardwon.domain.use_cases.filing.kept_file import KeptFile
from hardwon.ports.clock import Clock
from hardwon.ports.departures import Departures
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History
from hardwon.ports.tombstones import Tombstones
from hardwon.ports.usage_log import UsageLog


@attrs.frozen(kw_only=True)
class KeepCaptured:
    """
    Keep the sections of captured files; each is known by its own name, and its entry follows the file read last.

    Attributes:
        repository: The entries.
        tombstones: What was deleted though its file is there.
        departures: What stood for sections that are gone.
        usage: Counts how entries are used.
        history: What became of entries.
        workplace: Where files come from that do not say so.
        clock: The time.

    """

    repository: EntryRepository
    tombstones: Tombstones
    departures: Departures
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
        raises_the_dead: bool,
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
            raises_the_dead: Also what was deleted.
            rehearsed: Change nothing, only tell what would be done.

        Raises:
            InvalidEntryError: nothing can be made of one; nothing was changed.
            StorageError: the store can't be written now; nothing was changed.

        """
        known = self._known(file.path, captured)
        plan = self._plan(file, captured, known, again=again, raises_the_dead=raises_the_dead)
        if plan.outcome in {"unchanged", "deleted"}:
            return plan.told(known)
        making = CapturedEntries(file, fields, kind, self.workplace)
        made = self._made(making, plan, known)
        if rehearsed:
            return plan.told({entry.anchor_id: entry for entry in made})
        with self.repository.transaction():
            now_known = self._known(file.path, captured)
            if now_known != known:  # somebody was faster
                plan = self._plan(file, captured, now_known, again=again, raises_the_dead=raises_the_dead)
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
        raises_the_dead: bool,
    ) -> CapturedPlan:
        free = [each for each in captured.found if not is_anothers(known, each)]
        taken = [each for each in captured.found if is_anothers(known, each)]
        living = [each for each in free if raises_the_dead or not self._is_buried(file, each, known)]
        complaints = (
            *file.markdown.complaints,
            *captured.complaints,
            *(f"the anchor {each.section.anchor_id!r} is left out: it is another memory's id" for each in taken),
        )
        return CapturedPlan(
            living=tuple(living),
            due=tuple(each for each in living if again or not stands_for(known, file.path, each)),
            is_partly_buried=len(living) < len(free),
            known=tuple(entry for entry in known.values() if entry.file_path == file.path),
            is_other=any(not stands_for(known, file.path, each) for each in living),
            warnings=tuple(f"{file.path!r}: {each}" for each in complaints),
        )

    def _is_buried(self, file: MarkdownFile, each: CapturedSection, known: Mapping[str, Entry]) -> bool:
        anchor = each.section.anchor_id
        return anchor not in known and anchor in self.tombstones.buried(file.path, each.section_hash)

    def _made(self, making: CapturedEntries, plan: CapturedPlan, known: Mapping[str, Entry]) -> list[Entry]:
        return [self._entry(making, each, known.get(each.section.anchor_id)) for each in plan.due]

    def _entry(self, making: CapturedEntries, each: CapturedSection, known: Entry | None) -> Entry:
        """Return the entry of a section: of one that comes back, as if it had never been away."""
        entry = making.entry(each, known)
        was = None if known else self._departed(entry)
        return making.entry(each, was.over([entry])[entry.anchor_id]) if was else entry

    def _departed(self, entry: Entry) -> Departed | None:
        was = self.departures.of(entry.place, "")
        return was if was and was.file_path == entry.place else None

    def _put(self, file: MarkdownFile, made: Sequence[Entry], plan: CapturedPlan, known: Mapping[str, Entry]) -> None:
        depart(self.departures, plan.leaving, self.clock.now())
        for entry in plan.leaving:
            self.repository.delete(entry.entry_id)
        for entry in made:
            self._put_one(entry, known.get(entry.anchor_id))
        if not plan.is_partly_buried:
            self.tombstones.lift(file.path)

    def _put_one(self, entry: Entry, known: Entry | None) -> None:
        was = None if known else self._departed(entry)
        self.repository.put(entry)
        if was:
            add_counts(self.repository, self.usage, was, [entry])
            self.departures.forget(was.file_path)
        if known and known.number is not None and known.file_hash != entry.file_hash:
            change = FieldChange("content", known.file_hash, entry.file_hash)
            self.history.record(known.number, [change], self.clock.now())
