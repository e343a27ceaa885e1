import datetime as dt
import errno
import math
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from hardwon.domain.model.context_query import MAX_FILES
from hardwon.domain.model.deadline import Deadline

RANGES = ("HEAD~3..HEAD", "HEAD~1..HEAD")
UNCOMMITTED = ("HEAD",)
DEFAULT_BRANCHES = ("main", "master", "develop", "trunk")
"""Branches that others leave from; from the first two none is left for another."""
MAX_DIFF_FILES = 1000
MAX_COMMITS = 10_000
MAX_OUTPUT_BYTES = 1 << 20
BURIAL_SECONDS = 0.2  # a killed process is gone in microseconds, unless a dead network disk holds it
CHUNK_BYTES = 1 << 16
NAP_SECONDS = 0.0005
SILENT_CODES = (0, 128, 129)  # done; no such commit; not a repository

# Of git's own variables only those that say where git and the user's configuration
# are. GIT_DIR and its like would make a hook that was started from inside another
# git hook look at that repository; others would change what is printed.
KEPT_VARIABLES = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)


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
        """Return the names of files that git knows and that differ from the last commit."""
        return self._changed(UNCOMMITTED, deadline)

    def feature_files(self, branch: str | None, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed since *branch*, which is checked out, left the default branch, committed or not.

        On the default branch itself, those of the last three commits.
        """
        committed = self._changed([f"{start}...HEAD" for start in _starts(branch)], deadline, MAX_DIFF_FILES)
        changing = self._changed(UNCOMMITTED, deadline, MAX_DIFF_FILES)
        recent = () if committed else self._changed(RANGES, deadline, MAX_DIFF_FILES)
        return tuple(dict.fromkeys((*committed, *changing, *recent)))

    def branch_started(self, branch: str | None, deadline: Deadline) -> dt.datetime | None:
        """Return when the first commit was made that *branch* has and the default branch has not; None without one."""
        commands = [self._log(f"{start}..HEAD") for start in _starts(branch)]
        moments = [int(text) for text in self._answer(commands, deadline, MAX_COMMITS) if text.isdecimal()]
        return dt.datetime.fromtimestamp(min(moments), dt.UTC) if moments else None

    def _changed(self, revisions: Sequence[str], deadline: Deadline, most: int = MAX_FILES) -> tuple[str, ...]:
        return self._answer([self._command(each) for each in revisions], deadline, most)

    def _answer(self, commands: Sequence[list[str]], deadline: Deadline, most: int) -> tuple[str, ...]:
        try:
            return self._first_answer(commands, deadline, most)
        except TimeoutError:
            self._warn("git did not answer in time; going on without the changed files")
        except (OSError, ValueError) as error:
            self._warn(f"git can't be run ({error}); going on without the changed files")
        return ()

    def _first_answer(self, commands: Sequence[list[str]], deadline: Deadline, most: int) -> tuple[str, ...]:
        code = 0
        for each in commands:
            if deadline.passed():
                return ()
            code, output = _run(each, _environment(os.environ), deadline, most)
            if code == 0:
                return _names(output, most)
        if code not in SILENT_CODES:
            self._warn(f"git ended with code {code}; going on without the changed files")
        return ()

    def _command(self, revisions: str) -> list[str]:
        # The last dashes keep a file that is named like the range from being taken for it.
        return self._git("diff", "--name-only", "-z", "--no-ext-diff", "--no-relative", revisions, "--")

    def _log(self, revisions: str) -> list[str]:
        # Showing signatures would run a program that the repository's settings name.
        return self._git("log", "-z", "--no-show-signature", "--no-notes", "--format=%ct", revisions, "--")

    def _git(self, *arguments: str) -> list[str]:
        return ["git", "--no-pager", "--no-optional-locks", "-C", self._root, *arguments]


def _starts(branch: str | None) -> list[str]:
    """Return the names by which git may know where *branch* left from, the likeliest first."""
    if branch in DEFAULT_BRANCHES[:2]:
        return []
    others = [each for each in DEFAULT_BRANCHES if each != branch]
    local, remote = ([f"{folder}/{each}" for each in others] for folder in ("refs/heads", "refs/remotes/origin"))
    return ["refs/remotes/origin/HEAD", *local, *remote]


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in variables.items() if name in KEPT_VARIABLES or name[:4] != "GIT_"}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}


def _names(output: bytes, most: int) -> tuple[str, ...]:
    # Each name ends with a zero byte, so what stands after the last one was cut off.
    return tuple(name.decode("utf-8", "replace") for name in output.split(b"\0")[:-1][:most])


def _enough(output: bytes | bytearray, most: int) -> bool:
    return len(output) >= MAX_OUTPUT_BYTES or output.count(0) >= most


def _run(command: list[str], environment: dict[str, str], deadline: Deadline, most: int) -> tuple[int, bytes]:
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
