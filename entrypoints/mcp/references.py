"""How a tool or a resource names a memory."""

import re
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnknownEntryError
from hardwon.entrypoints.composition import Memory

ENTRY_ID = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]{1,18}")
SHOWN_CHARACTERS = 80


def _reference(value: object) -> object:
    """Refuse at once what is neither: of a choice of two types pydantic would tell two mistakes."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("use the memory's number or its 16 hex digits")  # noqa: TRY004  # pydantic takes no TypeError
    return value


Reference: TypeAlias = Annotated[
    int | str,
    BeforeValidator(_reference),
    Field(description="Which memory: its number (id), or its entryId of 16 hex digits"),
]
"""How a tool takes a memory; `find` looks it up."""


def find(memory: Memory, reference: int | str) -> Entry:
    """
    Return the memory that *reference* names: its number, also as text, or its id of 16 hex digits (rule U-3).

    What can be both is an id before it is a number: 16 digits are more likely hex ones than so large a store.

    Raises:
        UnknownEntryError: there is none.
    """
    text = str(reference).strip().lower()
    if ENTRY_ID.fullmatch(text) and (entry := memory.repository.get(text)):
        return entry
    if NUMBER.fullmatch(text) and (entry := memory.repository.with_number(int(text))):
        return entry
    raise UnknownEntryError(
        f"no memory has the id {str(reference)[:SHOWN_CHARACTERS]!r}:"
        " give its number or its 16 hex digits, memory_list shows both"
    )
