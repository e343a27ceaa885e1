"""Running git: for so long, for so many names, and nothing of it runs on. Standard library only."""

import errno
import math
import os
import select
import signal
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from hardwon.domain.model.deadline import Deadline

MAX_OUTPUT_BYTES = 1 << 20
BURIAL_SECONDS = 0.2  # a killed process is gone in microseconds, unless a dead network disk holds it
CHUNK_BYTES = 1 << 16
NAP_SECONDS = 0.0005


def _enough(output: bytes | bytearray, most: int) -> bool:
    return len(output) >= MAX_OUTPUT_BYTES or output.count(0) >= most


def run(command: list[str], environment: dict[str, str], deadline: Deadline, most: int) -> tuple[int, bytes]:
    """
    Return the exit code of *command* and what it wrote, of which *most* names are enough; nothing of it runs on.

    Raises:
        TimeoutError: *deadline* passed.
        OSError: it can't be started.
        ValueError: an argument holds a zero byte.
    """
    if not hasattr(os, "posix_spawnp"):
        return _run_portably(command, environment, deadline)
    with _Child(command, environment) as child:
        output = child.read(deadline, most)
        return (0 if _enough(output, most) else child.wait(deadline)), output


def _run_portably(command: list[str], environment: dict[str, str], deadline: Deadline) -> tuple[int, bytes]:
    import subprocess  # noqa: PLC0415 - 16 ms to import, and only Windows needs it

    patience = deadline.remaining()
    timeout = patience if math.isfinite(patience) else None
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        done = subprocess.run(
            command, env=environment, stdin=null, stdout=pipe, stderr=null, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(errno.ETIMEDOUT, "git hangs") from error
    return done.returncode, done.stdout


class _Child:
    """
    A process of its own group that writes into a pipe.

    Leaving the `with` block closes the pipe, and kills and reaps what still
    runs of the group.
    """

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._pipe, writable = os.pipe()
        # The pipe comes first: it may have taken the number of a closed standard stream.
        streams = (
            (os.POSIX_SPAWN_DUP2, writable, 1),
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        )
        try:
            self._pid = os.posix_spawnp(command[0], command, environment, file_actions=streams, setpgroup=0)
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(writable)
        self._running = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        os.close(self._pipe)
        if self._running:
            with suppress(OSError):  # macOS refuses a group whose leader has just ended
                os.killpg(self._pid, signal.SIGKILL)
            with suppress(TimeoutError):
                self.wait(Deadline.after(BURIAL_SECONDS, time.monotonic))

    def read(self, deadline: Deadline, most: int) -> bytes:
        """Return what the process writes, to its end or until there are *most* names."""
        poller = select.poll()
        poller.register(self._pipe, select.POLLIN)
        output = bytearray()
        while not _enough(output, most):
            patience = deadline.remaining()
            if not poller.poll(math.ceil(patience * 1000) if math.isfinite(patience) else None):
                raise TimeoutError(errno.ETIMEDOUT, "git hangs")
            chunk = os.read(self._pipe, CHUNK_BYTES)
            if not chunk:
                break
            output += chunk
        return bytes(output)

    def wait(self, deadline: Deadline) -> int:
        """Return the exit code; it may come a moment after the pipe's end."""
        while True:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # whoever started us ignores SIGCHLD: the code is lost
                pid, status = self._pid, 0
            if pid:
                self._running = False
                return os.waitstatus_to_exitcode(status)
            if deadline.passed():
                raise TimeoutError(errno.ETIMEDOUT, "git hangs")
            time.sleep(NAP_SECONDS)
