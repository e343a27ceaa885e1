"""
JSON-RPC by standard input and output, one message a line.

The SDK's own transport drops a line it can't read, cancels what is being done
when its input ends, and can't be ended while it waits for a line.
"""

import contextlib
import json
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
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from hardwon.domain.model.entry import MAX_TEXT_BYTES
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.wire import DRAIN_SECONDS, Wire

LONGEST_LINE = 8 * MAX_TEXT_BYTES
"""Bytes: a text of the greatest size with every character escaped, and more."""

MAX_LINES_AHEAD = 256
LONGEST_SHOWN = 200

NO_READER = (anyio.RunFinishedError, anyio.BrokenResourceError, anyio.ClosedResourceError, CancelledError)
"""Errors of a thread that calls into an event loop at its end."""


class StdioTransport:
    """
    One client, from its first line to its last; made in the event loop that serves it.

    Args:
        wire: Where it writes and reads.
        at_end: Called when its last line was read, or the transport was stopped.

    """

    def __init__(self, wire: Wire, at_end: Callable[[], None]) -> None:
        self._wire = wire
        self._at_end = at_end
        self._to_server, self._requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
        self._answers, self._from_server = anyio.create_memory_object_stream[SessionMessage]()
        self._loop = anyio.lowlevel.current_token()
        self._lines = queue.Queue[bytes](MAX_LINES_AHEAD)
        self._open = set[RequestId]()
        self._answered = anyio.Event()

    async def serve(self, server: MemoryServer) -> None:
        """Serve the client; what it asked before it left may still be answered for `DRAIN_SECONDS`."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write)
            for work in (self._read, self._hand_on):
                threading.Thread(target=work, daemon=True).start()
            try:
                await server.serve(self._requests, self._answers.clone())
            finally:
                self._requests.close()  # a store that can't be opened: the thread that hands lines on must not wait
            self._answers.close()

    def stop(self) -> None:
        """End as if the client had left; may be called by any thread, and a signal's handler."""
        self._at_end()
        threading.Thread(target=self._in_loop, args=(self._end,), daemon=True).start()

    def _read(self) -> None:
        """Read ahead, so that the end is seen when it comes; a thread of its own, as nothing can interrupt it."""
        with contextlib.suppress(OSError):  # a terminal that is gone, say, is a client that has left
            while line := self._wire.incoming.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                    self._skip_line()
                if line.strip():
                    self._lines.put(line)
        self._at_end()
        self._lines.put(b"")

    def _hand_on(self) -> None:
        while line := self._lines.get():
            self._in_loop(partial(self._accept, line))
        self._in_loop(self._end)

    def _skip_line(self) -> None:
        while (rest := self._wire.incoming.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass

    def _in_loop(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        with contextlib.suppress(*NO_READER):
            anyio.from_thread.run(function, token=self._loop)

    async def _accept(self, line: bytes) -> None:
        if len(line) > LONGEST_LINE:
            await self._refuse(None, INVALID_REQUEST, f"a message has at most {LONGEST_LINE} bytes: shorten it")
            return
        try:
            message = _message(line)
        except ValueError:
            await self._refuse(*_what_is_wrong(line))
            return
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        await self._to_server.send(SessionMessage(message))

    async def _refuse(self, request_id: RequestId | None, code: int, reason: str) -> None:
        error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=reason))
        await self._answers.send(SessionMessage(error))

    async def _write(self) -> None:
        async for message in self._from_server:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await anyio.to_thread.run_sync(self._put, text.encode() + b"\n")
            except OSError:  # nobody reads any more
                self._open.clear()
                self._at_end()
                await self._end()
                return
            if isinstance(message.message, JSONRPCResponse | JSONRPCError):
                self._open.discard(message.message.id)
                self._answered.set()

    def _put(self, line: bytes) -> None:
        self._wire.outgoing.write(line)
        self._wire.outgoing.flush()

    async def _end(self) -> None:
        with anyio.move_on_after(DRAIN_SECONDS):
            while self._open:
                self._answered = anyio.Event()
                await self._answered.wait()
        self._to_server.close()


def _message(line: bytes) -> JSONRPCMessage:
    """
    Return the message that *line* holds.

    Raises:
        ValueError: it holds none; a request whose id is neither number nor text is no notification.
    """
    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(message, JSONRPCNotification) and "id" in json.loads(line):
        raise ValueError("the id is neither a number nor a text")
    return message


def _what_is_wrong(line: bytes) -> tuple[RequestId | None, int, str]:
    """Return the id of a request that is none, the error's code, and what to change."""
    shown = line.strip().decode(errors="replace")[:LONGEST_SHOWN]
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None, PARSE_ERROR, f"{shown!r} is not JSON: write one JSON-RPC message a line"
    request_id = document.get("id") if isinstance(document, dict) else None
    known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
    return known, INVALID_REQUEST, f"{shown!r} is not a JSON-RPC 2.0 message with a method and an object as params"
