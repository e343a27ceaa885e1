"""The transport of standard input and output: order, cancelled calls, and what waits until the client is served."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import Field

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp import stdio
from hardwon.entrypoints.mcp.schema import READS, ToolAnswer, tool
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.stdio import StdioTransport
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.mcp.wire import LEAVE_SECONDS, LONGEST_DRAIN_SECONDS, Allowance, Wire
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import start
from tests.machine import LONGEST_WAIT

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
HEAVY = {"pydantic", "mcp", "mcp_types", "numpy", "httpx", "hardwon.entrypoints.mcp.schema"}


CANCELLED = list[float]()
RELEASED = list[anyio.Event]()
"""The event that the tool `hold` waits for."""


class Waited(ToolAnswer):
    """The result."""

    seconds: float = Field(description="How long")


async def wait(seconds: float) -> Waited:
    """Wait."""
    try:
        await anyio.sleep(seconds)
    except anyio.get_cancelled_exc_class():
        CANCELLED.append(seconds)
        raise
    return Waited(message="waited", seconds=seconds)


async def hold() -> Waited:
    """Wait for the test."""
    await RELEASED[-1].wait()
    return Waited(message="released", seconds=0)


class Served(MemoryServer):
    """A server with slow tools, which notes when the scan begins."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(global_store=str(folder), embedding_provider="off")
        super().__init__(
            MemoryWorker(settings, str(folder), pytest.fail),
            {
                "wait": tool(wait, title="Wait", effect=READS),
                "hold": tool(hold, title="Hold", effect=READS),
            },
        )
        RELEASED.append(anyio.Event())
        self.scanned = anyio.Event()

    def begin_scan(self) -> None:
        self.scanned.set()


class Client:
    """The other end of the wire."""

    def __init__(self) -> None:
        incoming, self._writing = os.pipe()
        self._reading, outgoing = os.pipe()
        self.wire = Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))
        self._answers = os.fdopen(self._reading, "rb")

    def send(self, method: str, request_id: object = None, **params: object) -> None:
        """Write a request, or a notification without an id."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        os.write(
            self._writing,
            json.dumps({**message, "id": request_id} if request_id else message).encode() + b"\n",
        )

    async def receive(self) -> Any:
        """Return the next answer."""
        with anyio.fail_after(LONGEST_WAIT):
            return json.loads(await anyio.to_thread.run_sync(self._answers.readline))

    async def shake_hands(self) -> None:
        """Begin as clients of 2025 do."""
        self.send("initialize", 1, **HANDSHAKE)
        assert (await self.receive())["id"] == 1

    def leave(self) -> None:
        """End the server's input; idempotent."""
        if self._writing >= 0:
            os.close(self._writing)
        self._writing = -1

    def read_no_more(self) -> None:
        """Close the end that the server writes to."""
        self._answers.close()

    def close(self) -> None:
        """Close the other streams."""
        self._answers.close()
        self.wire.incoming.close()
        with contextlib.suppress(BrokenPipeError):
            self.wire.outgoing.close()


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    client.close()


class Clocks:
    """Clocks that a test sets: seconds that passed, and those that the server computed."""

    def __init__(self) -> None:
        self._passed = self._computed = 0.0
        self._looks = anyio.Event()

    def allowance(self) -> Allowance:
        """Return the allowance of a server that lives by these clocks."""
        return Allowance(clock=self._look, cpu=lambda: self._computed)

    def _look(self) -> float:
        self._looks.set()
        return self._passed

    async def looked_at(self) -> None:
        """Wait until the server has looked at the clock once more."""
        self._looks = anyio.Event()
        with anyio.fail_after(LONGEST_WAIT):
            await self._looks.wait()

    def go_on(self, passed: float, computed: float) -> None:
        """Let so much time pass at once."""
        self._passed, self._computed = self._passed + passed, self._computed + computed


def converse(client: Client, folder: Path, talk: Any, clocks: Clocks | None = None) -> list[float]:
    """Serve *client* while it does *talk*, then until its input has ended; return how soon the process was to leave."""
    leaving = list[float]()

    async def both() -> None:
        server = Served(folder)
        allowance = clocks.allowance if clocks else Allowance
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(StdioTransport(client.wire, leaving.append, allowance).serve, server)
            try:
                await talk(server)
            finally:
                client.leave()  # else a thread would read on, and hold up the stream's end

    anyio.run(both)
    return leaving


def test_a_cancelled_call_is_not_answered_and_others_are(client: Client, tmp_path: Path) -> None:
    async def talk(_: Served) -> None:
        await client.shake_hands()
        CANCELLED.clear()
        client.send("tools/call", 2, name="wait", arguments={"seconds": 1000})
        client.send("tools/call", "3", name="wait", arguments={"seconds": 0})
        assert (await client.receive())["id"] == "3"
        client.send("notifications/cancelled", requestId=["no id"])
        client.send("notifications/cancelled", requestId=3)
        client.send("notifications/cancelled", requestId=2)
        client.send("ping", 4)
        assert (await client.receive())["id"] == 4
        assert CANCELLED == [1000]

    converse(client, tmp_path, talk)


def test_a_slow_call_holds_up_no_other_and_may_share_its_id(client: Client, tmp_path: Path) -> None:
    async def talk(_: Served) -> None:
        await client.shake_hands()
        client.send("tools/call", 2, name="wait", arguments={"seconds": 0.2})
        client.send("tools/call", 2, name="wait", arguments={"seconds": 0})
        client.send("ping", 3)
        got = [await client.receive() for _ in range(3)]
        seconds = [
            item["result"]["structuredContent"]["seconds"] for item in got if item["id"] == 2
        ]
        assert seconds == [0, 0.2]

    converse(client, tmp_path, talk)


def test_the_scan_begins_once_the_client_has_the_tools(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "SETTLE_SECONDS", LONGEST_WAIT)

    async def talk(server: Served) -> None:
        await client.shake_hands()
        assert not server.scanned.is_set()
        client.send("tools/list", 2)
        await client.receive()
        with anyio.fail_after(LONGEST_WAIT / 2):
            await server.scanned.wait()

    converse(client, tmp_path, talk)


def test_the_scan_begins_too_if_the_client_never_asks_for_tools(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "SETTLE_SECONDS", 0.01)

    async def talk(server: Served) -> None:
        with anyio.fail_after(LONGEST_WAIT):
            await server.scanned.wait()

    converse(client, tmp_path, talk)


async def asked_before_the_end(client: Client, clocks: Clocks) -> None:
    """Call a tool that waits, end the server's input, and wait until it has seen that."""
    await client.shake_hands()
    client.send("tools/call", 2, name="hold", arguments={})
    client.send("ping", 3)
    assert (await client.receive())["id"] == 3
    client.leave()
    await clocks.looked_at()


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    monkeypatch.setattr(stdio, "TICK_SECONDS", 0.01)
    return Clocks()


@pytest.mark.parametrize(
    ("passed", "computed"), [(9.0, 0.0), (110.0, 9.0)], ids=["waiting", "on a busy machine"]
)
def test_a_call_before_the_end_of_input_is_answered_within_the_allowance(
    client: Client, clocks: Clocks, tmp_path: Path, passed: float, computed: float
) -> None:
    async def talk(_: Served) -> None:
        await asked_before_the_end(client, clocks)
        clocks.go_on(passed, computed)
        await clocks.looked_at()
        RELEASED[-1].set()
        assert (await client.receive())["id"] == 2

    assert converse(client, tmp_path, talk, clocks) == [LONGEST_DRAIN_SECONDS, LEAVE_SECONDS]


@pytest.mark.parametrize(
    ("passed", "computed"),
    [(11.0, 0.0), (110.0, 11.0), (121.0, 1.0)],
    ids=["waiting", "on a busy machine", "on a machine that hardly lets it compute"],
)
def test_the_server_ends_once_its_allowance_is_spent(
    client: Client, clocks: Clocks, tmp_path: Path, passed: float, computed: float
) -> None:
    async def talk(_: Served) -> None:
        await asked_before_the_end(client, clocks)
        clocks.go_on(passed, computed)

    assert converse(client, tmp_path, talk, clocks) == [LONGEST_DRAIN_SECONDS, LEAVE_SECONDS]


def test_a_client_that_reads_no_more_is_not_waited_for(
    client: Client, clocks: Clocks, tmp_path: Path
) -> None:
    async def talk(_: Served) -> None:
        await asked_before_the_end(client, clocks)
        client.read_no_more()

    assert converse(client, tmp_path, talk, clocks) == [LONGEST_DRAIN_SECONDS, LEAVE_SECONDS]


def test_nothing_heavy_is_imported_until_a_tool_is_called(world: World) -> None:
    world.variables["PYTHONPROFILEIMPORTTIME"] = "1"
    world.may_fork = False
    process = start(world, "hardwon-mcp", "--no-scan")
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "prompts/list"},
        {"jsonrpc": "2.0", "id": 4, "method": "resources/list"},
    ]
    output, imports = process.communicate(
        "\n".join(map(json.dumps, asked)).encode(), timeout=LONGEST_WAIT
    )
    imported = {line.rpartition("|")[2].strip() for line in imports.decode().splitlines()}

    assert len(output.splitlines()) == len(asked)
    assert "anyio" in imported
    assert not HEAVY & imported
