"""The entries that a person may mean by what they type: an id, the beginning of one, or a number (rule U-3)."""

from hardwon.ports.entry_repository import EntryRepository

SHORTEST_PREFIX = 4
LARGEST_NUMBER = 2**63 - 1


def ids_meant(repository: EntryRepository, reference: str, most: int = 2) -> set[str]:
    """Return the ids of the entries that *reference* may name; of those that begin so at most *most* are told."""
    begun = [] if reference.startswith("#") else ids_begun(repository, reference, most)
    return {*ids_numbered(repository, reference.removeprefix("#")), *begun}


def ids_numbered(repository: EntryRepository, digits: str) -> list[str]:
    """Return the id of the entry of that number, if there is one."""
    entry = repository.with_number(int(digits)) if is_number(digits) and int(digits) <= LARGEST_NUMBER else None
    return [entry.entry_id] if entry else []


def ids_begun(repository: EntryRepository, reference: str, most: int = 2) -> list[str]:
    """Return the ids that begin so, *most* at most; too short a beginning names none."""
    return repository.ids_starting_with(reference.lower(), most) if len(reference) >= SHORTEST_PREFIX else []


def is_number(digits: str) -> bool:
    """Tell whether *digits* could be an entry's number; longer ones are none."""
    return digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_NUMBER))
