"""What is asked before something is done that can't be taken back by a key."""

import sys
from collections.abc import Iterable
from typing import Annotated, TypeAlias

import typer

from hardwon.entrypoints.cli.screen import complain
from hardwon.entrypoints.streams import on_one_line

Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]


def ask(what: str, *, yes: bool, about: Iterable[str] = ()) -> None:
    """
    Ask before *what* is done; *yes* answers.

    Args:
        what: The question without its first capital and question mark.
        yes: Whether the user agreed already.
        about: Lines that are shown before the question.

    Raises:
        typer.Exit: the answer is no.
        typer.TyperException: there is no terminal to ask at.
    """
    if yes:
        return
    if not can_be_asked():
        raise typer.TyperException(on_one_line(f"nobody can be asked here whether to {what}: give --yes"))
    for line in about:
        complain(line)
    if not agrees(f"{what[0].upper()}{what[1:]}?"):
        complain("Nothing was changed")
        raise typer.Exit


def agrees(question: str) -> bool:
    """Return what a person at a terminal answers; no where there is none."""
    return can_be_asked() and typer.confirm(on_one_line(question), err=True)


def can_be_asked() -> bool:
    """Tell whether a person sits at a terminal."""
    return bool(sys.stdin and sys.stdin.isatty())
