"""
The terminal: output, questions, exit codes.

Data goes to standard output, everything else to standard error.
"""

import json
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypeAlias

from hardwon.entrypoints.cli.parameters import CommandOption, MistakeError
from hardwon.entrypoints.presenters.text import on_one_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text


WIDE = 100
NARROW = 60
UNLIMITED = 100_000
_OVERRULES = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE"})
"""Variables by which rich takes another output for a terminal."""


@cache
def out() -> "Console":
    """Return standard output, for tables and colours."""
    return _console()


def in_terminal() -> bool:
    """
    Return whether rich takes standard output for a terminal.

    It is imported only where that may be so.
    """
    may_be = sys.stdout.isatty() or not _OVERRULES.isdisjoint(os.environ)
    return may_be and out().is_terminal


@cache
def err() -> "Console":
    """Return standard error, for colours and progress."""
    return _console(stderr=True)


def _console(*, stderr: bool = False, width: int | None = None) -> "Console":
    from rich.console import Console  # 30 ms

    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=True)


def warn(line: str) -> None:
    """Print a non-fatal problem."""
    if sys.stderr.isatty():
        err().print("Warning:", style="yellow", end=" ")
    else:
        print("Warning:", end=" ", file=sys.stderr)
    complain(line)


def complain(line: str) -> None:
    """Print a line to standard error."""
    print(on_one_line(line), file=sys.stderr)


def say(text: str = "") -> None:
    """Print a text, sanitized by `visible`."""
    print(visible(text))


_ESCAPED = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Controls that JSON need not escape, and by which a terminal can be steered."""


def print_json(document: object) -> None:
    """Print *document* as JSON, with datetimes in ISO 8601."""
    from hardwon.entrypoints.presenters.entries import plain  # 20 ms

    is_ascii = not sys.stdout.encoding.lower().startswith("utf")
    print(json.dumps(plain(document), indent=2, ensure_ascii=is_ascii).translate(_ESCAPED))


def print_items(items: Iterable[object], **about: object) -> None:
    """Print *items* as JSON in one object, with the fields of *about*."""
    print_json({"items": list(items), **about})


def print_table(table: "Table") -> None:
    """
    Print *table* in the terminal's width, unlimited without a terminal.

    So scripts get whole lines.
    """
    console = out() if sys.stdout.isatty() else _console(width=UNLIMITED)
    console.print(table)


def cell(text: str) -> "Text":
    """Return *text* for a table cell, on one line."""
    from rich.text import Text

    return Text(on_one_line(text))


def columns() -> int:
    """Return the width of the terminal, unlimited without one."""
    return out().width if sys.stdout.isatty() else UNLIMITED


def progress() -> "Progress":
    """Return a transient progress bar on standard error, disabled without a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )  # 15 ms

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err(),
        transient=True,
        disable=not err().is_terminal,
    )


def download_progress() -> "Progress":
    """Return a progress bar for bytes on standard error."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TransferSpeedColumn,
    )  # 15 ms

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=err(),
        transient=True,
    )


def shown(value: object) -> str:
    """Format a setting's value as its file would hold it."""
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    if value is None or value == "":
        return "(none)"
    return str(value).lower() if isinstance(value, bool) else str(value)


Yes: TypeAlias = Annotated[bool, CommandOption("--yes", "-y", help="Do not ask first.")]
DryRun: TypeAlias = Annotated[
    bool, CommandOption("--dry-run", help="Only show what would be done.")
]


def ask(
    what: str,
    *,
    yes: bool,
    dry_run: bool = False,
    as_json: bool = False,
    about: Iterable[str] = (),
) -> None:
    """
    Ask for confirmation of *what*, unless *yes*.

    A dry run prints it and ends the command.
    """
    import typer  # 40 ms, and what asks nothing needs none

    if dry_run:
        _print_plan(what, about, as_json=as_json)
        raise typer.Exit
    if yes:
        return
    for line in about:
        complain(line)
    if not can_be_asked():
        raise MistakeError(on_one_line(f"nobody can be asked here whether to {what}: give --yes"))
    if not agrees(f"{what[0].upper()}{what[1:]}?"):
        complain("Nothing was changed")
        raise typer.Exit


def _print_plan(what: str, about: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"dry_run": True, "would": what, "about": [line.strip() for line in about]})
        return
    say(on_one_line(f"Would {what}"))
    for line in about:
        say(on_one_line(line))


def agrees(question: str) -> bool:
    """
    Ask a person at a terminal.

    Without one the answer is no.
    """
    if not can_be_asked():
        return False
    from typer import confirm  # 40 ms

    return confirm(on_one_line(question), err=True)


def can_be_asked() -> bool:
    """Return whether standard input is a terminal."""
    return bool(sys.stdin and sys.stdin.isatty())


OK, USERS_MISTAKE, OUR_FAILURE = 0, 1, 2
"""The exit codes of every command."""

at_end = ExitStack()
"""Closes what the command opened."""
