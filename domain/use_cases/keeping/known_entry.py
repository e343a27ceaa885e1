from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnknownEntryError
from hardwon.ports.entry_repository import EntryRepository


def known_entry(repository: EntryRepository, entry_id: str) -> tuple[Entry, int]:
    """
    Return the entry of that id and its number.

    Raises:
        UnknownEntryError: there is none, or no more.
    """
    entry = repository.get(entry_id)
    if entry is None or entry.number is None:
        raise UnknownEntryError(f"no memory has the id {entry_id!r} any more")
    return entry, entry.number
