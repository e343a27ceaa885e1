"""Decisions on what waits for review, in the terminal and on the page."""

from collections.abc import Iterable, Sequence

from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.edit_entries import ChangeEntry, ValidateEntry
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    LessonToReview,
    RepairCandidate,
    ReviewItem,
)
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import build_review_memory
from hardwon.entrypoints.capture import build_keep_repairs, decide_repair
from hardwon.entrypoints.presenters.entries import change_confirmation, judgement, named
from hardwon.entrypoints.presenters.review import GROUPS, grouped
from hardwon.entrypoints.presenters.text import counted


def items_to_review(memory: Memory, project_root: str) -> Sequence[ReviewItem]:
    """Return all that waits for a decision, by group."""
    repairs = build_keep_repairs(memory, project_root).candidates
    found = grouped(build_review_memory(memory, project_root, repairs).items())
    return [item for members in found.values() for item in members]


def settle(memory: Memory, project_root: str, item: ReviewItem, key: str) -> Iterable[str]:
    """Take a decision that needs no text, and return the lines on it."""
    store, clock = memory.store, memory.clock
    match item, key:
        case LessonToReview(entry), "k":
            return [judgement(ValidateEntry.on(store, clock).judge(entry.entry_id, useful=True))]
        case LessonToReview(entry), "d":
            change = EntryChange(importance_tier="deprecated")
            return change_confirmation(ChangeEntry.on(store, clock).apply(entry.entry_id, change))
        case LessonToReview(entry), "c":
            return change_confirmation(Supersede.on(store, clock).apply(entry.entry_id, ""))
        case DuplicatePair(older, newer), "k":
            store.proposals.reject(older.entry_id, newer.entry_id)
            return [f"Both stay: {named(older)}, {named(newer)}"]
        case RepairCandidate(note), _:
            wanted = key == "k"
            decided = decide_repair(memory, project_root, note_id=note.note_id, wanted=wanted)
            return [decided.line, *decided.problems]
        case _:
            raise InvalidEntryError(f"{key!r} is no decision on this item")


def settle_group(memory: Memory, project_root: str, name: str, key: str) -> str:
    """
    Take a decision on all items of a group, and return a line.

    Raises:
        InvalidEntryError: its items are decided one by one.
    """
    group = GROUPS[name]
    if not key or key not in group.together:
        raise InvalidEntryError(f"{group.title}: these are decided one by one")
    members = grouped(items_to_review(memory, project_root)).get(name, [])
    for item in members:
        settle(memory, project_root, item, key=key)
    return f"{group.keys[key].capitalize()}: {counted(len(members), 'item', 'items')} {group.title}"
