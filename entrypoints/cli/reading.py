"""List what is remembered."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EVERYTHING, EntryFilter
from hardwon.domain.model.vocabulary import Category
from hardwon.entrypoints.cli.choosing import (
    MOST,
    In,
    OfKinds,
    OfProject,
    OfSpecFolder,
    OfTier,
    OfWorkspace,
    Permanent,
    Tag,
    chosen,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import (
    NARROW,
    WIDE,
    columns,
    counted,
    out,
    print_items,
    print_table,
    say,
)
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.streams import readable, visible

WIDE_COLUMNS = ("id", "kind", "category", "seen", "confidence", "updated", "recalls", "name")
MEDIUM_COLUMNS = ("id", "kind", "category", "name")
NARROW_COLUMNS = ("id", "name")


def list_entries(
    *,
    collection: In = "all",
    kinds: OfKinds = None,
    category: Annotated[Category | None, typer.Option(help="Only learnings of this category.")] = None,
    tag: Tag = None,
    tier: OfTier = None,
    spec_folder: OfSpecFolder = None,
    project: OfProject = None,
    workspace: OfWorkspace = None,
    permanent: Permanent = False,
    limit: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="How many at most.")] = 20,
    offset: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="How many to pass over.")] = 0,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered, the newest first."""
    memory = open_for(project_root, global_store, create=False)
    only = chosen(collection, kinds, project=project, workspace=workspace, permanent=permanent, tag=tag)
    only = only._replace(category=category, tier=tier, spec_folder=spec_folder and readable(spec_folder))
    entries = memory.repository.find(only, limit=limit, offset=offset)
    total = memory.repository.count(only)
    if as_json:
        used = memory.influences.counts(entry.entry_id for entry in entries)
        rows = [{**entry_document(each), "influence_count": used.get(each.entry_id, 0)} for each in entries]
        print_items(rows, total=total, offset=offset)
        return
    if entries:
        print_table(_table(entries))
    say(f"{len(entries)} of {counted(total, 'entry', 'entries')}" if total else _nothing(only))


def _nothing(only: EntryFilter) -> str:
    if only == EVERYTHING:
        return "Nothing is remembered yet: run hardwon import"
    if only == EVERYTHING._replace(category=only.category):
        return f"No {only.category} are remembered yet"
    return "Nothing that is remembered is of that kind and place"


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
        "kind": entry.kind,
        "category": entry.category or "",
        "seen": str(entry.observation_count),
        "confidence": entry.confidence,
        "updated": f"{entry.updated_at:%Y-%m-%d}",
        "recalls": str(entry.recall_count),
        "name": Text(visible(entry.name)),
    }
