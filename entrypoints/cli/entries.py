"""`hardwon list` and `show`."""

import datetime as dt
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import COLLECTIONS, EVERYTHING, EntryFilter, asked_from
from hardwon.domain.model.injection.credits import Credit, Credits
from hardwon.domain.model.injection.receipt import Event
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Category
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.explain_injections import ExplainedInjections, ExplainInjections
from hardwon.domain.use_cases.summarise_usage import SummariseUsage
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.cli.console import (
    NARROW,
    WIDE,
    cell,
    columns,
    out,
    print_items,
    print_json,
    print_table,
    say,
)
from hardwon.entrypoints.cli.options import (
    MOST,
    REFERENCE_HELP,
    AsJson,
    GlobalStore,
    In,
    OfKinds,
    OfProject,
    OfScope,
    OfSpecFolder,
    OfTier,
    OfWorkspace,
    Permanent,
    ProjectRoot,
    Tag,
    chosen,
    find_entry,
    open_for,
)
from hardwon.entrypoints.cli.project import ids_of_origin
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.health_projects import waiting_lines
from hardwon.entrypoints.presenters.entries import entry_document
from hardwon.entrypoints.presenters.outcomes import (
    credit_document,
    credit_text,
    known_text,
    outcomes_of,
    showing_text,
)
from hardwon.entrypoints.presenters.projects import origin_document, origin_line
from hardwon.entrypoints.presenters.text import counted, on_one_line, stored_text, utc_text
from hardwon.entrypoints.presenters.usage import influence_line, use_document
from hardwon.entrypoints.streams import readable
from hardwon.ports.entries import EntryRepository

WIDE_COLUMNS = ("id", "kind", "category", "seen", "confidence", "updated", "recalls", "name")
MEDIUM_COLUMNS = ("id", "kind", "category", "name")
NARROW_COLUMNS = ("id", "name")
ONE_PLACE = "a scope is no part of a project or workspace: give --project or --workspace without it"


def list_entries(
    *,
    collection: In = "all",
    kinds: OfKinds = None,
    category: Annotated[
        Category | None, typer.Option(help="Only learnings of this category.")
    ] = None,
    tag: Tag = None,
    tier: OfTier = None,
    spec_folder: OfSpecFolder = None,
    project: OfProject = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FOLDER",
            help="Only entries made in this project (see hardwon project list).",
        ),
    ] = None,
    workspace: OfWorkspace = None,
    scope: OfScope = None,
    permanent: Permanent = False,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST, metavar="N", help="The maximum number.")
    ] = 20,
    offset: Annotated[
        int, typer.Option(min=0, max=MOST, metavar="N", help="The number to skip.")
    ] = 0,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    List entries, the newest first.

    Learnings that may be shown here, and everything else of this project; with --project, --origin
    or --workspace all of there.
    """
    memory = open_for(project_root, global_store, create=False)
    only = chosen(
        collection, kinds, project=project, workspace=workspace, permanent=permanent, tag=tag
    )
    wanted = only._replace(
        category=category, tier=tier, spec_folder=spec_folder and readable(spec_folder)
    )
    names_place = project is not None or workspace is not None or origin is not None
    if names_place and scope:
        raise typer.BadParameter(ONE_PLACE, param_hint="'--scope'")
    if origin is not None:
        wanted = wanted._replace(origins=ids_of_origin(build_know_projects(memory), origin))
    only = wanted
    if not names_place:
        only = asked_from(
            read_workplace(memory, project_root),
            wanted,
            default=COLLECTIONS[collection].scope,
            scope=scope,
        )
    entries = memory.repository.matching(only, limit=limit, offset=offset)
    total = memory.repository.count(only)
    if as_json:
        used = memory.store.influences.counts(entry.entry_id for entry in entries)
        labels = build_know_projects(memory).registry().labels()
        rows = [
            {
                **entry_document(item),
                "origin": origin_document(item, labels),
                "influence_count": used.get(item.entry_id, 0),
            }
            for item in entries
        ]
        print_items(rows, total=total, offset=offset)
        return
    if entries:
        print_table(_table(entries))
    say(
        f"{len(entries)} of {counted(total, 'entry', 'entries')}"
        if total
        else _nothing(memory.repository, wanted)
    )
    for line in waiting_lines(memory.store, memory.registry()):
        say(line)


def _nothing(repository: EntryRepository, only: EntryFilter) -> str:
    if repository.count(only):
        return "Nothing of that is remembered here: --scope global lists all projects"
    if only == EVERYTHING:
        return "Nothing is remembered yet: run hardwon import"
    if only == EVERYTHING._replace(category=only.category):
        return f"No {only.category} are remembered yet"
    return "Nothing that is remembered is of that kind and place"


def _table(entries: list[Entry]) -> Table:
    """
    Return a table whose ids are never cut.

    Narrow terminals get fewer columns.
    """
    rows = [_row(entry) for entry in entries]
    room = columns()
    kept = WIDE_COLUMNS if room >= WIDE else MEDIUM_COLUMNS if room >= NARROW else NARROW_COLUMNS
    table = Table(box=None, pad_edge=False, header_style="" if out().no_color else "bold")
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
        "name": cell(f"{entry.name} {entry.warning}".strip()),
    }


MAX_CHANGES = 1_000


def show(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also show its changes, the latest first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show one entry with all its data."""
    memory = open_for(project_root, global_store, create=False)
    entry = find_entry(memory.repository, entry_id)
    past = memory.store.history.changes_of(entry.number or 0, MAX_CHANGES) if history else []
    labels = build_know_projects(memory).registry().labels()
    shown = ExplainInjections.on(memory.store, memory.registry()).of_entry(entry.entry_id)
    by_kind = Credits.of(memory.store.receipts.outcomes()).of_entry(entry.entry_id)
    if as_json:
        recorded = {"history": [item._asdict() for item in past]} if history else {}
        used = use_document(SummariseUsage.on(memory.store).of_entry(entry.entry_id))
        used |= {
            "outcomes": outcomes_of(shown),
            "credits": {event: credit_document(credit) for event, credit in by_kind.items()},
        }
        origin = {"origin": origin_document(entry, labels)}
        print_json(
            {
                **entry_document(entry),
                **origin,
                **used,
                **_as_memory(memory.spaces, entry),
                **recorded,
            }
        )
        return
    for text in (
        entry.name,
        entry.description,
        entry.notes,
        entry.reasoning and f"Why: {entry.reasoning}",
    ):
        if text:
            say(f"{stored_text(text)}\n")
    facts = _facts_of_learning(entry) if entry.kind == "learning" else _facts_of_file(entry)
    if entry.warning:
        facts["cited"] = entry.warning
    for name, value in {
        **facts,
        "origin": origin_line(entry, labels),
        **_importance(entry),
    }.items():
        say(f"{name:<14}{on_one_line(str(value))}")
    _say_of_use(SummariseUsage.on(memory.store), entry)
    _say_of_outcomes(by_kind, shown, entry.entry_id)
    for change in past:
        say(
            f"{'changed':<14}{utc_text(change.at)} "
            f" {on_one_line(f'{change.field}: {change.old} -> {change.new}')}"
        )
    if history and not past:
        say(f"{'changed':<14}never")


def _say_of_use(usage: SummariseUsage, entry: Entry) -> None:
    use = usage.of_entry(entry.entry_id)
    used = (
        f"in {counted(use.times, 'session', 'sessions')}"
        if use.times
        else "never, as far as was noticed"
    )
    say(f"{'used':<14}{used}")
    for item in use.newest:
        say(f"{'':<14}{on_one_line(influence_line(item))}")


def _say_of_outcomes(
    by_kind: Mapping[Event, Credit], shown: ExplainedInjections, entry_id: str
) -> None:
    for event, credit in by_kind.items():
        say(f"{'credit':<14}{credit_text(event, credit)}")
    for item in shown.injections:
        if known_text(item, entry_id):
            say(f"{'outcome':<14}{on_one_line(showing_text(item, entry_id))}")


def _as_memory(spaces: Spaces, entry: Entry) -> dict[str, object]:
    if entry.kind not in CONVERSATION_KINDS:
        return {}
    return {
        "text": entry.description,
        "embedding": _embedding(spaces, entry),
        "type": entry.kind,
        "project": entry.source_project,
        "timestamp": int(entry.updated_at.timestamp()),
        "source_file": entry.file_path,
    }


def _embedding(spaces: Spaces, entry: Entry) -> list[float] | None:
    stores = (space.vectors for space in spaces if entry.kind in space.vectors.kinds)
    return next(
        (
            vector.tolist()
            for store in stores
            if (vector := store.vectors_of([entry.entry_id]).get(entry.entry_id))
        ),
        None,
    )


def _facts_of_learning(entry: Entry) -> dict[str, object]:
    tags = {"tags": ", ".join(entry.tags)} if entry.tags else {}
    superseded = {"superseded by": entry.superseded_by} if entry.superseded_by else {}
    return {
        "id": entry.entry_id,
        **superseded,
        "category": entry.category,
        "confidence": entry.confidence,
        "observed": (
            f"{counted(entry.observation_count, 'time', 'times')}, last"
            f" {utc_text(entry.updated_at)}"
        ),
        "recalled": _times(entry.recall_count, entry.last_recalled_at),
        "keywords": ", ".join(entry.keywords) or "none",
        **tags,
        "references": ", ".join(entry.references) or "none",
        "source": f"{entry.source}, {entry.source_project or 'universal'}",
        "created": utc_text(entry.created_at),
    }


def _facts_of_file(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.entry_id,
        "kind": entry.kind,
        "file": entry.file_path,
        "tags": ", ".join(entry.tags) or "none",
        "keywords": ", ".join(entry.keywords) or "none",
        "references": ", ".join(entry.references) or "none",
        "project": entry.source_project or "none",
        "workspace": entry.workspace or "none",
        "branch": entry.branch or "none",
        "permanent": "yes" if entry.permanent else "no",
        "source": entry.source,
        "created": utc_text(entry.created_at),
        "updated": utc_text(entry.updated_at),
    }


def _importance(entry: Entry) -> dict[str, object]:
    total, useful = validations = entry.usage.validations
    judged = (
        f"useful {useful} of {total} times, confidence score {validations.confidence_score:.2f}"
    )
    spec_folder = {"spec folder": entry.spec_folder} if entry.spec_folder else {}
    return {
        "number": entry.number,
        "tier": entry.tier,
        "weight": f"{entry.importance_weight:g}",
        "context type": entry.context_type,
        **spec_folder,
        "triggers": ", ".join(entry.trigger_phrases) or "none",
        "found": _times(entry.usage.access_count, entry.usage.last_accessed),
        "judged": judged if total else "never",
        "expires": utc_text(entry.expires_at) if entry.expires_at else "never",
    }


def _times(count: int, last: dt.datetime | None) -> str:
    return "never" if last is None else f"{counted(count, 'time', 'times')}, last {utc_text(last)}"
