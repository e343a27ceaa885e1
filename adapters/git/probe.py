"""
Run a trusted git within bounds, and list the changed files it reports.

Git is run so that it starts no other program: the `.git` of an unpacked archive can have settings
that name programs, such as monitors, hooks, filters and transports. Standard library only.
"""

import datetime as dt
import errno
import math
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import Self

from hardwon.adapters.git.default_branch import DEFAULT_BRANCHES
from hardwon.adapters.git.identity import checked_out_branch, top_of
from hardwon.adapters.git.reflog import own_subjects
from hardwon.domain.model.context import MAX_FILES, Branch
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


# Of git's variables only those of the places of git and of the user's configuration. GIT_DIR and
# the like would direct a hook started inside another git hook to that repository; others would
# change the output.
KEPT_VARIABLES = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)
VARIABLES_WITH_PATHS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH")
"""
Variables that name programs, or files that do.

Never passed with a place in the project.
"""

SETTINGS = (
    "core.fsmonitor=",  # empty, as a git before 2.36 would run a program called false
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",  # a folder of the work tree can't pass for a repository
)
NO_CONVERSATION = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # a git before 2.44 ignores the line above and would fetch
}

FILTERS = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process)$")
"""Lists the programs that filter files before a comparison."""

FILTER_CODES = (0, 1)  # some; none


class UnsafeRepositoryError(ValueError):
    """Git can't be prevented from running programs that this repository names."""


def git_command(
    project_root: str, search_path: str, arguments: Sequence[str], settings: Sequence[str] = ()
) -> list[str]:
    """Return the command that runs git in *project_root*."""
    named = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
    program = find_git(project_root, search_path)
    return [program, "--no-pager", "--no-optional-locks", "-C", project_root, *named, *arguments]


def git_environment(project_root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for git, none of which leads into the project."""
    around = surroundings(project_root)
    kept = {
        name: value
        for name, value in variables.items()
        if name in KEPT_VARIABLES or name[:4] != "GIT_"
    }
    safe = {
        name: value
        for name, value in kept.items()
        if name not in VARIABLES_WITH_PATHS or around.trusts(value)
    }
    return {**safe, "PATH": around.trusted(variables.get("PATH", os.defpath)), **NO_CONVERSATION}


_COMMANDS = ("recall", "remember", "save")
_OLDER_COMMANDS = ("recall", "remember")
"""In a folder of their own, known from an earlier program."""

_COMMAND_NAMES = (
    *_COMMANDS,
    *(f"tlc/{name}" for name in _OLDER_COMMANDS),
    "hardwon/pause",
    "hardwon/resume",
)

OWN_FILES = (
    "memory/**/*.md",
    "memory-*.md",
    "specs/*/memory/**/*.md",
    "docs/knowledge-bank/*.md",
    *(f".claude/commands/{name}.md" for name in _COMMAND_NAMES),
    *(f".codex/skills/{name.replace('/', '-')}/SKILL.md" for name in _COMMAND_NAMES),
    *(f".gemini/commands/{name}.toml" for name in _COMMAND_NAMES),
    *(f".opencode/commands/{name}.md" for name in _COMMAND_NAMES),
)
"""
The files of a project that hardwon writes.

Their changes do not show what the user works on.
"""

OTHER_FILES = (":(top)", *(f":(exclude,glob){pattern}" for pattern in OWN_FILES))
"""Pathspecs of all files of the repository but those that hardwon writes."""


def changes(revisions: str) -> list[str]:
    """
    Return git's arguments to list files changed between *revisions*.

    Files that hardwon writes are left out.
    """
    quiet = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-relative")
    # The dashes tell a range from a file of that name. Git filters, as its answer is cut.
    return ["diff", "--name-only", "-z", *quiet, revisions, "--", *OTHER_FILES]


PRESENT = (
    *("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"),
    *("--ignore-submodules=dirty", "--", *OTHER_FILES),
)
"""Git's arguments to list staged, changed and new files, without those that hardwon writes."""


def commit_times(revisions: str) -> list[str]:
    """Return git's arguments to list commit times in seconds since 1970."""
    # Showing signatures would run a program that the repository's settings name.
    return ["log", "-z", "--no-show-signature", "--no-notes", "--format=%ct", revisions, "--"]


def without_filters(code: int, names: bytes, most: int) -> list[str]:
    """
    Return the settings that switch off the filters of a repository.

    Args:
        code: The exit code of `FILTERS`.
        names: Its output.
        most: The number of names from which on the output may be cut.

    Raises:
        UnsafeRepositoryError: they are unknown, too many, or one can't be named.
    """
    if code not in FILTER_CODES:
        raise UnsafeRepositoryError(
            f"asked for the repository's filters, it ended with code {code}"
        )
    drivers = {os.fsdecode(name).rpartition(".")[0] for name in names.split(b"\0")[:-1]}
    if names.count(b"\0") >= most or any("=" in driver for driver in drivers):
        raise UnsafeRepositoryError(
            f"its filters can't be switched off: more than {most // 2}, or odd names"
        )
    off = ("clean=", "process=", "required=false")
    return [f"{driver}.{setting}" for driver in sorted(drivers) for setting in off]


RANGES = ("HEAD~3..HEAD", "HEAD~1..HEAD")
UNCOMMITTED = "HEAD"
MAX_DIFF_FILES = 1000
MAX_COMMITS = 10_000
SILENT_CODES = (0, 128, 129)  # done; no such commit; not a repository


class GitChangeProbe:
    """
    Changed files by git, without those that hardwon wrote.

    Never raises.

    Args:
        project_root: A folder inside the repository; names are relative to the repository's top.
        warn: Called with one line if git is missing, can't start, fails or hangs, but not for a
            folder without a repository or with too few commits.
    """

    def __init__(self, project_root: str, warn: Callable[[str], None]) -> None:
        self._root = project_root
        self._warn = warn

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed over the last three commits, at most 20.

        They are in git's order. With fewer commits, those of the last one; none for a project with
        one commit, with none, without git, or when *deadline* passes.
        """
        return self._changed(RANGES, deadline)

    def uncommitted_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return tracked files that differ from the last commit.

        They are compared without filters, which are programs that the repository names.
        """
        return self._uncommitted(deadline, MAX_FILES)

    def present_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the staged, the changed and the new files, at most 20.

        A new folder is one name. They are compared as in `uncommitted_files`.
        """
        listed = self._answer([[*PRESENT]], deadline, MAX_DIFF_FILES, compares_work_tree=True)
        return tuple(line[len("XY ") :] for line in sorted(listed, key=_state)[:MAX_FILES])

    def checked_out(self) -> Branch:
        """Return the checked-out branch with the subjects of its own commits, from files."""
        name = checked_out_branch(self._root)
        return Branch(name, own_subjects(self._root, name)) if name else Branch()

    def feature_files(self, branch: str | None, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed since *branch* left the default branch.

        On the default branch itself, those of the last three commits.
        """
        committed = self._changed(
            [f"{start}...HEAD" for start in _starts(branch)], deadline, MAX_DIFF_FILES
        )
        changing = self._uncommitted(deadline, MAX_DIFF_FILES)
        recent = () if committed else self._changed(RANGES, deadline, MAX_DIFF_FILES)
        return tuple(dict.fromkeys((*committed, *changing, *recent)))

    def branch_started(self, branch: str | None, deadline: Deadline) -> dt.datetime | None:
        """Return the time of the branch's first own commit."""
        questions = [commit_times(f"{start}..HEAD") for start in _starts(branch)]
        times = [
            int(text) for text in self._answer(questions, deadline, MAX_COMMITS) if text.isdecimal()
        ]
        return dt.datetime.fromtimestamp(min(times), dt.UTC) if times else None

    def _changed(
        self, revisions: Sequence[str], deadline: Deadline, most: int = MAX_FILES
    ) -> tuple[str, ...]:
        return self._answer([changes(revision) for revision in revisions], deadline, most)

    def _uncommitted(self, deadline: Deadline, most: int) -> tuple[str, ...]:
        return self._answer([changes(UNCOMMITTED)], deadline, most, compares_work_tree=True)

    def _answer(
        self,
        questions: Sequence[list[str]],
        deadline: Deadline,
        most: int,
        *,
        compares_work_tree: bool = False,
    ) -> tuple[str, ...]:
        try:
            settings = self._without_filters(deadline) if compares_work_tree else ()
            return self._first_answer(questions, deadline, most=most, settings=settings)
        except TimeoutError:
            self._warn("git did not answer in time; going on without its answer")
        except (OSError, ValueError) as error:
            self._warn(f"git can't be run ({error}); going on without its answer")
        return ()

    def _without_filters(self, deadline: Deadline) -> Sequence[str]:
        if deadline.passed():
            return ()
        code, names = self._ask(FILTERS, deadline, MAX_FILES)
        return without_filters(code, names, MAX_FILES)

    def _first_answer(
        self, questions: Sequence[list[str]], deadline: Deadline, most: int, settings: Sequence[str]
    ) -> tuple[str, ...]:
        code = 0
        for question in questions:
            if deadline.passed():
                return ()
            code, output = self._ask(question, deadline, most=most, settings=settings)
            if code == 0:
                return _names(output, most)
        if code not in SILENT_CODES:
            self._warn(f"git ended with code {code}; going on without its answer")
        return ()

    def _ask(
        self, arguments: Sequence[str], deadline: Deadline, most: int, settings: Sequence[str] = ()
    ) -> tuple[int, bytes]:
        command = git_command(
            self._root, os.environ.get("PATH", os.defpath), arguments=arguments, settings=settings
        )
        return run(command, git_environment(self._root, os.environ), deadline=deadline, most=most)


def _state(line: str) -> tuple[bool, bool]:
    """Return the key of a line of `PRESENT` that orders staged, changed, new files."""
    return line.startswith("??"), line.startswith(" ")


def _starts(branch: str | None) -> list[str]:
    """Return the branches that *branch* may have started from, the likeliest first."""
    if branch in DEFAULT_BRANCHES[:2]:
        return []
    others = [name for name in DEFAULT_BRANCHES if name != branch]
    local, remote = (
        [f"{folder}/{name}" for name in others] for folder in ("refs/heads", "refs/remotes/origin")
    )
    return ["refs/remotes/origin/HEAD", *local, *remote]


def _names(output: bytes, most: int) -> tuple[str, ...]:
    # A name ends with a zero byte, so that a rest after the last one was cut.
    return tuple(name.decode("utf-8", "replace") for name in output.split(b"\0")[:-1][:most])
