"""Show one entry."""

import datetime as dt
from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.entrypoints.changing import moment
from hardwon.entrypoints.cli.lookup import REFERENCE_HELP, find_entry
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, say
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.documents import entry_document
from hardwon.entrypoints.influence_telling import influence_line, use_document
from hardwon.entrypoints.streams import on_one_line

MOST_CHANGES = 1_000


def show(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help=REFERENCE_HELP)],
    *,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also what was changed of it, the last change first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show one entry with all that is known about it."""
    memory = open_for(project_root, global_store, create=False)
    entry = find_entry(memory, entry_id)
    past = memory.history.of(entry.number or 0, MOST_CHANGES) if history else []
    if as_json:
        recorded = {"history": [each._asdict() for each in past]} if history else {}
        used = use_document(memory.tell_use.of_entry(entry.entry_id))
        print_json({**entry_document(entry), **used, **_as_memory(memory, entry), **recorded})
        return
    for text in (entry.name, entry.description, entry.notes, entry.reasoning and f"Why: {entry.reasoning}"):
        if text:
            say(f"{text}\n")
    facts = _facts_of_learning(entry) if entry.kind == "learning" else _facts_of_file(entry)
    for name, value in {**facts, **_importance(entry)}.items():
        say(f"{name:<14}{on_one_line(str(value))}")
    _say_of_use(memory, entry)
    for each in past:
        say(f"{'changed':<14}{moment(each.at)}  {on_one_line(f'{each.field}: {each.old} -> {each.new}')}")
    if history and not past:
        say(f"{'changed':<14}never")


def _say_of_use(memory: Memory, entry: Entry) -> None:
    use = memory.tell_use.of_entry(entry.entry_id)
    used = f"in {counted(use.times, 'session', 'sessions')}" if use.times else "never, as far as was noticed"
    say(f"{'used':<14}{used}")
    for each in use.newest:
        say(f"{'':<14}{on_one_line(influence_line(each))}")


def _as_memory(memory: Memory, entry: Entry) -> dict[str, object]:
    """Return the keys of requirement C-T1.3 that an entry's own fields do not have, for the kinds it speaks of."""
    if entry.kind not in CONVERSATION_KINDS:
        return {}
    return {
        "text": entry.description,
        "embedding": _embedding(memory, entry),
        "type": entry.kind,
        "project": entry.source_project,
        "timestamp": int(entry.updated_at.timestamp()),
        "source_file": entry.file_path,
    }


def _embedding(memory: Memory, entry: Entry) -> list[float] | None:
    stores = (space.vectors for space in memory.spaces if entry.kind in space.vectors.kinds)
    return next((vector.tolist() for store in stores if (vector := store.vector_of(entry.entry_id))), None)


def _facts_of_learning(entry: Entry) -> dict[str, object]:
    tags = {"tags": ", ".join(entry.tags)} if entry.tags else {}
    return {
        "id": entry.entry_id,
        "category": entry.category,
        "confidence": entry.confidence,
        "observed": f"{counted(entry.observation_count, 'time', 'times')}, last {moment(entry.updated_at)}",
        "recalled": _times(entry.recall_count, entry.last_recalled_at),
        "keywords": ", ".join(entry.keywords) or "none",
        **tags,
        "references": ", ".join(entry.references) or "none",
        "source": f"{entry.source}, {entry.source_project or 'universal'}",
        "created": moment(entry.created_at),
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
        "created": moment(entry.created_at),
        "updated": moment(entry.updated_at),
    }


def _importance(entry: Entry) -> dict[str, object]:
    total, useful = validations = entry.usage.validations
    judged = f"useful {useful} of {total} times, confidence score {validations.confidence_score:.2f}"
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
        "expires": moment(entry.expires_at) if entry.expires_at else "never",
    }


def _times(count: int, last: dt.datetime | None) -> str:
    return "never" if last is None else f"{counted(count, 'time', 'times')}, last {moment(last)}"
