"""
The cost of every door in a store of a size.

Deadlines are as shipped.

Doors are opened as by hosts and people, after writes. All processes at one size are measured in one
interleaved run; CPU is user and system time of the whole process.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from bench.figures import Figure, aim_of
from bench.peers import peer_figures
from bench.processes import Command, Cost, clean_environment, measure, measure_together, script
from bench.project import SPEC_WORDS, make_project, spec_of
from bench.server_cost import server_cost_figures
from bench.server_moments import server_moment_figures
from bench.stores import add_vectors, build_store
from bench.texts import Writer
from bench.where import where_figures
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import pack_postings
from hardwon.domain.model.filters import LEARNINGS
from hardwon.entrypoints.bootstrap_capture import PREPARER

WRITTEN, CHANGED = 50, 50
"""Entries that are stored, and changed, after the store was packed."""

QUESTION_WORDS, EXCHANGE_WORDS = 12, 120

MEGABYTES = (60, 65, 75, 300)
"""Of a session start with a new query."""

KEYWORDS_ONLY = {"HARDWON_EMBEDDING_PROVIDER": "off"}
NOT_CAPTURED = {"HARDWON_CAPTURE_ENABLED": "false"}
WITH_VECTORS, WITH_WORDS, ANYTHING = (
    re.compile("vector=[1-9]"),
    re.compile("vector=0, fts5=[1-9]"),
    re.compile(""),
)


class Door(NamedTuple):
    """
    A process that is measured.

    Attributes:
        title: For people.
        command: Gives the command of each round.
        targets: The most that it should cost at each size, in times of `python -c pass`; none were
            set for others.
        expected: The output of a run that did the measured work.
    """

    title: str
    command: Callable[[int], Command]
    targets: tuple[float, ...] = ()
    expected: re.Pattern[str] = ANYTHING


BESIDE_PEERS = (10_000, 100_000)
PROFILED = ("start_new", "start_seen", "prompt_searched", "recall")


def all_costs(folder: str, sizes: Sequence[int], repetitions: int) -> Iterator[Figure]:
    """
    Yield the figures of each size, and beside peers.

    A copy of a store is removed before the next is made.
    """
    for entries in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            yield from cost_figures(scratch, entries, repetitions)
    for entries in [entries for entries in sizes if entries in BESIDE_PEERS]:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            yield from peer_figures(scratch, entries, repetitions)


def cost_figures(folder: str, entries: int, repetitions: int) -> Iterator[Figure]:
    """Yield the figures of a store of *entries* entries, copied into *folder*."""
    store = build_store(os.path.join(folder, f"store-{entries}"), entries)
    _write(store)
    environment = clean_environment(folder, HARDWON_STORE=store)
    project, changing, ended = (
        make_project(os.path.join(folder, f"{name}-{entries}"))
        for name in ("project", "changing", "ended")
    )
    yield _prepared_figure(project, store, environment, entries=entries, repetitions=repetitions)
    of_all = doors(project, changing, ended)
    costs = measure_together(
        {name: door.command for name, door in of_all.items()}, environment, repetitions
    )
    yield from (_figure(name, door, entries, costs[name]) for name, door in of_all.items())
    start = costs["start_new"]
    aim = aim_of(MEGABYTES, entries, "value")
    yield Figure(
        "start_memory",
        "session start, query new: peak memory",
        entries,
        start.rss_mb,
        "MB",
        aim=aim,
    )
    yield Figure(
        "hook_embedded_wall",
        "session start, query new: from start to end",
        entries,
        start.wall_ms,
        "ms",
    )
    for name in PROFILED:
        yield from where_figures(
            name, of_all[name].title, of_all[name].command(repetitions + 1), environment, entries
        )
    yield from server_cost_figures(project, environment, entries, repetitions)
    yield from server_moment_figures(
        project, store, environment, entries=entries, repetitions=repetitions
    )


def _prepared_figure(
    project: str, store: str, environment: dict[str, str], *, entries: int, repetitions: int
) -> Figure:
    """Return the cost of a prepared start."""
    payload = {"session_id": "bench", "cwd": project, "hook_event_name": "SessionStart"}
    start = Command((script("hardwon-hook"),), json.dumps({**payload, "source": "startup"}))
    options = ("--global-store", store, "--project-root", project, "--prepare", "units")
    prepare = Command((sys.executable, "-m", PREPARER, *options))
    environment = {**environment, **NOT_CAPTURED}
    for command in (start, prepare):  # what is said in a first session is not prepared
        subprocess.run(
            command.argv,
            input=command.stdin,
            env=environment,
            text=True,
            check=True,
            capture_output=True,
        )
    if not os.path.exists(os.path.join(store, "prepared-starts")):
        raise ValueError("no start is prepared")
    door = Door("session start, prepared", lambda _: start, (5, 5, 5, 5), WITH_VECTORS)
    cost = measure(door.command, environment, repetitions)
    return _figure("start_prepared", door, entries, cost)


def doors(project: str, changing: str, ended: str) -> dict[str, Door]:
    """
    Return all processes.

    In the folder *changing*, each session start has another query. Turns end in the folder *ended*,
    as the next start there is prepared then.
    """
    writer = Writer(seed=9)

    def hook(event: str, **fields: str) -> Callable[[int], Command]:
        payload = {"session_id": "bench", "cwd": project, "hook_event_name": event, **fields}
        return lambda _: Command((script("hardwon-hook"),), json.dumps(payload))

    def asking_new(_: int) -> Command:
        command = hook("SessionStart", source="startup", cwd=changing)(0)
        return command._replace(files={spec_of(changing): writer.text(SPEC_WORDS)})

    def prompted(_: int) -> Command:
        command = hook(
            "UserPromptSubmit", prompt=f"{writer.text(QUESTION_WORDS)}: which one is it?"
        )(0)
        return command._replace(variables=NOT_CAPTURED)

    start, silent = (
        hook("SessionStart", source="startup"),
        hook("UserPromptSubmit", prompt="yes, go on"),
    )
    answer = writer.text(EXCHANGE_WORDS)
    return {
        "start_new": Door("session start, query new", asking_new, (16, 18, 30), WITH_VECTORS),
        "start_seen": Door("session start, query seen", start, (7, 8, 11, 30), WITH_VECTORS),
        "start_keyword": Door(
            "session start, keyword only",
            lambda number: start(number)._replace(variables=KEYWORDS_ONLY),
            (5.5, 6, 9, 20),
            WITH_WORDS,
        ),
        "prompt_silent": Door(
            "prompt, silent",
            lambda number: silent(number)._replace(variables=NOT_CAPTURED),
            (2.5, 2.5, 2.5),
        ),
        "prompt_captured": Door("prompt, silent, captured", silent),
        "prompt_searched": Door("prompt, searched", prompted, (9, 10, 15, 35)),
        "stop": Door("Stop", hook("Stop", last_assistant_message=answer, cwd=ended), (3, 3, 3)),
        "session_end": Door(
            "SessionEnd", hook("SessionEnd", reason="other", cwd=ended), (2.3, 2.3, 2.3, 2.3)
        ),
        "recall": Door(
            "hardwon recall, cold",
            lambda _: Command((script("hardwon"), "recall", *writer.text(QUESTION_WORDS).split())),
            (20, 22, 40),
        ),
        "stats": Door("hardwon stats", lambda _: Command((script("hardwon"), "stats"))),
    }


def _figure(name: str, door: Door, entries: int, cost: Cost) -> Figure:
    others = sum(not door.expected.search(output) for output in cost.outputs)
    note = f"{others} of {len(cost.outputs)} runs fell back" if others else ""
    aim = aim_of(door.targets, entries, "ratio")
    return Figure(
        name, f"{door.title}: CPU", entries, cost.cpu_ms, "ms", cost.times_pass, aim=aim, note=note
    )


def _write(store: str) -> None:
    """Store, change and delete entries as the product does, their vectors too."""
    writer = Writer(seed=8)
    with closing(open_store(store)) as database:
        repository = SqliteEntryRepository(database)
        every = max(1, repository.count(LEARNINGS) // CHANGED)
        for old in repository.hydrate(range(1, CHANGED * every, every)):
            repository.reword(old.entry_id, writer.entry())
        for _ in range(WRITTEN):
            repository.put(writer.entry())
        add_vectors(database, MINILM_SPACE)
        repository.delete(repository.matching(LEARNINGS, limit=1)[0].entry_id)
        pack_postings(database, most=None)  # as the worker does
