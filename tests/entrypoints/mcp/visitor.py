"""A client that talks to a server in memory, with the environment of a world."""

from typing import Any

import anyio
import pytest
from mcp import Client

from hardwon.adapters.config.reader import read_settings
from hardwon.entrypoints.mcp.server import build_server
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.raw_client import LESSON


class Visitor:
    """Each call is a visit of its own: the store is opened for it and closed."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self._monkeypatch = monkeypatch

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return what a tool answers, as it goes over the wire."""
        for name, value in self._world.variables.items():
            self._monkeypatch.setenv(name, value)
        settings = read_settings(str(self._world.project), self._world.variables, {}).settings
        server = build_server(MemoryWorker(settings, str(self._world.project), lambda _: None))

        async def visit() -> dict[str, Any]:
            async with Client(server) as client:
                result = await client.call_tool(tool, arguments)
                return result.model_dump(mode="json", by_alias=True, exclude_none=True)

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
