"""Store a lesson, or count that it was observed once more."""

import attrs

from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.ports.entries import EntryRepository


@attrs.frozen
class Stored:
    """
    The outcome of storing an entry.

    Attributes:
        entry: The entry as stored now.
        merged: Whether the lesson was known.

    """

    entry: Entry
    merged: bool


@attrs.frozen
class StoreEntry:
    """Store a lesson, or count that it was observed once more."""

    repository: EntryRepository

    def keep(self, entry: Entry) -> Stored:
        """
        Store *entry* without its secrets; return the stored entry.

        Raises:
            InvalidEntryError: a text is empty without its secrets.
            StorageError: the store can't be written now; nothing was changed.
        """
        clean = redact_entry(entry)
        with self.repository.transaction():
            known = self.repository.get(clean.entry_id)
            merged = known.observed_again(clean) if known else clean
            self.repository.put(merged)
        return Stored(merged, merged=known is not None)
