"""
A client of the MCP server.

It sends a conversation all at once, or call by call.
"""

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bench.processes import script

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}

Call = tuple[str, Mapping[str, object]]
"""The name of a tool and its arguments."""


class Answered(NamedTuple):
    """An answer, and the milliseconds from the question to its last byte."""

    result: Any
    wall_ms: float


def conversation(calls: Sequence[Call]) -> str:
    """Return what a client writes that shakes hands, calls tools, and leaves."""
    requests = [
        _request("tools/call", number, name=name, arguments=given)
        for number, (name, given) in enumerate(calls)
    ]
    return "\n".join([_request("initialize", "hello", **HANDSHAKE), _INITIALIZED, *requests, ""])


def answers(output: str) -> int:
    """Return how many tools of a conversation answered without an error."""
    results = [json.loads(line).get("result", {}) for line in output.splitlines()]
    return sum(result.get("isError") is False for result in results)


class Client:
    """
    A client of one server process, which stays.

    `running_server` makes it.

    Attributes:
        pid: The number of that process.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self.pid = process.pid
        self.ask("initialize", **HANDSHAKE)
        self._send(_INITIALIZED)

    def ask(self, method: str, **params: object) -> Answered:
        """
        Ask the server and wait for its answer.

        Raises:
            RuntimeError: it refused, or left.
        """
        assert self._process.stdout
        started = time.perf_counter()
        self._send(_request(method, 1, **params))
        line = self._process.stdout.readline()
        wall_ms = (time.perf_counter() - started) * 1000
        answer = json.loads(line) if line else {}
        if "result" not in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{method} {json.dumps(params)[:200]}: {line[:500]!r}")
        return Answered(answer["result"], wall_ms)

    def tools(self) -> set[str]:
        """Return the names of the tools there are."""
        return {tool["name"] for tool in self.ask("tools/list").result["tools"]}

    def call(self, call: Call) -> Answered:
        """Call a tool."""
        name, arguments = call
        return self.ask("tools/call", name=name, arguments=arguments)

    def _send(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()


@contextlib.contextmanager
def running_server(project: str, environment: Mapping[str, str]) -> Iterator[Client]:
    """Run a server in the folder *project* as long as the context lasts."""
    with subprocess.Popen(
        [script("hardwon-mcp")],
        cwd=project,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Client(process)
        finally:
            process.kill()


def _request(method: str, request_id: int | str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


_INITIALIZED = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
