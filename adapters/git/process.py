"""Find a git outside the project, and run it within bounds."""

import errno
import math
import os
import select
import signal
import time
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import Self

from hardwon.adapters.git.identity import top_of
from hardwon.domain.model.deadline import Deadline

NAME = "git.exe" if os.name == "nt" else "git"


class Surroundings:
    """
    The trusted places for programs, outside an untrusted project.

    A relative entry of PATH means a folder of the project, and tools like direnv add the project's
    folders: neither is trusted, nor links into them.
    """

    def __init__(self, project_root: str) -> None:
        real = os.path.realpath(project_root)
        self._project = os.path.join(top_of(real) or real, "")

    def trusts(self, path: str) -> bool:
        """Return whether *path* is absolute and outside the project."""
        if not os.path.isabs(path):
            return False
        places = (os.path.normpath(path), os.path.realpath(path))
        # If the project is the root folder, no place is outside of it.
        return self._project == os.path.join(os.sep, "") or not any(
            os.path.join(place, "").startswith(self._project) for place in places
        )

    def trusted(self, search_path: str) -> str:
        """Return the trusted entries of *search_path*."""
        return os.pathsep.join(filter(self.trusts, search_path.split(os.pathsep)))

    def git(self, search_path: str) -> str:
        """Return the absolute path of the first trusted git on *search_path*."""
        for folder in filter(None, self.trusted(search_path).split(os.pathsep)):
            program = os.path.join(folder, NAME)
            if os.path.isfile(program) and os.access(program, os.X_OK) and self.trusts(program):
                return program
        raise FileNotFoundError(
            errno.ENOENT, "no git on PATH, or only in the project itself or in relative folders"
        )


@lru_cache(maxsize=4)
def surroundings(project_root: str) -> Surroundings:
    """Return the surroundings of *project_root*, cached."""
    return Surroundings(project_root)


@lru_cache(maxsize=4)
def find_git(project_root: str, search_path: str) -> str:
    """Return `Surroundings.git`, cached."""
    return surroundings(project_root).git(search_path)


MAX_OUTPUT_BYTES = 1 << 20
REAP_SECONDS = 0.2  # a killed process is gone in microseconds, unless a dead network disk holds it
CHUNK_BYTES = 1 << 16
NAP_SECONDS = 0.0005


def _enough(output: bytes | bytearray, most: int) -> bool:
    return len(output) >= MAX_OUTPUT_BYTES or output.count(0) >= most


def run(
    command: list[str], environment: dict[str, str], deadline: Deadline, most: int
) -> tuple[int, bytes]:
    """
    Run *command* and return its exit code and cut output.

    No process of it is left running.
    """
    if not hasattr(os, "posix_spawnp"):
        return _run_portably(command, environment, deadline)
    with _Child(command, environment) as child:
        output = child.read(deadline, most)
        return (0 if _enough(output, most) else child.wait(deadline)), output


def _run_portably(
    command: list[str], environment: dict[str, str], deadline: Deadline
) -> tuple[int, bytes]:
    import subprocess  # noqa: PLC0415 - 16 ms to import, and only Windows needs it

    patience = deadline.remaining()
    timeout = patience if math.isfinite(patience) else None
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=null,
            stdout=pipe,
            stderr=null,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(errno.ETIMEDOUT, "git hangs") from error
    return done.returncode, done.stdout


class _Child:
    """
    A process in a new group that writes into a pipe.

    Leaving the `with` block closes the pipe, and kills and reaps the group.
    """

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._pipe, writable = os.pipe()
        # The pipe first: it may have the number of a closed standard stream.
        streams = (
            (os.POSIX_SPAWN_DUP2, writable, 1),
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        )
        try:
            self._pid = os.posix_spawnp(
                command[0], command, environment, file_actions=streams, setpgroup=0
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(writable)
        self._running = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        os.close(self._pipe)
        if self._running:
            with suppress(OSError):  # macOS refuses a group whose leader has just ended
                os.killpg(self._pid, signal.SIGKILL)
            with suppress(TimeoutError):
                self.wait(Deadline.after(REAP_SECONDS, time.monotonic))

    def read(self, deadline: Deadline, most: int) -> bytes:
        """Return the output, to its end or until it has *most* names."""
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
        """Return the exit code, which may come shortly after the pipe's end."""
        while True:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # the parent process ignores SIGCHLD: the code is lost
                pid, status = self._pid, 0
            if pid:
                self._running = False
                return os.waitstatus_to_exitcode(status)
            if deadline.passed():
                raise TimeoutError(errno.ETIMEDOUT, "git hangs")
            time.sleep(NAP_SECONDS)
