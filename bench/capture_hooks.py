"""Capture while a session goes on: what each hook costs the user's turn, and how long the worker takes afterwards."""

import datetime as dt
import json
import os
import sys

from bench.figures import Aim, Figure
from bench.processes import Command, clean_environment, measure, script
from bench.texts import Writer
from hardwon.adapters.sqlite.journal.events import note
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent

WORKER = "hardwon.entrypoints.capturing.worker"
MOST_EXCHANGES = 100
WORDS = 120
EVENTS: dict[str, dict[str, object]] = {
    "UserPromptSubmit": {"prompt": ""},
    "Stop": {"last_assistant_message": "", "stop_hook_active": False},
    "PreCompact": {"trigger": "auto", "custom_instructions": None},
    "SessionEnd": {"reason": "other"},
}
MOST_BEYOND_START = Aim(50, "value")
"""Milliseconds of CPU that a hook may take beyond Python's own start."""


def capture_figures(folder: str, lessons: int, repetitions: int) -> list[Figure]:
    """Return the cost of each hook, and of the worker for 100 exchanges with the embedded model, fewer for few *lessons*."""
    worker = _worker(folder, min(lessons, MOST_EXCHANGES), repetitions)
    return [*(_hook(folder, event, repetitions) for event in EVENTS), worker]


def _hook(folder: str, event: str, repetitions: int) -> Figure:
    store, project = os.path.join(folder, f"store-{event}"), _project(folder)
    text = Writer(seed=4).text(WORDS)
    fields = {key: text if value == "" else value for key, value in EVENTS[event].items()}
    payload = {"session_id": "bench", "cwd": project, "hook_event_name": event, **fields}
    command = Command((script("hardwon-hook"),), json.dumps(payload))
    alone = {"HARDWON_CAPTURE_INTERVAL": "20", "HARDWON_PROMPT_ENABLED": "false"}  # neither the worker nor a search
    environment = clean_environment(folder, HARDWON_STORE=store, **alone)
    cost = measure(lambda _: command, environment, repetitions)
    beyond = cost.cpu_ms - cost.cpu_ms / cost.times_pass
    title = f"hook, {event}: CPU beyond Python's start"
    return Figure(f"hook_{event.lower()}", title, 0, beyond, "ms", cost.times_pass, aim=MOST_BEYOND_START)


def _worker(folder: str, exchanges: int, repetitions: int) -> Figure:
    """Measure the worker on sessions that only the hooks were told of."""
    rounds = min(repetitions, 3)
    project = _project(folder)
    stores = [_waiting(os.path.join(folder, f"store-captured-{run}"), project, exchanges) for run in range(rounds + 1)]

    def command(run: int) -> Command:
        return Command((sys.executable, "-P", "-m", WORKER, "--global-store", stores[run], "--project-root", project))

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
