"""Cost of capture, by each hook and by the worker afterwards."""

import datetime as dt
import json
import os
import sys

from bench.figures import Aim, Figure
from bench.processes import Command, Cost, clean_environment, measure, script
from bench.texts import Writer
from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory

WORKER = "hardwon.entrypoints.worker"
MAX_EXCHANGES = 100
WORDS = 120
INJECTED = 20
EDITS = 10
READ = 40
EVENTS: dict[str, dict[str, object]] = {
    "UserPromptSubmit": {"prompt": ""},
    "Stop": {"last_assistant_message": "", "stop_hook_active": False},
    "PreCompact": {"trigger": "auto", "custom_instructions": None},
    "SessionEnd": {"reason": "other"},
}
BEYOND_START_AIM = Aim(50, "value")
"""Milliseconds of CPU that a hook may take beyond Python's own start."""


def capture_figures(folder: str, lessons: int, repetitions: int) -> list[Figure]:
    """
    Return the cost of each hook, and of the worker for 100 exchanges.

    The worker has the embedded model, and fewer exchanges for few *lessons*.
    """
    worker = _worker(folder, min(lessons, MAX_EXCHANGES), repetitions)
    return [
        *(_hook(folder, event, repetitions) for event in EVENTS),
        _injected(folder, repetitions),
        worker,
    ]


def _hook(folder: str, event: str, repetitions: int) -> Figure:
    cost = _cost(folder, os.path.join(folder, f"store-{event}"), event, repetitions)
    return _figure(f"hook_{event.lower()}", f"hook, {event}: CPU beyond Python's start", 0, cost)


def _injected(folder: str, repetitions: int) -> Figure:
    """
    Measure Stop in a session that was shown lessons and uses none.

    All of it is searched each time.
    """
    store, transcript = (
        os.path.join(folder, "store-injected"),
        os.path.join(folder, "transcript-injected.jsonl"),
    )
    _inject(store)
    writer = Writer(seed=6)
    with open(transcript, "w", encoding="utf-8") as file:
        for place in range(READ + EDITS):
            read = {"type": "tool_result", "content": writer.text(8 * WORDS)}
            edit = {
                "type": "tool_use",
                "name": "Write",
                "input": {"file_path": "a.py", "content": writer.text(WORDS)},
            }
            kind, block = ("user", read) if place < READ else ("assistant", edit)
            file.write(json.dumps({"type": kind, "message": {"content": [block]}}) + "\n")
    cost = _cost(folder, store, "Stop", repetitions, transcript_path=transcript)
    return _figure(
        "hook_stop_injected",
        "hook, Stop, lessons injected: CPU beyond Python's start",
        INJECTED,
        cost,
    )


def _inject(store: str) -> None:
    writer, memory = Writer(seed=7), open_memory(Settings(global_store=store), print)
    entries = [writer.entry() for _ in range(INJECTED)]
    for entry in entries:
        memory.repository.put(entry)
    shown = tuple(ReceiptEntry(entry.entry_id, "lesson", "") for entry in entries)
    frame = ("",) * (INJECTED + 1)
    memory.store.receipts.record(
        Receipt("bench", "start", memory.clock.now(), "", None, None, "hybrid", "", frame, shown)
    )
    memory.close()


def _figure(name: str, title: str, size: int, cost: Cost) -> Figure:
    beyond = cost.cpu_ms - cost.cpu_ms / cost.times_pass
    return Figure(name, title, size, beyond, "ms", cost.times_pass, aim=BEYOND_START_AIM)


def _cost(folder: str, store: str, event: str, repetitions: int, **more: object) -> Cost:
    text = Writer(seed=4).text(WORDS)
    fields = {key: text if value == "" else value for key, value in EVENTS[event].items()}
    payload = {
        "session_id": "bench",
        "cwd": _project(folder),
        "hook_event_name": event,
        **fields,
        **more,
    }
    command = Command((script("hardwon-hook"),), json.dumps(payload))
    # Neither the worker nor a search.
    hook_only = {"HARDWON_CAPTURE_INTERVAL": "20", "HARDWON_PROMPT_ENABLED": "false"}
    return measure(
        lambda _: command, clean_environment(folder, HARDWON_STORE=store, **hook_only), repetitions
    )


def _worker(folder: str, exchanges: int, repetitions: int) -> Figure:
    """Measure the worker on sessions that only the hooks recorded."""
    rounds = min(repetitions, 3)
    project = _project(folder)
    stores = [
        _waiting(os.path.join(folder, f"store-captured-{run}"), project, exchanges)
        for run in range(rounds + 1)
    ]

    def command(run: int) -> Command:
        return Command(
            (
                sys.executable,
                "-P",
                "-m",
                WORKER,
                "--global-store",
                stores[run],
                "--project-root",
                project,
            )
        )

    cost = measure(command, clean_environment(folder), rounds)
    title = f"capture worker: {exchanges} exchanges, embedded model, CPU"
    return Figure("capture_worker", title, exchanges, cost.cpu_ms, "ms", cost.times_pass)


def _waiting(store: str, project: str, exchanges: int) -> str:
    writer, begin = Writer(seed=5), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    kinds: tuple[EventKind, EventKind] = ("prompt", "reply")
    for place in range(2 * exchanges):
        at = (begin + dt.timedelta(minutes=place)).isoformat()
        session_id = os.path.basename(store)
        note(store, HookEvent(session_id, kinds[place % 2], at, project, text=writer.text(WORDS)))
    return store


def _project(folder: str) -> str:
    project = os.path.join(folder, "project-captured")
    os.makedirs(project, exist_ok=True)
    return project
