"""What commands print: data to standard output, everything else to standard error."""

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from hardwon.entrypoints.documents import plain
from hardwon.entrypoints.streams import on_one_line, visible

if TYPE_CHECKING:
    from rich.progress import Progress

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

WIDE = 100
NARROW = 60
UNLIMITED = 100_000


def warn(line: str) -> None:
    """Tell of trouble that stops nothing."""
    err.print("Warning:", style="yellow", end=" ")
    complain(line)


def complain(line: str) -> None:
    """Print a line to standard error."""
    err.print(on_one_line(line), markup=False, emoji=False)


def say(text: str = "") -> None:
    """Print a text as it is; only control characters are spelt out."""
    print(visible(text))


def print_json(document: object) -> None:
    """Print *document* for scripts: values of ours as objects, moments as ISO 8601."""
    print(json.dumps(plain(document), indent=2, ensure_ascii=not sys.stdout.encoding.lower().startswith("utf")))


def print_items(items: Iterable[object], **about: object) -> None:
    """Print a list for scripts, as one object: *items* under that name, then what is known *about* them."""
    print_json({"items": list(items), **about})


def print_table(table: Table) -> None:
    """Print *table* as wide as the terminal, unlimited where there is none, so that scripts get whole lines."""
    console = out if out.is_terminal else Console(width=UNLIMITED, highlight=False, soft_wrap=True)
    console.print(table)


def columns() -> int:
    """Return how many columns of text there is room for."""
    return out.width if out.is_terminal else UNLIMITED


def progress() -> "Progress":
    """Return a progress bar on standard error that goes away when it is done; none without a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # 15 ms

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def download_progress() -> "Progress":
    """Return a bar for bytes on standard error."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn  # 15 ms

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=err,
        transient=True,
    )


def counted(number: int, noun: str, plural: str) -> str:
    """Return *number* with its noun."""
    return f"{number} {noun if number == 1 else plural}"


def shown(value: object) -> str:
    """Return a setting's value as its file would hold it."""
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return (str(value).lower() if isinstance(value, bool) else str(value)) or "(none)"
