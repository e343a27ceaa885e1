"""Commands that look at the store and change nothing."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import LEARNINGS, EntryFilter
from hardwon.domain.model.vocabulary import Category
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import entry_document, out, print_json, say
from hardwon.entrypoints.composition import Memory

SHORTEST_PREFIX = 4


def list_entries(
    *,
    category: Annotated[Category | None, typer.Option(help="Only entries of this category.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many at most.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="How many to pass over.")] = 0,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered, the newest first."""
    memory = open_for(project_root, global_store)
    only = EntryFilter(category=category)
    entries = memory.repository.find(only, limit=limit, offset=offset)
    total = sum(memory.repository.sizes(only).values())
    if as_json:
        print_json({"total": total, "offset": offset, "entries": [entry_document(entry) for entry in entries]})
        return
    if entries:
        out.print(_table(entries))
    say(f"{len(entries)} of {total} entries" if total else "Nothing is remembered yet: run hardwon import")


def show(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The id, or at least its first 4 characters.")],
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show one entry with all that is known about it."""
    entry = _entry(open_for(project_root, global_store), entry_id)
    if as_json:
        print_json(entry_document(entry))
        return
    out.print(Text(entry.name, style="bold"))
    for text in (entry.description, entry.notes, entry.reasoning and f"Why: {entry.reasoning}"):
        if text:
            say(f"\n{text}")
    say()
    for name, value in _facts(entry).items():
        say(f"{name:<14}{value}")


def stats(*, project_root: ProjectRoot = ".", global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """Tell how much is remembered, how it is searched, and what the settings are."""
    memory = open_for(project_root, global_store)
    figures = _statistics(memory)
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        say(f"{name}:")
        for key, each in value.items():
            say(f"  {key or '(universal)':<22}{each}")


def _entry(memory: Memory, reference: str) -> Entry:
    ids = memory.repository.ids_starting_with(reference, 2) if len(reference) >= SHORTEST_PREFIX else []
    if len(ids) == 1 and (entry := memory.repository.get(ids[0])):
        return entry
    found = f"more than one entry begins with {reference!r}" if ids else f"no entry has the id {reference!r}"
    raise typer.BadParameter(f"{found}; hardwon list shows them", param_hint="ID")


def _table(entries: list[Entry]) -> Table:
    table = Table("id", "category", "name", "seen", "confidence", "updated", "recalls", box=None, pad_edge=False)
    for entry in entries:
        table.add_row(
            entry.entry_id,
            entry.category,
            Text(entry.name),
            str(entry.observation_count),
            entry.confidence,
            f"{entry.updated_at:%Y-%m-%d}",
            str(entry.recall_count),
        )
    return table


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.entry_id,
        "category": entry.category,
        "confidence": entry.confidence,
        "observed": f"{entry.observation_count} times, last {entry.updated_at:%Y-%m-%d %H:%M} UTC",
        "recalled": f"{entry.recall_count} times",
        "keywords": ", ".join(entry.keywords) or "none",
        "references": ", ".join(entry.references) or "none",
        "source": f"{entry.source}, {entry.source_project or 'universal'}",
    }


def _statistics(memory: Memory) -> dict[str, dict[str, object]]:
    repository, vectors = memory.repository, memory.vectors
    return {
        "entries": {"total": sum(repository.sizes(LEARNINGS).values())},
        "by_category": dict(repository.tally(LEARNINGS, "category")),
        "by_confidence": dict(repository.tally(LEARNINGS, "confidence")),
        "by_source": dict(repository.tally(LEARNINGS, "source")),
        "by_project": dict(repository.tally(LEARNINGS, "source_project")),
        "embedding": {
            "provider": vectors.space.provider if vectors else "off",
            "model": vectors.space.model if vectors else "none",
            "dimensions": vectors.space.dimensions if vectors else 0,
            "embedded": vectors.count() if vectors else 0,
            "pending": vectors.count_pending() if vectors else 0,
        },
        "settings": memory.settings._asdict(),
    }
