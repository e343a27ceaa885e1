"""The fresh set of `bench/labelled/fresh`, as entries of one store."""

from collections.abc import Mapping
from typing import Any

import attrs

from bench.quality.labelled import items
from bench.quality.lessons_store import NOW
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Category

CATEGORIES: Mapping[str, Category] = {"gotcha": "anti-patterns", "pattern": "patterns"}
"""The categories of kinds. Decisions and preferences are heuristics."""


def fresh_items(name: str) -> list[dict[str, Any]]:
    """Return the objects of a file of the fresh set."""
    return items(f"fresh/{name}.jsonl")


def fresh_entries() -> dict[str, Entry]:
    """Return all lessons by their labelled ids, older ones with their successors."""
    lessons = fresh_items("lessons")
    entries = {lesson["id"]: _entry(lesson) for lesson in lessons}
    for lesson in lessons:
        if older := lesson.get("supersedes"):
            successor = entries[lesson["id"]].entry_id
            entries[older] = attrs.evolve(entries[older], superseded_by=successor)
    return entries


def fresh_moments(name: str) -> list[dict[str, Any]]:
    """Return the errors or edits, with the fields of the other labelled moments."""
    lessons = {lesson["id"]: lesson for lesson in fresh_items("lessons")}
    return [
        {
            **moment,
            "lesson": lessons[moment["lessons"][0]] if moment["lessons"] else None,
            "tier": "hard" if moment["hard"] else "ordinary",
        }
        for moment in fresh_items(name)
    ]


def _entry(lesson: Mapping[str, Any]) -> Entry:
    return Entry(
        name=lesson["name"],
        description=lesson["text"],
        category=CATEGORIES.get(lesson["kind"], "heuristics"),
        references=tuple(lesson["references"]),
        created_at=NOW,
        updated_at=NOW,
    )
