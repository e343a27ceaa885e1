"""Render items that wait for the user's decision, as text and JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import timestamp
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.project import Registry
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    FileDrift,
    LessonToReview,
    RepairCandidate,
    ReviewItem,
    UntrustedProject,
)
from hardwon.entrypoints.presenters.entries import drift_document, drift_line, entry_document, named
from hardwon.entrypoints.presenters.projects import place_of, why
from hardwon.entrypoints.presenters.text import counted, on_one_line, visible


class ReviewGroup(NamedTuple):
    """
    The items of one cause.

    Attributes:
        title: In the plural.
        keys: The decisions on an item by key, the same on the page.
        together: The keys of decisions that can be taken on all items at once.
        command: The command that decides without a terminal.
    """

    title: str
    keys: Mapping[str, str]
    together: str
    command: str


KEEP = {"k": "keep"}
DEPRECATE = {"d": "deprecate"}
CHANGE = {"e": "edit", "f": "forget"}
GROUPS: Mapping[str, ReviewGroup] = {
    "superseded": ReviewGroup(
        title="superseded by a newer lesson",
        keys={**DEPRECATE, "c": "make it current", "f": "forget"},
        together="d",
        command="hardwon review superseded --drop",
    ),
    "pair": ReviewGroup(
        title="near duplicates",
        keys={
            "k": "keep both",
            "s": "supersede the older",
            "m": "merge",
            "e": "edit the newer",
            "f": "forget the older",
        },
        together="k",
        command="hardwon review OLDER NEWER --replaces",
    ),
    "gone": ReviewGroup(
        title="of which every cited file is gone",
        keys={**KEEP, **DEPRECATE, **CHANGE},
        together="kd",
        command="hardwon review gone --drop",
    ),
    "harmful": ReviewGroup(
        title="harmful",
        keys={**KEEP, **DEPRECATE, **CHANGE},
        together="kd",
        command="hardwon review harmful --drop",
    ),
    "unused": ReviewGroup(
        title="never shown in 90 days",
        keys={**KEEP, **DEPRECATE, **CHANGE},
        together="kd",
        command="hardwon review unused --drop",
    ),
    "note": ReviewGroup(
        title="captured this week",
        keys={**KEEP, **CHANGE},
        together="k",
        command="hardwon review note --keep",
    ),
    "repair": ReviewGroup(
        title="repairs without a cause",
        keys={**KEEP, "f": "drop"},
        together="kf",
        command="hardwon review repair --drop",
    ),
    "drift": ReviewGroup(
        title="changed in a knowledge bank",
        keys={"t": "take the file's text over", **CHANGE},
        together="",
        command="hardwon import --changed",
    ),
    "project": ReviewGroup(
        title="untrusted projects",
        keys={"k": "keep at home", "t": "trust"},
        together="",
        command="hardwon trust PROJECT",
    ),
}
"""The groups in the order in which they are reviewed."""

SCREEN = 80
INDENT, MARGIN = "     ", "  "
NAME = 30
"""The length of the first of two names on a line."""

BRIEF = 240
"""The length of a text before its decision."""


def sort_of(item: ReviewItem) -> str:
    """Return the name of the group of *item*."""
    match item:
        case DuplicatePair():
            return "pair"
        case FileDrift():
            return "drift"
        case UntrustedProject():
            return "project"
        case RepairCandidate():
            return "repair"
        case LessonToReview(_, cause):
            return cause


def grouped(items: Iterable[ReviewItem]) -> dict[str, list[ReviewItem]]:
    """Return *items* by group, without empty groups."""
    found: dict[str, list[ReviewItem]] = {name: [] for name in GROUPS}
    for item in items:
        found[sort_of(item)].append(item)
    return {name: members for name, members in found.items() if members}


def one_screen(items: Sequence[ReviewItem], limit: int) -> list[ReviewItem]:
    """Return the *limit* first items, of which each group has its share, by group."""
    rounds = zip_longest(*grouped(items).values())
    dealt = [item for turn in rounds for item in turn if item is not None]
    return [item for members in grouped(dealt[:limit]).values() for item in members]


def screen_lines(
    items: Sequence[ReviewItem], limit: int, registry: Registry, width: int = SCREEN
) -> Iterator[str]:
    """Yield a line for each group, and one for each of *limit* items."""
    shown = grouped(one_screen(items, limit))
    for name, members in grouped(items).items():
        title, command = GROUPS[name].title, GROUPS[name].command
        head = f"{title.capitalize()} ({len(members)}): {command}"
        yield shortened(head, width)
        room = width - len(MARGIN)
        yield from (
            f"{MARGIN}{shortened(visible(item_line(item, registry)), room)}"
            for item in shown.get(name, ())
        )
    yield f"{min(limit, len(items))} of {len(items)}; hardwon review in a terminal decides by one key"


def item_line(item: ReviewItem, registry: Registry) -> str:
    """Return the line on *item* in a list."""
    match item:
        case DuplicatePair(older, newer, probability):
            half = shortened(older.name, NAME)
            return f"{older.number} {half} <- {newer.number} {newer.name} ({probability:.0%})"
        case FileDrift(path, heading):
            return f"{heading} in {path}"
        case UntrustedProject(project, label, entries):
            return f"{label}: {why(project, registry)} ({counted(entries, 'entry', 'entries')})"
        case RepairCandidate(note):
            return f"{note.note_id} {note.title}"
        case LessonToReview(entry, _):
            return f"{entry.number} {entry.name} {entry.warning}".strip()


def review_document(item: ReviewItem) -> dict[str, object]:
    """
    Return *item* for JSON.

    Its id is what `hardwon review` and other commands take.
    """
    match item:
        case DuplicatePair(older, newer, probability):
            fields: dict[str, object] = {
                "older": entry_document(older),
                "newer": entry_document(newer),
            }
            named = {"id": f"{older.entry_id} {newer.entry_id}", "name": newer.name}
            return {**named, "sort": "pair", "probability": probability, **fields}
        case UntrustedProject(project, label, entries):
            named = {"id": project.id, "name": label}
            return {
                **named,
                "sort": "project",
                "project": project.id,
                "label": label,
                "entries": entries,
            }
        case LessonToReview(entry, cause):
            named = {"id": entry.entry_id, "name": entry.name}
            return {**named, "sort": cause, "entry": entry_document(entry)}
        case RepairCandidate(note):
            return {"sort": "repair", **repair_document(note)}
        case FileDrift(_, heading, entry):
            named = {"id": entry.entry_id, "name": heading}
            return {**named, "sort": "drift", **drift_document(item)}


def review_lines(item: ReviewItem, registry: Registry) -> Iterator[str]:
    """Yield the lines on *item* before its decision."""
    match item:
        case DuplicatePair(older, newer, probability):
            yield from _lesson(f"{probability:.0%}  older: ", older)
            yield from _lesson(f"{INDENT}newer: ", newer)
        case UntrustedProject(project, label, entries):
            yield f"{label}: {why(project, registry)} ({counted(entries, 'entry', 'entries')})"
            yield f"{INDENT}{place_of(project)}"
        case LessonToReview(entry, cause):
            yield from _lesson(f"{GROUPS[cause].title}: {entry.kind}  ", entry)
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


def _lesson(head: str, entry: Entry) -> Iterator[str]:
    yield f"{head}{named(entry)}"
    yield f"{INDENT}{shortened(on_one_line(entry.description), BRIEF)}"
    if entry.warning:
        yield f"{INDENT}{entry.warning}"
