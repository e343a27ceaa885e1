"""A client that talks to a server in memory, with the environment of a world."""

import functools
from typing import Any, NamedTuple

import anyio
import pytest

from hardwon.adapters.config.reader import read_settings
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.raw_client import LESSON


class Visitor:
    """Each call is a visit of its own: the store is opened for it and closed."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self._monkeypatch = monkeypatch
        self._server = functools.cache(_server)

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return what a tool answers, as it goes over the wire."""
        for name, value in self._world.variables.items():
            self._monkeypatch.setenv(name, value)
        settings = read_settings(str(self._world.project), self._world.variables, {}).settings
        server = self._server(settings, str(self._world.project)).fresh()

        async def visit() -> dict[str, Any]:
            async with server.open():
                return await server.call_tool(tool, arguments)

        return anyio.run(visit)

    def store(self, **arguments: object) -> dict[str, Any]:
        """Store the lesson with *arguments*; return the structured answer."""
        result = self.call("store_memory", **{**LESSON, **arguments})
        return dict(result["structuredContent"])

    def refusal(self, tool: str, **arguments: object) -> str:
        """Return the one line by which a tool refuses."""
        result = self.call(tool, **arguments)
        [block] = result["content"]
        assert result["isError"]
        return str(block["text"])


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
