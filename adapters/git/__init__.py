import errno
import math
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from hardwon.adapters.git.command import FILTERS, changes, git_command, git_environment, without_filters
from hardwon.domain.model.context_query import MAX_FILES
from hardwon.domain.model.deadline import Deadline

RANGES = ("HEAD~3..HEAD", "HEAD~1..HEAD")
UNCOMMITTED = ("HEAD",)
MAX_OUTPUT_BYTES = 1 << 20
BURIAL_SECONDS = 0.2  # a killed process is gone in microseconds, unless a dead network disk holds it
CHUNK_BYTES = 1 << 16
NAP_SECONDS = 0.0005
SILENT_CODES = (0, 128, 129)  # done; no such commit; not a repository


class GitChangeProbe:
    """
    Asks git what changed; satisfies `ChangeProbe`.

    Args:
        project_root: A folder inside the repository; names come relative to the repository's top.
        warn: Told in one line when git is missing, can't start, breaks or hangs;
            not told of a folder without a repository or with too few commits.

    """

    def __init__(self, project_root: str, warn: Callable[[str], None]) -> None:
        self._root = project_root
        self._warn = warn

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        """Return the names changed over the last three commits, else over the last one, else none."""
        return self._changed(RANGES, deadline)

    def uncommitted_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names of files that git knows and that differ from the last commit.

        They are compared as they are: a filter is a program that the repository names.
        """
        return self._changed(UNCOMMITTED, deadline)

    def _changed(self, revisions: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
        try:
            settings = self._without_filters(deadline) if revisions is UNCOMMITTED else ()
            return self._first_answer(revisions, deadline, settings)
        except TimeoutError:
            self._warn("git did not answer in time; going on without the changed files")
        except (OSError, ValueError) as error:
            self._warn(f"git can't be run ({error}); going on without the changed files")
        return ()

    def _without_filters(self, deadline: Deadline) -> Sequence[str]:
        if deadline.passed():
            return ()
        code, names = self._ask(FILTERS, deadline)
        return without_filters(code, names, MAX_FILES)

    def _first_answer(self, revisions: Sequence[str], deadline: Deadline, settings: Sequence[str]) -> tuple[str, ...]:
        code = 0
        for each in revisions:
            if deadline.passed():
                return ()
            code, output = self._ask(changes(each), deadline, settings)
            if code == 0:
                return _names(output)
        if code not in SILENT_CODES:
            self._warn(f"git ended with code {code}; going on without the changed files")
        return ()

    def _ask(self, arguments: Sequence[str], deadline: Deadline, settings: Sequence[str] = ()) -> tuple[int, bytes]:
        command = git_command(self._root, os.environ.get("PATH", os.defpath), arguments, settings)
        return _run(command, git_environment(self._root, os.environ), deadline)


def _names(output: bytes) -> tuple[str, ...]:
    # Each name ends with a zero byte, so what stands after the last one was cut off.
    return tuple(name.decode("utf-8", "replace") for name in output.split(b"\0")[:-1][:MAX_FILES])


def _enough(output: bytes | bytearray) -> bool:
    return len(output) >= MAX_OUTPUT_BYTES or output.count(0) >= MAX_FILES


def _run(command: list[str], environment: dict[str, str], deadline: Deadline) -> tuple[int, bytes]:
    """
    Return the exit code of *command* and what it wrote; nothing of it runs on.

    Raises:
        TimeoutError: *deadline* passed.
        OSError: it can't be started.
        ValueError: an argument holds a zero byte.
    """
    if not hasattr(os, "posix_spawnp"):
        return _run_portably(command, environment, deadline)
    with _Child(command, environment) as child:
        output = child.read(deadline)
        return (0 if _enough(output) else child.wait(deadline)), output


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

    def read(self, deadline: Deadline) -> bytes:
        """Return what the process writes, to its end or until it is enough."""
        poller = select.poll()
        poller.register(self._pipe, select.POLLIN)
        output = bytearray()
        while not _enough(output):
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
