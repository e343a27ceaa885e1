import datetime as dt

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange, changes_between
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.importance.tiers import NEVER_SEARCHED
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History


@attrs.frozen
class Changed:
    """
    What became of a change.

    Attributes:
        entry: As it now stands in the store.
        changes: The fields that are not as they were; none when all were so already.
        is_searched: Whether searches find it: it is neither deprecated nor expired.

    """

    entry: Entry
    changes: tuple[FieldChange, ...]
    is_searched: bool


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

        `updated_at` moves, and each field that differs gets its line of history. Nothing is
        written when none does. Who makes an old entry temporary makes it expire at once.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: a value is not fit for this entry.
            StorageError: the store can't be written now; nothing was changed.

        """
        with self.repository.transaction():
            now = self.clock.now()
            before, number = known_entry(self.repository, entry_id)
            after = change.applied_to(before)
            if changes := changes_between(before, after):
                self.repository.put(attrs.evolve(after, updated_at=max(before.updated_at, now)))
                self.repository.retire_expired(now)
                self.history.record(number, changes, now)
            entry, _ = known_entry(self.repository, entry_id)
        return Changed(entry, changes, is_searched=_is_searched(entry, now))


def _is_searched(entry: Entry, now: dt.datetime) -> bool:
    is_expired = entry.expires_at is not None and entry.expires_at <= now
    return entry.tier != NEVER_SEARCHED and not is_expired
