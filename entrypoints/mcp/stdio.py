"""
JSON-RPC by standard input and output, one message a line.

Without the SDK, whose import takes most of a second.
"""

import contextlib
import json
import logging
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.abc import TaskGroup

from hardwon.domain.model.entry import MAX_TEXT_BYTES
from hardwon.entrypoints.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    ClientSession,
    MalformedError,
    Notification,
    Request,
    RequestId,
    RpcError,
    read_message,
)
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.wire import (
    LEAVE_SECONDS,
    LONGEST_DRAIN_SECONDS,
    STOPPED_DRAIN_SECONDS,
    Allowance,
    Wire,
)
from hardwon.ports.agents import HOOK_TOOL

LONGEST_LINE = 8 * MAX_TEXT_BYTES
"""Bytes: more than a text of the maximum size, every character escaped."""

MAX_LINES_AHEAD = 256
TOOL_CALL = b'"tools/call"'
HOOK_CALL = f'"{HOOK_TOOL}"'.encode()

SETTLE_SECONDS = 1.0
"""Longest delay of the startup scan, until the client has its list of tools."""

TICK_SECONDS = 0.25
"""Polling interval at the end."""

NO_READER = (
    anyio.RunFinishedError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    CancelledError,
)
"""Errors of a thread that calls into an event loop that is ending."""

logger = logging.getLogger(__name__)


class StdioTransport:
    """
    One client, from its first line to its last.

    Made in the event loop that serves it.

    Args:
        wire: The client's streams.
        leave_soon: Called with the seconds left to the process: at the end of input, when output is
            closed, or when the transport is stopped.
        allowance: Makes the allowance for requests that came before the end of input.

    """

    def __init__(
        self,
        wire: Wire,
        leave_soon: Callable[[float], None],
        allowance: Callable[[], Allowance] = Allowance,
    ) -> None:
        self._wire = wire
        self._leave_soon = leave_soon
        self._allowance = allowance
        self._loop = anyio.lowlevel.current_token()
        self._lines = queue.Queue[bytes](MAX_LINES_AHEAD)
        self._open = dict[RequestId, anyio.CancelScope]()
        self._writing = anyio.Lock()
        self._answered = anyio.Event()
        self._listed = anyio.Event()
        self._ended = anyio.Event()

    async def serve(self, server: MemoryServer) -> None:
        """
        Serve the client.

        Requests that came before the end of input are answered while the client can read, within
        the allowance.
        """
        threading.Thread(target=self._read, args=(server,), daemon=True).start()
        async with server.open(), anyio.create_task_group() as tasks:
            tasks.start_soon(self._begin_scan, server)
            accept = partial(self._accept, server, ClientSession(server.info), tasks)
            threading.Thread(target=self._hand_on, args=(accept,), daemon=True).start()
            await self._ended.wait()
            tasks.cancel_scope.cancel()

    def stop(self) -> None:
        """End soon, also from any thread or a signal handler."""
        self._leave_soon(LEAVE_SECONDS)
        end = partial(self._end, partial(Allowance, STOPPED_DRAIN_SECONDS, STOPPED_DRAIN_SECONDS))
        threading.Thread(target=self._in_loop, args=(end,), daemon=True).start()

    def _read(self, server: MemoryServer) -> None:
        """
        Read ahead in a thread, to see the end of input at once.

        Nothing can interrupt it. It makes the tools too, if one is called first: the event loop
        goes on meanwhile, and an end of input counts only after that.
        """
        with contextlib.suppress(OSError):  # such as a closed terminal: the client has left
            while line := self._wire.incoming.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                    self._skip_line()
                if TOOL_CALL in line and HOOK_CALL not in line:
                    server.make_tools()
                if line.strip():
                    self._lines.put(line)
        self._leave_soon(LONGEST_DRAIN_SECONDS)
        self._lines.put(b"")

    def _hand_on(self, accept: Callable[[bytes], Coroutine[Any, Any, None]]) -> None:
        while line := self._lines.get():
            self._in_loop(partial(accept, line))
        self._in_loop(partial(self._end, self._allowance))

    def _skip_line(self) -> None:
        while (rest := self._wire.incoming.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass

    def _in_loop(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        with contextlib.suppress(*NO_READER):
            anyio.from_thread.run(function, token=self._loop)

    async def _begin_scan(self, server: MemoryServer) -> None:
        with anyio.move_on_after(SETTLE_SECONDS):
            await self._listed.wait()
        server.begin_scan()

    async def _accept(
        self, server: MemoryServer, session: ClientSession, tasks: TaskGroup, line: bytes
    ) -> None:
        if len(line) > LONGEST_LINE:
            reason = f"a message has at most {LONGEST_LINE} bytes: shorten it"
            await self._send(None, error=RpcError(INVALID_REQUEST, reason).document())
            return
        try:
            message = read_message(line)
        except MalformedError as error:
            await self._send(error.request_id, error=error.document())
            return
        match message:
            case Request():
                scope = self._open[message.id] = anyio.CancelScope()
                tasks.start_soon(self._answer, server, session, message, scope)
            case Notification("notifications/cancelled", params):
                self._cancel(params.get("requestId"))
            case Notification("notifications/initialized"):
                session.begin()

    def _cancel(self, request_id: object) -> None:
        if isinstance(request_id, int | str) and (scope := self._open.get(request_id)):
            scope.cancel()

    async def _answer(
        self,
        server: MemoryServer,
        session: ClientSession,
        request: Request,
        scope: anyio.CancelScope,
    ) -> None:
        with scope:
            try:
                session.admit(request)
                result = await server.answer(request.method, request.params)
                await self._send(request.id, result=session.complete(request.method, result))
            except RpcError as error:
                await self._send(request.id, error=error.document())
            except Exception:  # the client is told nothing of what we did not foresee
                logger.exception("%r raised an unexpected exception", request.method)
                await self._send(
                    request.id, error=RpcError(INTERNAL_ERROR, "Internal server error").document()
                )
        if self._open.get(request.id) is scope:  # not another request of the same id
            del self._open[request.id]
        self._answered.set()
        if request.method == "tools/list":
            self._listed.set()

    async def _send(self, request_id: RequestId | None, **outcome: object) -> None:
        message = {"jsonrpc": "2.0", "id": request_id, **outcome}
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        async with self._writing:
            try:
                await anyio.to_thread.run_sync(self._put, line)
            except OSError:  # its reader has closed it
                self._finish()

    def _put(self, line: bytes) -> None:
        self._wire.outgoing.write(line)
        self._wire.outgoing.flush()

    async def _end(self, allowance: Callable[[], Allowance]) -> None:
        left = allowance()
        while self._open and self._wire.has_reader() and not left.is_spent():
            self._answered = anyio.Event()
            with anyio.move_on_after(TICK_SECONDS):
                await self._answered.wait()
        self._finish()

    def _finish(self) -> None:
        self._leave_soon(LEAVE_SECONDS)
        self._ended.set()
