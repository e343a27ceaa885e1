import datetime as dt
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange, changes_between
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.importance.tiers import NEVER_SEARCHED
from hardwon.domain.use_cases.filing.file_entries import follows, sections_below
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History


class SectionTiers(NamedTuple):
    """
    How the sections of a file took the tier that was set for it.

    Attributes:
        followed: How many have another tier than before, that of the file.
        kept: How many kept another one, which was set for them alone.

    """

    followed: int = 0
    kept: int = 0


@attrs.frozen
class Changed:
    """
    What became of a change.

    Attributes:
        entry: As it now stands in the store.
        changes: The fields that are not as they were; none when all were so already.
        is_searched: Whether searches find it: it is neither deprecated nor expired.
        sections: What became of the tiers of its sections.

    """

    entry: Entry
    changes: tuple[FieldChange, ...]
    is_searched: bool
    sections: SectionTiers

    @property
    def needs_vectors(self) -> bool:
        """Whether texts may be without their vectors because of it."""
        return self.is_searched and bool(self.changes or self.sections.followed)


@attrs.frozen(kw_only=True)
class ChangeEntry:
    """
    Change fields of an entry, and remember what they were.

    Attributes:
        repository: The entries.
        history: What was changed.
        clock: The time.

    """

    repository: EntryRepository
    history: History
    clock: Clock

    def __call__(self, entry_id: str, change: EntryChange) -> Changed:
        """
        Apply *change* to the entry as it stands now: what others changed meanwhile stays changed.

        When a field differs, `updated_at` moves and the field gets its line of history; otherwise
        both stay as they are. The tier of a file holds for its sections too, but for those that
        were given one themselves, be it the one they had. An old entry that becomes temporary
        expires at once.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: a value is not fit for this entry.
            StorageError: the store can't be written now; nothing was changed.

        """
        with self.repository.transaction():
            now = self.clock.now()
            before, _ = known_entry(self.repository, entry_id)
            after = change.applied_to(before)
            self._put(before, after, now)
            sections = self._hand_down(after, now) if change.importance_tier else SectionTiers()
            self.repository.retire_expired(now)
            entry, _ = known_entry(self.repository, entry_id)
        return Changed(entry, changes_between(before, after), _is_searched(entry, now), sections)

    def _put(self, before: Entry, after: Entry, now: dt.datetime) -> None:
        if after != before and before.number is not None:
            changes = changes_between(before, after)
            moment = max(before.updated_at, now) if changes else before.updated_at
            self.repository.put(attrs.evolve(after, updated_at=moment))
            self.history.record(before.number, changes, now)

    def _hand_down(self, whole: Entry, now: dt.datetime) -> SectionTiers:
        """Give the sections of the file that *whole* stands for its tier."""
        others = [each for each in sections_below(self.repository, whole) if each.tier != whole.tier]
        following = [each for each in others if follows(each, whole)]
        for section in following:
            self._put(section, attrs.evolve(section, tier=whole.tier), now)
        return SectionTiers(len(following), len(others) - len(following))


def _is_searched(entry: Entry, now: dt.datetime) -> bool:
    is_expired = entry.expires_at is not None and entry.expires_at <= now
    return entry.tier != NEVER_SEARCHED and not is_expired
