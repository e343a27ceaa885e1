"""How a person names an entry, or a project that has some."""

import os

import typer

from hardwon.adapters.markdown.source_files import NOT_STORABLE, is_storable
from hardwon.domain.model.entry import Entry
from hardwon.domain.use_cases.keeping.named_entries import SHORTEST_PREFIX, ids_begun, ids_numbered, is_number
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import readable

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
    numbered = ids_numbered(memory.repository, digits)
    begun = [] if reference.startswith("#") else ids_begun(memory.repository, reference)
    found = {*numbered, *begun}
    if len(found) == 1 and (entry := memory.repository.get(*found)):
        return entry
    if numbered and begun:
        raise _not_found(
            f"{reference!r} begins an id and is a number: give '#{digits}' for the number, or the whole id"
        )
    if begun:
        raise _not_found(f"more than one entry begins with {reference!r}")
    if len(digits) == len(reference) < SHORTEST_PREFIX and not is_number(digits):
        raise typer.BadParameter(
            f"{reference!r} is too short: give at least {SHORTEST_PREFIX} characters", param_hint="ID"
        )
    raise _not_found(f"no entry has the {'number' if is_number(digits) else 'id'} {reference!r}")


def ensure_storable(project_root: str) -> None:
    """
    Check, before anything is written, that the store can hold the paths of the project's files.

    Raises:
        typer.BadParameter: it can't.
    """
    real = os.path.realpath(project_root)
    if not is_storable(real):
        raise typer.BadParameter(f"{real!r}: {NOT_STORABLE}", param_hint="'--project-root'")


def _not_found(what: str) -> typer.BadParameter:
    return typer.BadParameter(f"{what} (hardwon list shows them)", param_hint="ID")
