"""The cost of memory for each prompt: most often a look at its words, else a search, and rarely an entry."""

import json
import os

from bench.figures import Aim, Figure
from bench.processes import Command, clean_environment, measure, script
from bench.stores import add_vectors
from bench.texts import Writer
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.store import open_store

MAX_ENTRIES = 1_000
PROMPTS = {"silent": "yes, go on", "embedded": "which way does the parser go with quoted line ends?"}
TITLES = {"silent": "says too little", "embedded": "the store is searched, embedded model"}
SILENT_AIM = Aim(50, "value")
"""Milliseconds of CPU beyond Python's own start, as for the hooks of capture."""


def prompt_figures(folder: str, entries: int, repetitions: int) -> list[Figure]:
    """Return the cost of a prompt that is not searched with, and of one that is in up to 1,000 entries; nothing is captured."""
    entries = min(entries, MAX_ENTRIES)
    store = os.path.join(folder, "store-prompted")
    database, writer = open_store(store), Writer(seed=6)
    repository = SqliteEntryRepository(database)
    with repository.transaction():
        for _ in range(entries):
            repository.put(writer.entry())
    add_vectors(database, MINILM_SPACE)
    database.close()
    return [_figure(folder, store, name, entries, repetitions) for name in PROMPTS]


def _figure(folder: str, store: str, name: str, entries: int, repetitions: int) -> Figure:
    payload = {"session_id": "bench", "cwd": folder, "hook_event_name": "UserPromptSubmit", "prompt": PROMPTS[name]}
    command = Command((script("hardwon-hook"),), json.dumps(payload))
    environment = clean_environment(folder, HARDWON_STORE=store, HARDWON_CAPTURE_ENABLED="false")
    cost = measure(lambda _: command, environment, repetitions)
    beyond = cost.cpu_ms - cost.cpu_ms / cost.times_pass
    title = f"hook, prompt: {TITLES[name]}: CPU beyond Python's start"
    aim = SILENT_AIM if name == "silent" else None
    return Figure(f"hook_prompt_{name}", title, entries, beyond, "ms", cost.times_pass, aim=aim)
