"""A client that sends raw messages, and one in the server's process."""

import contextlib
import functools
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import anyio
import pytest

from hardwon.adapters.config.reader import read_settings
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import Planted
from tests.entrypoints.programs import start
from tests.entrypoints.provider_process import scene_with
from tests.fakes.doors import Ran, lifted
from tests.machine import LONGEST_WAIT

LESSON = {
    "name": "Name the unit",
    "description": "A number without its unit is misread.",
    "reasoning": "Feet met metres.",
    "category": "heuristics",
}
LESSON_ID = "d8cac656f0c2f887"


class ToolClient(Protocol):
    """A client that calls the tools of a server."""

    def call(self, tool: str, /, **arguments: object) -> Any:
        """Return the whole answer of a tool, errors included."""

    def answer(self, tool: str, /, **arguments: object) -> Any:
        """Return the structured answer of a tool, whose message is its text."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        answer = result["structuredContent"]
        assert result["content"] == [{"type": "text", "text": answer["message"]}]
        return answer

    def refusal(self, tool: str, /, **arguments: object) -> str:
        """Return the one line by which a tool refuses."""
        result = self.call(tool, **arguments)
        [block] = result["content"]
        assert result["isError"]
        assert "structuredContent" not in result
        return str(block["text"])

    def store(self, **arguments: object) -> Any:
        """Store the lesson with *arguments* and return the answer."""
        return self.answer("store_memory", **{**LESSON, **arguments})

    def found(self, query: str = "", **arguments: object) -> Any:
        """Return the answer of a search."""
        return self.answer("memory_search", query=query, **arguments)

    def titles(self, query: str = "", **arguments: object) -> list[str]:
        """Return the titles of the results of a search, in order."""
        return [row["title"] for row in self.found(query, **arguments)["results"]]

    def row(self, title: str, query: str = "", **arguments: object) -> Any:
        """Return the only result of that title."""
        [row] = [row for row in self.found(query, **arguments)["results"] if row["title"] == title]
        return row


class RawClient(ToolClient):
    """
    One server process and its client.

    Attributes:
        world: Where it runs.
        lines: Every line of the server so far.
        initialised: Result of the server's `initialize`.

    """

    def __init__(self, world: World, *arguments: str, redirections: str = "") -> None:
        self.world = world
        self.process = start(world, "hardwon-mcp", *arguments, redirections=redirections)
        self.lines = list[bytes]()
        self.initialised: Any = None
        self._last_id = 0

    def send(self, message: object) -> None:
        """Write one line: bytes as they are, anything else as JSON."""
        assert self.process.stdin
        self.process.stdin.write(
            (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n"
        )
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Return the server's next message."""
        assert self.process.stdout
        limit = threading.Timer(LONGEST_WAIT, self.process.kill)
        limit.start()
        self.lines.append(self.process.stdout.readline())
        limit.cancel()
        assert self.lines[-1], self.end()
        return json.loads(self.lines[-1])

    def request(self, method: str, **params: object) -> int:
        """Send a request; return its id."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def ask(self, method: str, **params: object) -> Any:
        """Return the whole answer to a request."""
        request_id = self.request(method, **params)
        answer = self.receive()
        assert answer["id"] == request_id
        return answer

    def initialize(self) -> None:
        """Shake hands as clients of 2025 do."""
        client = {"name": "raw", "version": "1"}
        answer = self.ask(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.initialised = answer["result"]

    def begin_call(self, tool: str, **arguments: object) -> int:
        """Call a tool; return the id of the request."""
        return self.request("tools/call", name=tool, arguments=arguments)

    def call(self, tool: str, /, **arguments: object) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def terminate(self) -> Ran:
        """Ask the server to end, by a signal, with its input left open."""
        self.process.terminate()
        self.process.wait(LONGEST_WAIT)
        return self.end()

    def vanish(self) -> Ran:
        """Close both ends, as a host that is gone."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdout.close()
        self.process.stdin.close()
        self.process.stdin = self.process.stdout = None
        _, stderr = self.process.communicate(timeout=LONGEST_WAIT)
        return Ran(self.process.returncode, "", stderr.decode())

    def end(self) -> Ran:
        """Close the server's input; return the rest of its output, once it has ended."""
        stdout, stderr = self.process.communicate(timeout=LONGEST_WAIT)
        return Ran(self.process.returncode, stdout.decode(), stderr.decode())

    def kill(self) -> None:
        """End the server if a test has left it running."""
        self.process.kill()
        self.process.communicate()


class Visitor(ToolClient):
    """Each call is a visit of its own: the store is opened for it and closed."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self._monkeypatch = monkeypatch
        self._server = functools.cache(_server)

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        for name, value in self._world.variables.items():
            self._monkeypatch.setenv(name, value)
        settings = read_settings(str(self._world.project), self._world.variables, {}).settings
        server = self._server(settings, str(self._world.project)).fresh()

        async def visit() -> dict[str, Any]:
            async with server.open():
                return await server.call_tool(tool, arguments)

        with lifted(self._world.reached):
            return anyio.run(visit)


class _Server(NamedTuple):
    """A server, whose tools take a tenth of a second to make, and the worker that they were made for."""

    server: MemoryServer
    worker: MemoryWorker

    def fresh(self) -> MemoryServer:
        """Return the server with its worker as it was made, whatever still runs for the last visit."""
        worker = MemoryWorker(self.worker.settings, self.worker.project_root, self.worker.warn)
        vars(self.worker).clear()
        vars(self.worker).update(vars(worker))
        return self.server


def _server(settings: Settings, project_root: str) -> _Server:
    worker = MemoryWorker(settings, project_root, lambda _: None)
    return _Server(MemoryServer(worker), worker)


Connect = Callable[..., RawClient]
Visit = Callable[[World], Visitor]


def without_vectors(world: World) -> World:
    """Return *world* searching by word only and asking no provider for labels: most tests need neither."""
    world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "off", "HARDWON_KEYWORD_PROVIDER": "off"}
    return world


@pytest.fixture(scope="module")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return the world of `shared`."""
    with contextlib.ExitStack() as cleanup:
        yield without_vectors(World(tmp_path_factory.mktemp("mcp") / "world", cleanup))


@pytest.fixture(scope="module")
def shared(shared_world: World) -> Iterator[RawClient]:
    """Return a client of one server for the whole module: starting one takes a second."""
    client = RawClient(
        shared_world, "--no-scan"
    )  # a late scan would index a file before a test does
    client.initialize()
    yield client
    client.kill()


@pytest.fixture
def world(empty_world: World) -> World:
    return without_vectors(empty_world)


@pytest.fixture
def connect(cleanup: contextlib.ExitStack) -> Connect:
    """Return a function that starts a server in a world and shakes hands with it."""

    def connect(world: World, *arguments: str) -> RawClient:
        client = RawClient(world, *arguments)
        cleanup.callback(client.kill)
        client.initialize()
        return client

    return connect


@contextlib.contextmanager
def server_with(folder: Path, *planted: Planted) -> Iterator[RawClient]:
    """Yield the client of a server with the *planted* memories and their vectors."""
    with contextlib.ExitStack() as cleanup, running_stub() as stub:
        world = World(folder / "world", cleanup)
        world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
        scene_with(world, stub, *planted)
        client = RawClient(world, "--no-scan")
        cleanup.callback(client.kill)
        client.initialize()
        yield client


TOKENS = "005-auth/memory/22-11-26_14-05__refresh-tokens.md"


def write_document(
    world: World, name: str = TOKENS, text: str = "# Tokens\n\nRotate the zebra key.\n"
) -> Path:
    """Write a file below the project's `specs` and return its real path."""
    path = world.project.resolve() / "specs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
