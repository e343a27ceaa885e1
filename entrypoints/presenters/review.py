"""Render items that wait for the user's decision, as text and JSON."""

from collections.abc import Iterator, Mapping

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import timestamp
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.project import Registry
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    FileDrift,
    RepairCandidate,
    ReviewItem,
    UnjudgedNote,
    UntrustedProject,
)
from hardwon.entrypoints.presenters.entries import drift_document, drift_line, entry_document, named
from hardwon.entrypoints.presenters.projects import place_of, why
from hardwon.entrypoints.presenters.text import counted, on_one_line

SORTS: Mapping[type[ReviewItem], str] = {
    DuplicatePair: "pair",
    FileDrift: "drift",
    UntrustedProject: "project",
    UnjudgedNote: "note",
    RepairCandidate: "repair",
}
INDENT = "     "


def review_document(item: ReviewItem) -> dict[str, object]:
    """Return *item* for JSON."""
    match item:
        case DuplicatePair(older, newer, probability):
            fields: dict[str, object] = {
                "older": entry_document(older),
                "newer": entry_document(newer),
            }
            return {"sort": "pair", "probability": probability, **fields}
        case UntrustedProject(project, label, entries):
            return {"sort": "project", "project": project.id, "label": label, "entries": entries}
        case UnjudgedNote(entry):
            return {"sort": "note", "entry": entry_document(entry)}
        case RepairCandidate(note):
            return {"sort": "repair", **repair_document(note)}
        case _:
            return {"sort": "drift", **drift_document(item)}


def review_lines(item: ReviewItem, registry: Registry) -> Iterator[str]:
    """Yield the lines on *item*, with the deciding commands last."""
    match item:
        case DuplicatePair(older, newer, probability):
            yield from _lesson(f"{probability:.0%}  older: ", older)
            yield from _lesson(f"{INDENT}newer: ", newer)
            yield (
                f"{INDENT}hardwon review {older.number} {newer.number} --replaces, --merge or"
                " --keep-both"
            )
        case UntrustedProject(project, label, entries):
            yield f"{label}: {why(project, registry)} ({counted(entries, 'entry', 'entries')})"
            yield f"{INDENT}hardwon trust {place_of(project)}, or with --revoke"
        case UnjudgedNote(entry):
            yield from _lesson(f"captured this week: {entry.kind}  ", entry)
            yield (
                f"{INDENT}hardwon validate {entry.number} --useful, hardwon edit or hardwon forget"
            )
        case RepairCandidate(note):
            yield from _repair(note)
        case _:
            yield drift_line(item)


def repair_document(note: RepairNote) -> dict[str, object]:
    """Return a repair for JSON."""
    repair = note.repair
    return {
        "id": note.note_id,
        "name": note.title,
        "command": repair.command,
        "times": repair.times,
        "signature": repair.signature,
        "at": timestamp(repair.at),
        **{name: value for name, value in repair.fix._asdict().items() if value},
    }


def _repair(note: RepairNote) -> Iterator[str]:
    fix = note.repair.fix
    changes = (*(f"{path} changed" for path in fix.files), *fix.commands, fix.passed_as)
    yield f"{note.title}: {note.repair.command}"
    yield f"{INDENT}before it passed: {'; '.join(filter(None, changes))}"
    yield f"{INDENT}hardwon review {note.note_id} --keep, or --drop"


def _lesson(head: str, entry: Entry) -> Iterator[str]:
    yield f"{head}{named(entry)}"
    yield f"{INDENT}{on_one_line(entry.description)}"
