"""
Programs without their start: a process that has imported the libraries forks one child for each
run.

The child is a process of its own in every way, and runs the installed console
script to its end. Nothing of hardwon is imported before, so a run still sees
its own modules, environment and files; only the libraries come for nothing.
"""

import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

SERVER = Path(__file__).with_name("fork_server.py")
COMMANDS = "attrs cattrs numpy typer rich.console rich.table rich.progress certifi httpx"
PROGRAMS = {
    "hardwon": COMMANDS,
    "hardwon-writer": COMMANDS,
    "hardwon-mcp": "attrs cattrs numpy certifi httpx anyio._backends._asyncio mcp.server.mcpserver uvicorn",
}
"""The console scripts, and the libraries that each would import."""

AT_START = ("PYTHON", "LANG", "LC_")
"""How the names of variables begin that an interpreter reads once, when it starts."""

NUMBER = b"%12d"
"""How pids, exit codes and lengths are told."""

LONGEST_COMPLAINT = 65_536

_asking = threading.Lock()


def can_fork(program: str, variables: Mapping[str, str]) -> bool:
    """Return whether *program* is a console script that, with this environment, any interpreter may run."""
    return program in PROGRAMS and not any(name.startswith(AT_START) for name in variables)


class Forked:
    """
    A console script in a forked process.

    Attributes:
        pid: Its number.
        returncode: Its exit code once it was waited for; below 0 the signal that ended it.

    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        variables: Mapping[str, str],
        streams: Sequence[int],
    ) -> None:
        """
        Start it.

        Args:
            command: The script's path, then its arguments.
            folder: The working folder.
            variables: The whole environment.
            streams: File descriptors of standard input, output and error.

        """
        request = json.dumps(
            {"command": command, "folder": str(folder), "variables": dict(variables)}
        ).encode()
        self.returncode: int | Any = None
        self._parent, theirs = socket.socketpair()
        with theirs, _asking:
            server = _server(PROGRAMS[Path(command[0]).name])
            socket.send_fds(server, [NUMBER % len(request)], [*streams, theirs.fileno()])
            server.sendall(request)
        pid = self._parent.recv(12)
        assert pid, server.recv(LONGEST_COMPLAINT, socket.MSG_DONTWAIT).decode()
        self.pid = int(pid)

    def wait(self, timeout: float | None = None) -> int:
        """
        Return the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs after *timeout* seconds.
        """
        if self.returncode is None:
            self._parent.settimeout(timeout)
            try:
                self.returncode = int(self._parent.recv(12))
            except (TimeoutError, BlockingIOError) as error:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from error
            self._parent.close()
        return int(self.returncode)

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        try:
            self.wait(0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


@functools.cache
def _server(libraries: str) -> socket.socket:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-P", str(SERVER), str(theirs.fileno()), *libraries.split()]
    process = subprocess.Popen(
        command,
        pass_fds=[theirs.fileno()],
        env={"PATH": os.environ["PATH"]},
        # like the pipes of most programs these can't seek, and `sys.stdout` remembers that
        stdin=theirs.fileno(),
        stdout=theirs.fileno(),
        stderr=theirs.fileno(),
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)  # first: it tells the server to leave
    return ours


class Piped(Forked):
    """A forked process that is used as one of `subprocess.Popen` with its three pipes is."""

    def __init__(self, command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> None:
        (stdin, ours), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
        self.stdin: BinaryIO = os.fdopen(ours, "wb")
        self.stdout: BinaryIO = os.fdopen(out, "rb")
        self.stderr: BinaryIO = os.fdopen(err, "rb")
        super().__init__(command, folder, variables, [stdin, stdout, stderr])
        for theirs in (stdin, stdout, stderr):
            os.close(theirs)

    def communicate(self, stdin: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write the last of the input; return what was not yet read of both outputs, once the process has ended."""
        with ThreadPoolExecutor(2) as readers:
            outputs = [readers.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            self._write_last(stdin)
            self.wait(timeout)
            stdout, stderr = (output.result() for output in outputs)
        return stdout, stderr

    def _write_last(self, stdin: bytes) -> None:
        with contextlib.suppress(BrokenPipeError), contextlib.closing(self.stdin):
            if stdin:
                self.stdin.write(stdin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        for stream in (self.stdout, self.stderr):
            stream.close()
        self._write_last(b"")
        self.wait()


def _rest(stream: BinaryIO) -> bytes:
    if stream.closed:
        return b""
    with stream:
        return stream.read()
