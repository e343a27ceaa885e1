"""The time that the server takes to answer its first request on this machine."""

import json
import os
import subprocess
import tempfile
import threading
import time
from contextlib import suppress

LIMIT_SECONDS = 60.0
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hardwon", "version": "1"}},
}


def start_seconds(program: str) -> float:
    """Start *program*, which speaks MCP, on an empty store, and return when it answered; 0 if it can't be started."""
    with tempfile.TemporaryDirectory() as folder, suppress(OSError):
        environ = {**os.environ, "HARDWON_STORE": os.path.join(folder, "store")}
        started = time.monotonic()
        with subprocess.Popen(
            [program],
            bufsize=0,
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as server:
            limit = threading.Timer(LIMIT_SECONDS, server.kill)
            limit.start()
            try:
                return _answered(server) - started
            finally:
                limit.cancel()
                server.kill()
    return 0.0


def _answered(server: subprocess.Popen[bytes]) -> float:
    """Return when the first line came, or the server ended."""
    if server.stdin and server.stdout:
        with suppress(BrokenPipeError):
            server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdout.readline()
    return time.monotonic()
