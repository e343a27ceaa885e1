import attrs

from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.ports.entries import EntryRepository


@attrs.frozen
class Stored:
    """
    What became of an entry.

    Attributes:
        entry: As it now stands in the store.
        merged: Whether the lesson was known already.

    """

    entry: Entry
    merged: bool


@attrs.frozen
class StoreEntry:
    """Keep a lesson, or count that it was learned once more."""

    repository: EntryRepository

    def keep(self, entry: Entry) -> Stored:
        """
        Store *entry*, without the secrets in it, and return what is stored now.

        Raises:
            InvalidEntryError: nothing is left of a text once secrets are out.
            StorageError: the store can't be written now; nothing was changed.
        """
        clean = redact_entry(entry)
        with self.repository.transaction():
            known = self.repository.get(clean.entry_id)
            merged = known.observed_again(clean) if known else clean
            self.repository.put(merged)
        return Stored(merged, merged=known is not None)
