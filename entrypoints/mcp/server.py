"""The MCP server: tools, resources and prompts, independent of the transport."""

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import anyio

from hardwon.domain.model.errors import HardwonError, UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.neutral_text import defused
from hardwon.entrypoints.mcp.prompts import INSTRUCTIONS, get_prompt, list_prompts
from hardwon.entrypoints.mcp.protocol import (
    ENVELOPE_VERSIONS,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RpcError,
    ToolError,
    negotiated,
)
from hardwon.entrypoints.mcp.references import find
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.presenters.pauses import refusal as paused_refusal
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.streams import REINSTALL
from hardwon.ports.agents import HOOK_TOOL, AnsweringMark

if TYPE_CHECKING:
    from hardwon.entrypoints.mcp.hook_events import HookEvents
    from hardwon.entrypoints.mcp.schema import Tool

NAME = "hardwon"
TITLE = "hardwon: hard-won lessons"
DESCRIPTION = os.path.join(os.path.dirname(__file__), "description.json")
"""
Version and tools as `tools/list` shows them.

Written by `make generated`, as making the tools takes 0.2 s.
"""

JSON = "application/json"
SCHEME = "memory://"
STATS = {
    "name": "stats",
    "uri": f"{SCHEME}stats",
    "title": "The memory in figures",
    "description": (
        "How many memories there are and of what sort, how they are searched, and the settings."
    ),
    "mimeType": JSON,
}
ONE_MEMORY = {
    "name": "memory",
    "uriTemplate": f"{SCHEME}{{id}}",
    "title": "One memory",
    "description": (
        "One memory with all that is known about it; its id is 16 hex digits, or a number."
    ),
    "mimeType": JSON,
}
CAPABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}

ABOUT = {"capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}
CONSTANT: Mapping[str, dict[str, Any]] = {
    "server/discover": {"supportedVersions": [*ENVELOPE_VERSIONS], **ABOUT},
    "ping": {},
    "resources/list": {"resources": [STATS]},
    "resources/templates/list": {"resourceTemplates": [ONE_MEMORY]},
    "prompts/list": list_prompts(),
}

logger = logging.getLogger(__name__)

QUIET_SECONDS = 1.0
"""Silence after which freed memory is given back."""

M_ARENA_MAX = -8
"""
The number of mallopt(3).

An arena for each thread costs 10 MB, and threads take turns anyway.
"""

SWITCH_SECONDS = 0.0005
"""
How long a thread may keep Python's lock.

The embedded model asks for it after each of its products. It would wait 5 ms each time while
another thread searches by words.
"""


def give_back_memory() -> None:
    """
    Give freed memory back to the system.

    glibc keeps it: at 100,000 entries a quarter of what the process has. Others need no call.
    """
    _malloc("malloc_trim", 0)


def _malloc(function: str, *arguments: int) -> None:
    """Call a function of malloc, if this system's has it."""
    if sys.platform == "linux":
        import ctypes

        if found := getattr(ctypes.CDLL(None), function, None):
            found(*arguments)


class MemoryServer:
    """
    Answers the methods of the protocol.

    Args:
        worker: Works on the store, which is open while the server is.
        tools: By name; by default all, made at the first call.
        mark: Shows hooks of the client that this server answers; None for a server of many clients.
        at_rest: Called when no tool was called for a second.

    """

    def __init__(
        self,
        worker: MemoryWorker,
        tools: "Mapping[str, Tool] | None" = None,
        mark: AnsweringMark | None = None,
        at_rest: Callable[[], None] = give_back_memory,
    ) -> None:
        self._worker = worker
        self._mark = mark
        self._at_rest = at_rest
        self._rest: asyncio.TimerHandle | None = None
        self._given_tools = tools
        self._hook_events: HookEvents | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Keep the store open, or raise a `StorageError`."""
        _malloc("mallopt", M_ARENA_MAX, 1)
        sys.setswitchinterval(SWITCH_SECONDS)
        async with self._worker.open():
            try:
                if self._mark:
                    self._mark.remove_dead()
                    self._mark.set()
                yield
            finally:
                if self._mark:
                    self._mark.remove()
                await self._close_hook_events()

    async def _close_hook_events(self) -> None:
        events, self._hook_events = self._hook_events, None
        if events:
            with anyio.CancelScope(shield=True):
                await events.close()

    def make_tools(self) -> None:
        """Make the tools before the first call, which reports a failure."""
        with contextlib.suppress(Exception):
            _ = self._tools

    def begin_scan(self) -> None:
        """Begin to index the project's files in the background."""
        self._worker.begin_scan()

    @cached_property
    def info(self) -> dict[str, str]:
        """The server's name, title and version."""
        return {"name": NAME, "title": TITLE, "version": self._described["version"]}

    async def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of *method*, whose *params* were checked."""
        match method:
            case "tools/call":
                return await self.call_tool(params["name"], params.get("arguments") or {})
            case "resources/read":
                return await self._read_resource(params["uri"])
            case "prompts/get":
                return get_prompt(params["name"], params.get("arguments") or {})
            case "initialize":
                return {
                    "protocolVersion": negotiated(params["protocolVersion"]),
                    "serverInfo": self.info,
                    **ABOUT,
                }
            case _:
                return self._constant(method)

    def _constant(self, method: str) -> dict[str, Any]:
        if method == "tools/list":
            return {"tools": self._described["tools"]}
        if method not in CONSTANT:
            raise RpcError(METHOD_NOT_FOUND, "Method not found", method)
        return CONSTANT[method]

    @cached_property
    def _described(self) -> Any:
        with open(DESCRIPTION, encoding="utf-8") as file:
            return json.load(file)

    @cached_property
    def _tools(self) -> "Mapping[str, Tool]":
        if self._given_tools is not None:
            return self._given_tools
        try:
            from hardwon.entrypoints.mcp.tools import make_tools  # brings pydantic; rarely called
        except ImportError as error:
            raise ToolError(
                f"hardwon is not installed completely ({error}), run: {REINSTALL}"
            ) from error
        return make_tools(self._worker)

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """
        Return a tool's answer as data and text, or a one-line error.

        All tools refuse during a pause.
        """
        try:
            return await self._answer_call(name, arguments)
        finally:
            if self._rest:
                self._rest.cancel()
            loop = asyncio.get_running_loop()
            self._rest = loop.call_later(QUIET_SECONDS, self._at_rest)

    async def _answer_call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if name == HOOK_TOOL:
            return {"content": [_block(await self._answer_hook(arguments))], "isError": False}
        try:
            answer = await self._called(name, arguments)
        except (ToolError, HardwonError) as error:
            return {"content": [_block(on_one_line(str(error)))], "isError": True}
        except Exception:  # a client is told nothing of what we did not foresee
            logger.exception("Tool %r raised an unexpected exception", name)
            return {"content": [_block(f"Error executing tool {name}")], "isError": True}
        return {
            "content": [_block(answer["message"])],
            "structuredContent": answer,
            "isError": False,
        }

    async def _answer_hook(self, fields: Mapping[str, Any]) -> str:
        if self._hook_events is None:
            from hardwon.entrypoints.mcp.hook_events import HookEvents  # not every host has hooks

            self._hook_events = HookEvents(self._worker.settings.global_store, self._worker.warn)
        answer = await self._hook_events.answer(fields)
        if self._mark:
            self._mark.set()
        return answer

    async def _called(self, name: str, arguments: Mapping[str, Any]) -> Any:
        if pause := self._worker.pause():  # searches are refused too, as they count what they find
            raise ToolError(paused_refusal(pause))
        tool = self._tools.get(name)
        if tool is None:
            raise ToolError(f"unknown tool {name[:80]!r}: tools/list names those there are")
        return _defused(await tool.call(arguments))

    async def _read_resource(self, uri: str) -> dict[str, Any]:
        name = uri.removeprefix(SCHEME)
        if not name or name == uri:
            raise RpcError(INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
        try:
            text = await self._resource(name)
        except UnknownEntryError as error:
            raise RpcError(INVALID_PARAMS, str(error), {"uri": uri}) from error
        except (ToolError, HardwonError) as error:
            raise RpcError(INTERNAL_ERROR, on_one_line(str(error)), {"uri": uri}) from error
        return {"contents": [{"uri": uri, "mimeType": JSON, "text": text}]}

    async def _resource(self, name: str) -> str:
        if pause := self._worker.pause():
            raise ToolError(paused_refusal(pause))
        from hardwon.entrypoints.presenters.entries import entry_document, plain
        from hardwon.entrypoints.stats import count

        def document(memory: Any) -> object:
            here = self._worker.workplace(memory)
            if name == "stats":
                return count(memory, EVERYTHING, here.visibility)
            return entry_document(find(memory.repository, name, here))

        data = plain(await self._worker.call(document))
        return json.dumps(_defused(data), indent=2, ensure_ascii=False)


def _block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _defused(value: Any) -> Any:
    match value:
        case str():
            return defused(value)
        case list():
            return [*map(_defused, value)]
        case dict():
            return {defused(name): _defused(item) for name, item in value.items()}
        case _:
            return value
