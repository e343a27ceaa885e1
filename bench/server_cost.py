"""
CPU time of calls to an MCP server that stays, until it rests again.

On Linux.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from statistics import median

from bench.figures import Figure, aim_of
from bench.mcp_client import Call, Client, running_server
from bench.texts import Writer
from hardwon.entrypoints.mcp.server import QUIET_SECONDS

SEARCHES_PER_REPETITION = 10
WORDS = 8
P50 = (8, 15, 50)
"""Milliseconds of CPU at each size."""

STORED = (40, 50, 80)
PRIVATE_MEGABYTES = (70, 90, 180)
"""After 100 searches, at each size."""

REST_SECONDS, LONGEST_WAIT_SECONDS = 0.05, 5.0


def server_cost_figures(
    project: str, environment: Mapping[str, str], entries: int, repetitions: int
) -> Iterator[Figure]:
    """Yield the costs of a warm server's searches, storing, and next search."""
    if sys.platform != "linux":
        return
    writer = Writer(seed=10)
    with running_server(project, environment) as client:
        cost_of(client, _search(writer))  # loads what is loaded once
        searches = sorted(
            cost_of(client, _search(writer)) for _ in range(SEARCHES_PER_REPETITION * repetitions)
        )
        private = private_megabytes(client.pid)
        pairs = [
            (cost_of(client, _lesson(writer)), cost_of(client, _search(writer)))
            for _ in range(repetitions)
        ]
        loaded = peak_megabytes(client.pid)
    yield Figure(
        "server_private",
        "MCP server after its searches: private memory",
        entries,
        private,
        "MB",
        aim=aim_of(PRIVATE_MEGABYTES, entries, "value"),
    )
    stored, after = (median(values) for values in zip(*pairs, strict=True))
    slow = searches[len(searches) * 95 // 100]
    for name, title, value, targets in (
        ("search_p50", "memory_search, warm: median", median(searches), P50),
        ("search_p95", "memory_search, warm: 95 of 100", slow, ()),
        ("store_memory", "store_memory", stored, STORED),
        ("search_after", "memory_search, first after it", after, P50),
    ):
        yield Figure(
            name, f"{title}: CPU", entries, value, "ms", aim=aim_of(targets, entries, "value")
        )
    yield Figure("server_peak", "MCP server after it: peak memory", entries, loaded, "MB")


def cost_of(client: Client, call: Call) -> float:
    """Return the CPU milliseconds of the server from a call to its rest."""
    before = _cpu_seconds(client.pid)
    client.call(call)
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    after = _cpu_seconds(client.pid)
    while time.monotonic() < deadline:
        time.sleep(REST_SECONDS)
        if after == (after := _cpu_seconds(client.pid)):
            break
    return (after - before) * 1000


def peak_megabytes(pid: int) -> float:
    """Return the peak resident memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        [kilobytes] = [line.split()[1] for line in file if line.startswith("VmHWM:")]
    return int(kilobytes) / 1024


def private_megabytes(pid: int) -> float:
    """Return the memory that a process at rest has for itself, files aside."""
    time.sleep(2 * QUIET_SECONDS)  # it gives back freed memory
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        kilobytes = [int(line.split()[1]) for line in file if line.startswith("Private_Dirty")]
    return sum(kilobytes) / 1024


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of all threads of a process, those that ended too."""
    os.kill(pid, 0)
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) names it


def _search(writer: Writer) -> Call:
    return "memory_search", {"query": writer.text(WORDS)}


def _lesson(writer: Writer) -> Call:
    texts = {"name": writer.text(6), "description": writer.text(40), "reasoning": writer.text(15)}
    return "store_memory", {**texts, "category": "patterns"}
