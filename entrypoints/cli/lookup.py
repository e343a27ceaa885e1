"""How a person names an entry, or a project that has some."""

import os

import typer

from hardwon.adapters.markdown.source_files import NOT_STORABLE, is_storable
from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import readable

SHORTEST_PREFIX = 4
LARGEST_NUMBER = 2**63 - 1
REFERENCE_HELP = "The id, or at least its first 4 characters, or the number."


def find_entry(memory: Memory, reference: str) -> Entry:
    """
    Return the entry that *reference* names: its id, the beginning of it, or its number (rule U-3).

    Digits may be the beginning of one entry's id and the number of another: what names two names neither.

    Raises:
        typer.BadParameter: it names none, or more than one.
    """
    reference = readable(reference)
    digits = reference.removeprefix("#")
    numbered, begun = _numbered(memory, digits), [] if reference.startswith("#") else _begun(memory, reference)
    found = {*numbered, *begun}
    if len(found) == 1 and (entry := memory.repository.get(*found)):
        return entry
    if numbered and begun:
        raise _not_found(
            f"{reference!r} begins an id and is a number: give '#{digits}' for the number, or the whole id"
        )
    if begun:
        raise _not_found(f"more than one entry begins with {reference!r}")
    if len(digits) == len(reference) < SHORTEST_PREFIX and not _is_number(digits):
        raise typer.BadParameter(
            f"{reference!r} is too short: give at least {SHORTEST_PREFIX} characters", param_hint="ID"
        )
    raise _not_found(f"no entry has the {'number' if _is_number(digits) else 'id'} {reference!r}")


def ids_meant(memory: Memory, reference: str) -> set[str]:
    """Return the ids of the entries that *reference* may name: none, one, or more, of which two are told at most."""
    begun = [] if reference.startswith("#") else _begun(memory, reference)
    return {*_numbered(memory, reference.removeprefix("#")), *begun}


def ensure_storable(project_root: str) -> None:
    """
    Check, before anything is written, that the store can hold the paths of the project's files.

    Raises:
        typer.BadParameter: it can't.
    """
    real = os.path.realpath(project_root)
    if not is_storable(real):
        raise typer.BadParameter(f"{real!r}: {NOT_STORABLE}", param_hint="'--project-root'")


def _numbered(memory: Memory, digits: str) -> list[str]:
    """Return the id of the entry of that number, if there is one."""
    is_number = _is_number(digits) and int(digits) <= LARGEST_NUMBER
    entry = memory.repository.with_number(int(digits)) if is_number else None
    return [entry.entry_id] if entry else []


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_NUMBER))


def _begun(memory: Memory, reference: str) -> list[str]:
    """Return the ids that begin so, two at most."""
    if len(reference) < SHORTEST_PREFIX:
        return []
    return memory.repository.ids_starting_with(reference.lower(), 2)


def _not_found(what: str) -> typer.BadParameter:
    return typer.BadParameter(f"{what} (hardwon list shows them)", param_hint="ID")
