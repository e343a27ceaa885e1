"""Delete, change and judge entries, and resolve references."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import attrs

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange, as_text, changes_between
from hardwon.domain.model.errors import InvalidEntryError, StorageError, UnknownEntryError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED
from hardwon.domain.use_cases.index_one_file import follows, sections_below
from hardwon.domain.use_cases.stored_values import note_absence
from hardwon.ports.activity import History, Influences, Receipts, UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import Absences, Tombstone, Tombstones
from hardwon.ports.store import Store

ALL = 2**31 - 1


@attrs.frozen(kw_only=True)
class DeleteEntries:
    """
    Delete entries, and record each in the history.

    Files are never changed.

    Attributes:
        tombstones: Prevent scans from indexing deleted sections again.
    """

    repository: EntryRepository
    tombstones: Tombstones
    absences: Absences
    history: History
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(
            repository=store.entries,
            tombstones=store.tombstones,
            absences=store.absences,
            history=store.history,
            clock=clock,
        )

    def delete(self, entries: Iterable[Entry]) -> list[Entry]:
        """
        Delete *entries* with those that `affected` adds, and return the deleted ones.

        A scan indexes them again when their file has changed.

        Raises:
            StorageError: another member stored one of them; none is deleted.
        """
        with self.repository.transaction():
            deleted = [entry for entry in self.affected(entries) if self._is_deleted(entry)]
            for entry in deleted:
                self._note_deletion(entry)
                self._note(entry)
        return deleted

    def _is_deleted(self, entry: Entry) -> bool:
        if self.repository.delete(entry.entry_id):
            return True
        if self.repository.by_id(entry.entry_id):
            raise StorageError(
                f"{entry.name!r} is another member's: only its author can delete it, or the owner"
                " of the tables; nothing was deleted"
            )
        return False

    def affected(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return *entries* and the sections of whole files among them, without duplicates."""
        return list(
            {
                part.entry_id: part for entry in entries for part in self._with_sections(entry)
            }.values()
        )

    def documents(self, spec_folder: str, folders: Sequence[str]) -> list[Entry]:
        """Return the documents of *spec_folder* below *folders*, with their sections."""
        only = EntryFilter(kinds=("document",), spec_folder=spec_folder)
        found = [
            entry
            for folder in folders
            for entry in self.repository.matching(only._replace(folder=folder), limit=ALL)
        ]
        return list({entry.entry_id: entry for entry in found}.values())

    def spec_folder(self, name: str, folders: Sequence[str]) -> list[Entry]:
        """Delete the entries that `documents` returns, and return them."""
        with self.repository.transaction():
            return self.delete(self.documents(name, folders))

    def gone(self, path: str) -> None:
        """
        Delete the entries of a file that is gone.

        Their state is stored for when the file comes back.
        """
        with self.repository.transaction():
            entries = self.repository.of_file(path)
            note_absence(self.absences, self.history, entries=entries, at=self.clock.now())
            for entry in entries:
                self.repository.delete(entry.entry_id)
                self._note(entry)
            self.tombstones.forget(path)

    def _with_sections(self, entry: Entry) -> list[Entry]:
        is_whole = entry.file_path is not None and not entry.anchor_id
        return self.repository.of_file(entry.file_path or "") if is_whole else [entry]

    def _note_deletion(self, entry: Entry) -> None:
        if entry.file_path:
            self.absences.forget(entry.place)
        if entry.file_path and entry.file_hash:
            self.tombstones.add(
                Tombstone(entry.file_path, entry.anchor_id, entry.file_hash), self.clock.now()
            )

    def _note(self, entry: Entry) -> None:
        if entry.number is not None:
            self.history.record(
                entry.number, [FieldChange("deleted", entry.name, entry.entry_id)], self.clock.now()
            )


def known_entry(repository: EntryRepository, entry_id: str) -> tuple[Entry, int]:
    """
    Return the entry of that id and its number.

    Raises:
        UnknownEntryError: there is none.
    """
    entry = repository.by_id(entry_id)
    if entry is None or entry.number is None:
        raise UnknownEntryError(f"no memory has the id {entry_id!r} any more")
    return entry, entry.number


class SectionTiers(NamedTuple):
    """The effect of a file's new tier on its sections."""

    followed: int = 0
    kept: int = 0


@attrs.frozen
class EditOutcome:
    """
    The outcome of a change.

    Attributes:
        is_searched: Whether searches find it: it is neither deprecated nor expired.
    """

    entry: Entry
    changes: tuple[FieldChange, ...]
    is_searched: bool
    sections: SectionTiers

    @property
    def needs_vectors(self) -> bool:
        """Whether the change may have left texts without a vector."""
        return self.is_searched and bool(self.changes or self.sections.followed)


@attrs.frozen(kw_only=True)
class ChangeEntry:
    """Change fields of an entry, with their history."""

    repository: EntryRepository
    history: History
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(repository=store.entries, history=store.history, clock=clock)

    def apply(self, entry_id: str, change: EntryChange) -> EditOutcome:
        """
        Apply *change* to the stored entry.

        Concurrent changes of other fields are kept. If a field differs, `updated_at` is set and the
        history gets a line for it. The tier of a file applies to its sections too, except those
        whose tier was set for them. An old entry that becomes temporary expires at once. A learning
        with another description has another id, and stays known by the old one.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: a value is invalid for this entry, or another one has that
                description.
            ForgottenError: the user had that description forgotten.
            StorageError: another member stored it, whose tier it keeps; nothing was changed.
        """
        with self.repository.transaction():
            now = self.clock.now()
            before, _ = known_entry(self.repository, entry_id)
            after = change.applied_to(before)
            self._put(before, after, now)
            sections = self._hand_down(after, now) if change.importance_tier else SectionTiers()
            self.repository.retire_expired(now)
            entry, _ = known_entry(self.repository, after.entry_id)
            if entry.tier != after.tier:
                raise StorageError(
                    f"{entry.name!r} is another member's: only its author can change its tier;"
                    " nothing was changed"
                )
        return EditOutcome(
            entry=entry,
            changes=changes_between(before, after),
            is_searched=_is_searched(entry, now),
            sections=sections,
        )

    def _put(self, before: Entry, after: Entry, now: dt.datetime) -> None:
        if after != before and before.number is not None:
            changes = changes_between(before, after)
            changed_at = max(before.updated_at, now) if changes else before.updated_at
            self._replace(before.entry_id, attrs.evolve(after, updated_at=changed_at))
            self.history.record(before.number, changes, now)

    def _replace(self, entry_id: str, after: Entry) -> None:
        if after.entry_id == entry_id:
            return self.repository.put(after)
        if same := self.repository.by_id(after.entry_id):
            raise InvalidEntryError(
                f"another lesson says that: {same.name} (number {same.number}, id:"
                f" {same.entry_id}); delete one of them, or say something else"
            )
        return self.repository.reword(entry_id, after)

    def _hand_down(self, whole: Entry, now: dt.datetime) -> SectionTiers:
        others = [
            section
            for section in sections_below(self.repository, whole)
            if section.tier != whole.tier
        ]
        following = [section for section in others if follows(section, whole)]
        for section in following:
            self._put(section, attrs.evolve(section, tier=whole.tier), now)
        return SectionTiers(len(following), len(others) - len(following))


def _is_searched(entry: Entry, now: dt.datetime) -> bool:
    is_expired = entry.expires_at is not None and entry.expires_at <= now
    return entry.tier != NEVER_SEARCHED and not is_expired


SHORTEST_PREFIX = 4
LARGEST_NUMBER = 2**63 - 1


def ids_meant(repository: EntryRepository, reference: str, most: int = 2) -> set[str]:
    """
    Return the ids of the entries that *reference* may mean.

    It is a number, or the prefix of a present or former id: of these at most *most* are returned.
    """
    begun = [] if reference.startswith("#") else ids_begun(repository, reference, most)
    return {*ids_numbered(repository, reference.removeprefix("#")), *begun}


def ids_numbered(repository: EntryRepository, digits: str) -> list[str]:
    """Return the id of the entry with that number."""
    entry = (
        repository.with_number(int(digits))
        if is_number(digits) and int(digits) <= LARGEST_NUMBER
        else None
    )
    return [entry.entry_id] if entry else []


def ids_begun(repository: EntryRepository, reference: str, most: int = 2) -> list[str]:
    """
    Return at most *most* present or former ids with that prefix.

    A prefix that is too short has none.
    """
    return (
        repository.ids_starting_with(reference.lower(), most)
        if len(reference) >= SHORTEST_PREFIX
        else []
    )


def is_number(digits: str) -> bool:
    """Return whether *digits* can be the number of an entry."""
    return digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_NUMBER))


@attrs.frozen
class ValidationOutcome:
    """
    The outcome of a judgement.

    Attributes:
        offers_promotion: Whether the user may be asked to make it critical; never done
            automatically.
    """

    entry: Entry
    offers_promotion: bool


def _confirmed(entry: Entry) -> Entry:
    return attrs.evolve(
        entry,
        reach="shared" if entry.is_unconfirmed else entry.reach,
        citations=() if entry.warning else entry.citations,
    )


@attrs.frozen(kw_only=True)
class ValidateEntry:
    """Count a judgement of whether an entry was useful."""

    repository: EntryRepository
    usage: UsageLog
    history: History
    receipts: Receipts
    influences: Influences
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(
            repository=store.entries,
            usage=store.usage,
            history=store.history,
            receipts=store.receipts,
            influences=store.influences,
            clock=clock,
        )

    def judge(self, entry_id: str, *, useful: bool, session_id: str = "") -> ValidationOutcome:
        """
        Count one more judgement, and record the new confidence score.

        An entry that was injected into the session *session_id* is confirmed or rejected there;
        without a session, where it was injected last. A repair that is useful is confirmed: it may
        be shown elsewhere, too. The files that a useful entry cites count as they are now.

        Raises:
            UnknownEntryError: there is no such entry.
        """
        with self.repository.transaction():
            before, number = known_entry(self.repository, entry_id)
            self.usage.record_validation(number, useful=useful)
            if useful and (now := _confirmed(before)) != before:
                self.repository.put(now)
            after, _ = known_entry(self.repository, entry_id)
            self.history.record(number, _moved(before, after), self.clock.now())
            self._judge_injection(entry_id, session_id, useful=useful)
        return ValidationOutcome(
            after, offers_promotion=after.usage.validations.offers_promotion(after.tier)
        )

    def _judge_injection(self, entry_id: str, session_id: str, *, useful: bool) -> None:
        last = self.receipts.newest(entry_id=entry_id, session_id=session_id or None, limit=1)
        session_id = next((receipt.session_id for receipt in last), "")
        if not session_id or entry_id not in self.receipts.shown_in(session_id):
            return
        self.receipts.reject(entry_id, session_id, rejected=not useful)
        if useful:
            confirmed = Influence(
                entry_id=entry_id,
                session_id=session_id,
                how="validation",
                phrase="",
                at=self.clock.now(),
            )
            self.influences.record(confirmed)


def _moved(before: Entry, after: Entry) -> list[FieldChange]:
    old, new = (entry.usage.validations.confidence_score for entry in (before, after))
    return [FieldChange("confidence_score", as_text(old), as_text(new))] if old != new else []
