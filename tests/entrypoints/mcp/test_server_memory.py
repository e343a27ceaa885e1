"""A server: freed memory is given back, requests leave no growth, threads take turns."""

import asyncio
import contextlib
import sys

import anyio
import pytest

from hardwon.adapters.config.reader import read_settings
from hardwon.entrypoints.mcp import server
from hardwon.entrypoints.mcp.server import MemoryServer, give_back_memory
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, RawClient
from tests.machine import LONGEST_WAIT

BLOCKS = 60_000
WARMING, REQUESTS = 60, 240


def private_megabytes(pid: int | str) -> float:
    """Return the memory of a process that no file backs; 0 where the system does not say."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty")) / 1024
    return 0.0


def test_freed_memory_between_used_is_given_back() -> None:
    blocks = [bytes(1_000) for _ in range(BLOCKS)]
    kept = blocks[::60]
    del blocks
    freed = private_megabytes("self")
    give_back_memory()

    assert private_megabytes("self") <= max(0.0, freed - 30)
    assert len(kept) == BLOCKS / 60


def test_it_is_given_back_when_no_call_follows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "QUIET_SECONDS", 0.0)
    settings = read_settings(str(world.project), world.variables, {}).settings

    async def calls() -> int:
        rested, times = asyncio.Event(), list[int]()

        def rest() -> None:
            times.append(1)
            rested.set()

        worker = MemoryWorker(settings, str(world.project), lambda _: None)
        served = MemoryServer(worker, tools={}, at_rest=rest)
        async with served.open():
            await served.call_tool("nothing", {})
            await served.call_tool("nothing", {})
            assert not times
            await asyncio.wait_for(rested.wait(), LONGEST_WAIT)
        return len(times)

    assert anyio.run(calls) == 1


def test_threads_of_a_server_take_turns_often(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = list[float]()
    monkeypatch.setattr(sys, "setswitchinterval", taken.append)
    settings = read_settings(str(world.project), world.variables, {}).settings
    worker = MemoryWorker(settings, str(world.project), lambda _: None)

    async def opened() -> None:
        async with MemoryServer(worker, tools={}).open():
            assert taken == [server.SWITCH_SECONDS]

    anyio.run(opened)


def mixed(client: RawClient, requests: int, first: int = 0) -> None:
    for number in range(first, first + requests):
        match number % 4:
            case 0:
                client.store(name=f"lesson {number}", description=f"retry the socket {number % 50}")
            case 1:
                client.call("memory_search", query=f"what of socket {number}")
            case 2:
                client.call("memory_search", query="retry it", collection="learnings")
            case _:
                client.call("memory_list", limit=20)


def test_mixed_requests_leave_no_growth(world: World, connect: Connect) -> None:
    client = connect(world)
    mixed(client, WARMING)
    before = private_megabytes(client.process.pid)
    mixed(client, REQUESTS, first=WARMING)

    assert private_megabytes(client.process.pid) <= before + 8
