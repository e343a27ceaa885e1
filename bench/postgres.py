"""
`python -m bench.postgres`: a store on a server beside one in a file.

Writes, searches, a session start at some latencies, and size are measured in one run. The server is
the one of the tests, on this machine; a proxy delays what crosses it.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench.processes import clean_environment, script
from bench.project import make_project
from bench.texts import Writer, vectors_of
from hardwon.adapters.postgres.migrate import migrate
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.filters import LEARNINGS, Workplace
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.settings import ServerAddress, Settings
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_retrieve
from tests.postgres_server import network_to, new_database, server

SINGLE = 200
"""
Entries stored one by one, each in its own transaction.

The rest follow in large ones.
"""

PART = 500
QUERIES = 30
STARTS = 5
WRITERS = (1, 8)
WRITING_SECONDS = 5.0
WRITER_LATENCIES_MS = (0, 30, 100)
LATENCIES_MS = (0, 5, 30)
"""From here to the server and back."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres")
    parser.add_argument("--entries", type=int, default=10_000)
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory(prefix="hardwon-bench-") as folder, new_database() as address:
        migrate(address)
        url = f"postgresql://postgres@/{dict(part.split('=', 1) for part in address.split())['dbname']}?host={_socket_folder()}"
        file = _filled(
            Settings(global_store=os.path.join(folder, "file"), embedding_provider="local"), entries
        )
        there = _filled(
            Settings(
                global_store=os.path.join(folder, "local"),
                embedding_provider="local",
                server=ServerAddress(url),
            ),
            entries,
        )
        migrate(address)  # an index of many vectors
        print(
            f"{entries} entries of about 60 words, 384 dimensions\n\n| | SQLite | PostgreSQL"
            " |\n|---|---|---|"
        )
        for name, measured in (
            ("upserts a second, one a transaction", 0),
            ("upserts a second, 500 a transaction", 1),
        ):
            print(f"| {name} | {file.rates[measured]:.0f} | {there.rates[measured]:.0f} |")
        for name, search in (("nearest neighbours", _by_vector), ("keyword search", _by_word)):
            print(
                f"| {name}, p50 / p95 in ms | {_percentiles(file.memory, search)} |"
                f" {_percentiles(there.memory, search)} |"
            )
        print(f"| bytes a memory | {file.bytes / entries:.0f} | {there.bytes / entries:.0f} |")
        for memory in (file.memory, there.memory):
            memory.close()
        _session_starts(folder, url)
        _writers(folder, url)


class _Filled:
    def __init__(self, memory: Memory, rates: Sequence[float]) -> None:
        self.memory = memory
        self.rates = rates
        self.bytes = memory.store.upkeep.size()


def _filled(settings: Settings, entries: int) -> _Filled:
    """
    Store so many entries with their vectors.

    Return the memory with its rates of writing.
    """
    memory, writer = open_memory(settings, print), Writer()
    memory.spaces.settle_provider()
    parts = [writer.parts() for _ in range(entries)]
    written = [writer.entry_of(part) for part in parts]
    single = _rate(memory, written[:SINGLE], 1)
    rest = _rate(memory, written[SINGLE:], PART)
    vectors = memory.spaces.vectors
    assert vectors
    made = dict(zip((entry.entry_id for entry in written), vectors_of(parts, 384), strict=True))
    while texts := vectors.pending(PART):
        ids = {
            facts.number: facts.entry_id
            for facts in memory.repository.facts(text.number for text in texts)
        }
        vectors.put([(text, made[ids[text.number]]) for text in texts])
    return _Filled(memory, (single, rest))


def _rate(memory: Memory, entries: Sequence[Entry], at_once: int) -> float:
    started = time.perf_counter()
    for place in range(0, len(entries), at_once):
        with memory.repository.transaction():
            for entry in entries[place : place + at_once]:
                memory.repository.put(entry)
    return len(entries) / (time.perf_counter() - started)


def _by_vector(memory: Memory, number: int) -> None:
    [query] = vectors_of([[number]], 384)
    next(iter(memory.spaces)).search.vector_index.compare(query, LEARNINGS).top(20)


def _by_word(memory: Memory, number: int) -> None:
    keywords, terms = build_retrieve(memory).keywords, search_terms(Writer(number).text(8))
    deadline = Deadline(time.monotonic)
    keywords.frequencies(terms, deadline)
    keywords.match(terms, "any", LEARNINGS, deadline).top(20)


def _percentiles(memory: Memory, search: Callable[[Memory, int], None]) -> str:
    times = list[float]()
    for number in range(QUERIES):
        started = time.perf_counter()
        search(memory, number)
        times.append((time.perf_counter() - started) * 1_000)
    return f"{statistics.median(times):.1f} / {statistics.quantiles(times, n=20)[-1]:.1f}"


def _session_starts(folder: str, url: str) -> None:
    project = make_project(os.path.join(folder, "project"))
    print("\n| session start, median in ms | |\n|---|---|")
    print(f"| SQLite | {_session_start(folder, project, os.path.join(folder, 'file'))} |")
    print(f"| PostgreSQL by a socket | {_session_start(folder, project, url)} |")
    for latency in LATENCIES_MS:
        with network_to(_socket_folder(), latency / 2_000) as network:
            through = _through(url, network.port)
            print(
                f"| PostgreSQL, {latency} ms away and back |"
                f" {_session_start(folder, project, through)} |"
            )


def _session_start(folder: str, project: str, store: str) -> str:
    environment = clean_environment(folder, HARDWON_STORE=store, HARDWON_EMBEDDING_PROVIDER="local")
    payload = json.dumps({"session_id": "bench", "hook_event_name": "SessionStart", "cwd": project})
    times, printed = list[float](), 0
    for _ in range(STARTS):
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, script("hardwon-hook")],
            input=payload,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        times.append((time.perf_counter() - started) * 1_000)
        printed += "semantic: active" in done.stdout
    return f"{statistics.median(times):.0f}, {printed} of {STARTS} with a block of the store"


def _writers(folder: str, url: str) -> None:
    print(
        f"\n| lessons stored a second, by {', '.join(map(str, WRITERS))} writers at once | |\n|---|---|"
    )
    for latency in WRITER_LATENCIES_MS:
        with network_to(_socket_folder(), latency / 2_000) as network:
            rates = (
                f"{_rate_of(writers, folder, _through(url, network.port)):.0f}"
                for writers in WRITERS
            )
            print(f"| {latency} ms away and back | {', '.join(rates)} |")


def _rate_of(writers: int, folder: str, url: str) -> float:
    """Return the rate at which that many processes store lessons."""
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(writers)
    with context.Pool(writers, _keep_barrier, (ready,)) as pool:
        return (
            sum(pool.starmap(_write, [(number, folder, url) for number in range(writers)], 1))
            / WRITING_SECONDS
        )


_barrier: "list[Any]" = []


def _keep_barrier(ready: Any) -> None:
    _barrier.append(ready)


def _write(number: int, folder: str, url: str) -> int:
    settings = Settings(global_store=folder, embedding_provider="off", server=ServerAddress(url))
    memory, writer, stored = open_memory(settings, print), Writer(time.time_ns() + number), 0
    keep = StoreEntry.on(memory.store, Origin(Workplace(""), "mcp")).keep
    _barrier[0].wait()
    end = time.monotonic() + WRITING_SECONDS
    while time.monotonic() < end:
        keep(redact_entry(writer.entry_of(writer.parts())))
        stored += 1
    memory.close()
    return stored


def _through(url: str, port: int) -> str:
    return url.replace(f"?host={_socket_folder()}", f"?host=127.0.0.1&port={port}")


def _socket_folder() -> str:
    return server().partition("host=")[2]


if __name__ == "__main__":
    main()
