"""How a person names an entry, or a project that has some."""

import os

import typer

from hardwon.adapters.markdown.source_files import NOT_STORABLE, is_storable
from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import readable

SHORTEST_PREFIX = 4
LARGEST_NUMBER = 2**63 - 1
REFERENCE_HELP = "The id, or at least its first 4 characters, or the number as '#42'."


def find_entry(memory: Memory, reference: str) -> Entry:
    """
    Return the entry that *reference* names: its id, the beginning of it, or its number.

    Raises:
        typer.BadParameter: it names none, or more than one.
    """
    reference = readable(reference)
    if reference.startswith("#"):
        return _numbered(memory, reference)
    if len(reference) < SHORTEST_PREFIX:
        raise typer.BadParameter(
            f"{reference!r} is too short: give at least {SHORTEST_PREFIX} characters", param_hint="ID"
        )
    ids = memory.repository.ids_starting_with(reference.lower(), 2)
    if len(ids) == 1 and (entry := memory.repository.get(ids[0])):
        return entry
    raise _not_found(f"more than one entry begins with {reference!r}" if ids else f"no entry has the id {reference!r}")


def ensure_storable(project_root: str) -> None:
    """
    Check, before anything is written, that the store can hold the paths of the project's files.

    Raises:
        typer.BadParameter: it can't.
    """
    real = os.path.realpath(project_root)
    if not is_storable(real):
        raise typer.BadParameter(f"{real!r}: {NOT_STORABLE}", param_hint="'--project-root'")


def _numbered(memory: Memory, reference: str) -> Entry:
    digits = reference[1:]
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_NUMBER))
    entries = memory.repository.hydrate([int(digits)]) if is_number and int(digits) <= LARGEST_NUMBER else []
    if not entries:
        raise _not_found(f"no entry has the number {reference!r}")
    return entries[0]


def _not_found(what: str) -> typer.BadParameter:
    return typer.BadParameter(f"{what} (hardwon list shows them)", param_hint="ID")
