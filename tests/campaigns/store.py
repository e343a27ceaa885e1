"""The store after a campaign: what was acknowledged is there, once, and everything is whole."""

import contextlib
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Collection

from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.entrypoints.worker import Worker
from tests.campaigns.figures import Figures
from tests.entrypoints.conversing import now, statuses, written
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.waiting import LONGEST_WAIT

EVERYTHING = "100000"
NOT_NOTED = re.compile(
    r"(?:UserPromptSubmit|Stop): out of time|no event came on standard input in time"
)
"""The lines by which a hook, which ends with 0 whatever happens, says that it did not note what was said."""


def count_lessons(world: World, acknowledged: Collection[str], figures: Figures) -> None:
    """Count the acknowledged lessons that `list` does not show, or shows as seen twice."""
    listed = hardwon(world, "list", "--json", "--limit", EVERYTHING).items
    seen = Counter[str]()
    for item in listed:
        seen[item["description"]] += item["observation_count"]
    _count(seen, acknowledged, figures)


def count_utterances(world: World, acknowledged: Collection[str], figures: Figures) -> None:
    """Let the worker write down what was said, and count what is not in the project's files, or twice."""
    for session in statuses(world):
        note_event(world, session, "end")
    give_up = time.monotonic() + LONGEST_WAIT
    while any(status.waiting for status in statuses(world).values()) and time.monotonic() < give_up:
        Worker(str(world.store), str(world.project)).run()
    logged = world.log.read_text(encoding="utf-8") if world.log.exists() else ""
    figures["not noted, but logged"] += (unnoted := len(NOT_NOTED.findall(logged)))
    quoted = [
        line.removeprefix("> ") for line in written(world).splitlines() if line.startswith("> ")
    ]
    _count(Counter(quoted), acknowledged, figures, unnoted)


def note_event(world: World, session: str, kind: EventKind, text: str = "") -> None:
    """Note an event without a process."""
    note(str(world.store), HookEvent(session, kind, now(), str(world.project), "", text))


def count_damage(world: World, figures: Figures) -> None:
    """Count what `doctor` finds wrong, and what SQLite does."""
    found = hardwon(world, "doctor", "--json").document["findings"]
    figures["not whole"] += sum(not finding["ok"] for finding in found)
    for file in world.store.glob("*.db"):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            figures["not whole"] += connection.execute("PRAGMA integrity_check").fetchall() != [
                ("ok",)
            ]
    if world.log.exists():
        figures["tracebacks"] += world.log.read_text(encoding="utf-8").count("Traceback")


def _count(
    seen: Counter[str], acknowledged: Collection[str], figures: Figures, refused: int = 0
) -> None:
    lost = [text for text in acknowledged if not seen[text]]
    doubled = [text for text, count in seen.items() if count > 1]
    figures["acknowledged"] += len(acknowledged)
    figures["lost"] += max(0, len(lost) - refused)
    figures["doubled"] += len(doubled)
    for text in lost + doubled:
        print(f"{'lost' if text in lost else 'doubled'}: {text}")  # noqa: T201  # a failed test shows it
