"""Commands that look at the store and change nothing."""

import datetime as dt
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.vocabulary import Category
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import (
    NARROW,
    WIDE,
    columns,
    counted,
    entry_document,
    out,
    print_json,
    print_table,
    say,
    shown,
)
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import visible

SHORTEST_PREFIX = 4
MOST = 2**31 - 1
WIDE_COLUMNS = ("id", "category", "seen", "confidence", "updated", "recalls", "name")
MEDIUM_COLUMNS = ("id", "category", "seen", "name")
NARROW_COLUMNS = ("id", "name")


def list_entries(
    *,
    category: Annotated[Category | None, typer.Option(help="Only entries of this category.")] = None,
    limit: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="How many at most.")] = 20,
    offset: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="How many to pass over.")] = 0,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered, the newest first."""
    memory = open_for(project_root, global_store, create=False)
    only = EntryFilter(category=category)
    entries = memory.repository.find(only, limit=limit, offset=offset)
    total = memory.repository.count(only)
    if as_json:
        print_json({"total": total, "offset": offset, "entries": [entry_document(entry) for entry in entries]})
        return
    if entries:
        print_table(_table(entries))
    say(f"{len(entries)} of {counted(total, 'entry', 'entries')}" if total else _nothing(category))


def show(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The id, or at least its first 4 characters.")],
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show one entry with all that is known about it."""
    entry = _entry(open_for(project_root, global_store, create=False), entry_id)
    if as_json:
        print_json(entry_document(entry))
        return
    for text in (entry.name, entry.description, entry.notes, entry.reasoning and f"Why: {entry.reasoning}"):
        if text:
            say(f"{text}\n")
    for name, value in _facts(entry).items():
        say(f"{name:<14}{value}")


def stats(*, project_root: ProjectRoot = ".", global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """Tell what is remembered, how it is searched, and the settings."""
    memory = open_for(project_root, global_store, create=False)
    figures = _statistics(memory)
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        say(f"{name}:")
        for key, each in value.items():
            say(f"  {key or '(universal)':<22}{shown(each)}")


def _nothing(category: Category | None) -> str:
    return f"No {category} are remembered yet" if category else "Nothing is remembered yet: run hardwon import"


def _entry(memory: Memory, reference: str) -> Entry:
    if len(reference) < SHORTEST_PREFIX:
        raise typer.BadParameter(
            f"{reference!r} is too short: give at least {SHORTEST_PREFIX} characters", param_hint="ID"
        )
    ids = memory.repository.ids_starting_with(reference.lower(), 2)
    if len(ids) == 1 and (entry := memory.repository.get(ids[0])):
        return entry
    found = f"more than one entry begins with {reference!r}" if ids else f"no entry has the id {reference!r}"
    raise typer.BadParameter(f"{found} (hardwon list shows them)", param_hint="ID")


def _table(entries: list[Entry]) -> Table:
    """Return a table whose ids are always whole; in a narrow terminal what matters least is left out."""
    rows = [_row(entry) for entry in entries]
    room = columns()
    kept = WIDE_COLUMNS if room >= WIDE else MEDIUM_COLUMNS if room >= NARROW else NARROW_COLUMNS
    table = Table(box=None, pad_edge=False, header_style="" if out.no_color else "bold")
    for column in kept:
        table.add_column(column, no_wrap=column != "name", overflow="fold")
    for row in rows:
        table.add_row(*(row[column] for column in kept))
    return table


def _row(entry: Entry) -> dict[str, Text | str]:
    return {
        "id": entry.entry_id,
        "category": entry.category or "",
        "seen": str(entry.observation_count),
        "confidence": entry.confidence,
        "updated": f"{entry.updated_at:%Y-%m-%d}",
        "recalls": str(entry.recall_count),
        "name": Text(visible(entry.name)),
    }


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.entry_id,
        "category": entry.category,
        "confidence": entry.confidence,
        "observed": f"{counted(entry.observation_count, 'time', 'times')}, last {_moment(entry.updated_at)}",
        "recalled": _recalled(entry),
        "keywords": ", ".join(entry.keywords) or "none",
        "references": ", ".join(entry.references) or "none",
        "source": f"{entry.source}, {entry.source_project or 'universal'}",
        "created": _moment(entry.created_at),
    }


def _recalled(entry: Entry) -> str:
    if entry.last_recalled_at is None:
        return "never"
    return f"{counted(entry.recall_count, 'time', 'times')}, last {_moment(entry.last_recalled_at)}"


def _moment(moment: dt.datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _statistics(memory: Memory) -> dict[str, dict[str, object]]:
    repository, vectors = memory.repository, memory.vectors
    return {
        "entries": {"total": repository.count(LEARNINGS)},
        "by_category": dict(repository.tally(LEARNINGS, "category")),
        "by_confidence": dict(repository.tally(LEARNINGS, "confidence")),
        "by_source": dict(repository.tally(LEARNINGS, "source")),
        "by_project": dict(repository.tally(LEARNINGS, "source_project")),
        "embedding": {
            "provider": vectors.space.provider if vectors else "off",
            "model": vectors.space.model if vectors else "none",
            "dimensions": vectors.space.dimensions if vectors else 0,
            "embedded": vectors.count(EVERYTHING) if vectors else 0,
            "pending": vectors.count_pending(EVERYTHING) if vectors else 0,
        },
        "settings": memory.settings._asdict(),
    }
