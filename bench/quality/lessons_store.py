"""A throw-away store of the labelled lessons, as a session start searches it."""

import datetime as dt
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from bench.quality.labelled import items
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_embed_pending

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
"""The time of the session starts, after the last change of a lesson."""
IN_TIME = Deadline(time.monotonic)


class AtThatTime:
    """A clock that has stopped."""

    def now(self) -> dt.datetime:
        """Return `NOW`."""
        return NOW

    def monotonic(self) -> float:
        """Return the same second, always."""
        return 0.0


class LessonsStore(NamedTuple):
    """The open store, and the labelled ids of its entries by their ids."""

    memory: Memory
    labels: Mapping[str, str]


def lesson_entries() -> dict[str, Entry]:
    """Return all labelled lessons by their labelled ids."""
    return {lesson["id"]: _entry(lesson) for lesson in items("lessons.jsonl")}


@contextmanager
def lessons_store(entries: Mapping[str, Entry] | None = None) -> Iterator[LessonsStore]:
    """
    Yield a temporary store of *entries*, with the embedded model's vectors.

    They are those of `lesson_entries` by default.
    """
    entries = entries or lesson_entries()
    with tempfile.TemporaryDirectory(prefix="hardwon-quality-") as folder:
        memory = open_memory(Settings(global_store=folder, embedding_provider="local"), print)
        with closing(memory):
            with memory.repository.transaction():
                for entry in entries.values():
                    memory.repository.put(entry)
            for embed in build_embed_pending(memory.spaces):
                embed.embed(None, IN_TIME, lambda _: None)
            yield LessonsStore(
                memory._replace(clock=AtThatTime()),
                {entry.entry_id: label for label, entry in entries.items()},
            )


def _entry(lesson: Mapping[str, Any]) -> Entry:
    updated = dt.datetime.fromisoformat(lesson["updated"]).replace(tzinfo=dt.UTC)
    return Entry(
        name=lesson["name"],
        description=lesson["description"],
        category=lesson["category"],
        observation_count=lesson["observations"],
        confidence=lesson["confidence"],
        created_at=updated,
        updated_at=updated,
    )
