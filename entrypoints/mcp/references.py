"""Resolve a client's reference to a memory, and check its access."""

import re
from collections.abc import Iterator

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING, NOWHERE, Workplace
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.ports.entries import EntryRepository

ENTRY_ID = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]{1,18}")
SHOWN_CHARACTERS = 80


def find(repository: EntryRepository, reference: int | str, here: Workplace = NOWHERE) -> Entry:
    """
    Return the memory with that number or id (16 hex digits).

    A text that can be both is an id first: 16 digits are more likely hex than so large a number.

    Args:
        repository: The entries.
        reference: The memory's number, also as text, or its id.
        here: Where the user works; a foreign project does not see memories that may not be shown
            there.
    """
    text = str(reference).strip().lower()
    for entry in _named(repository, text):
        if _may_be_read(repository, entry, here):
            return entry
    raise UnknownEntryError(
        f"no memory has the id {str(reference)[:SHOWN_CHARACTERS]!r}:"
        " give its number or its 16 hex digits, memory_list shows both"
    )


def _named(repository: EntryRepository, text: str) -> Iterator[Entry]:
    if ENTRY_ID.fullmatch(text) and (entry := repository.by_id(text) or repository.reworded(text)):
        yield entry
    if NUMBER.fullmatch(text) and (entry := repository.with_number(int(text))):
        yield entry


def find_own(repository: EntryRepository, reference: int | str, here: Workplace) -> Entry:
    """Return the memory that *reference* names, to change it."""
    entry = find(repository, reference, here)
    if here.visibility.is_foreign and entry.project not in here.own:
        raise ToolError(NOT_OF_HERE)
    return entry


def _may_be_read(repository: EntryRepository, entry: Entry, here: Workplace) -> bool:
    if not here.visibility.is_foreign:
        return True
    only = EVERYTHING._replace(visible_in=here.visibility, among=(entry.number or 0,))
    return repository.count(only) == 1


NOT_OF_HERE = (
    "it is not of this project, which is foreign: nothing else can be changed from here; hardwon"
    " trust changes that"
)
