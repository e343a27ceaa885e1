"""What commands print: data to standard output, everything else to standard error."""

import datetime as dt
import json

import attrs
from cattrs import Converter
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hardwon.domain.model.entry import Entry

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def warn(line: str) -> None:
    """Tell of trouble that stops nothing."""
    err.print(f"[yellow]Warning:[/yellow] {escape(line)}")


def say(text: str = "") -> None:
    """Print a line as it is."""
    out.print(escape(text))


def print_json(document: object) -> None:
    """Print *document* for scripts: values of ours as objects, moments as ISO 8601."""
    out.print(json.dumps(_converter().unstructure(document), indent=2, ensure_ascii=False), markup=False, emoji=False)


def progress() -> Progress:
    """Return a progress bar on standard error that goes away when it is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    )


def entry_document(entry: Entry) -> dict[str, object]:
    """Return *entry* for JSON: its id first."""
    return {"id": entry.entry_id, **attrs.asdict(entry, filter=lambda field, _: field.name != "entry_id")}


def _converter() -> Converter:
    converter = Converter()
    converter.register_unstructure_hook(dt.datetime, lambda moment: moment.isoformat())
    return converter
