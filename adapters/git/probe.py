"""
The branch that is checked out, read from git's own files: no process is started for it.

Git asked in a way in which it starts no other program, whatever the repository's own files say.

A folder that was unpacked from an archive brings its `.git` along, and with it settings that
name programs: monitors, hooks, filters, transports. Standard library only.

The files that git knows to have changed. Standard library only.
"""

import datetime as dt
import os
from collections.abc import Callable, Mapping, Sequence

from hardwon.adapters.git.process import find_git, first_line, git_folder, run, surroundings, top_of
from hardwon.domain.model.context import MAX_FILES
from hardwon.domain.model.deadline import Deadline

BRANCH = "ref: refs/heads/"


def checked_out_branch(project_root: str) -> str | None:
    """Return the branch of the repository that holds *project_root*; None without one, or with none checked out."""
    top = top_of(os.path.realpath(project_root))
    if top is None:
        return None
    head = first_line(os.path.join(git_folder(top), "HEAD"))
    return head.removeprefix(BRANCH) if head.startswith(BRANCH) else None


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
LED_ASTRAY = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH")
"""Those that name programs, or files that do: never a place in the project."""

SETTINGS = (
    "core.fsmonitor=",  # empty, as a git before 2.36 would run a program called false
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",  # a folder of the work tree can't pass for a repository
)
NO_CONVERSATION = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # a git before 2.44 does not know the line above and would fetch what is missing
}

FILTERS = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process)$")
"""Asks for the programs that files go through before they are compared."""

FILTERS_TOLD = (0, 1)  # some; none


class UnsafeRepositoryError(ValueError):
    """Git can't be kept from running what this repository names."""


def git_command(
    project_root: str, search_path: str, arguments: Sequence[str], settings: Sequence[str] = ()
) -> list[str]:
    """
    Return the command that runs git in *project_root*.

    Args:
        project_root: A folder inside the repository.
        search_path: Where to look for git.
        arguments: The subcommand and all that follows.
        settings: More of them, as `name=value`.

    Raises:
        FileNotFoundError: there is no git that can be trusted.
        ValueError: *project_root* can't be a path.

    """
    named = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
    program = find_git(project_root, search_path)
    return [program, "--no-pager", "--no-optional-locks", "-C", project_root, *named, *arguments]


def git_environment(project_root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return of *variables* those that git may see, none of which leads it into the project."""
    around = surroundings(project_root)
    kept = {name: value for name, value in variables.items() if name in KEPT_VARIABLES or name[:4] != "GIT_"}
    safe = {name: value for name, value in kept.items() if name not in LED_ASTRAY or around.trusts(value)}
    return {**safe, "PATH": around.trusted(variables.get("PATH", os.defpath)), **NO_CONVERSATION}


def changes(revisions: str) -> list[str]:
    """Return the question which files differ between *revisions*."""
    quiet = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--no-relative")
    # The last dashes keep a file that is named like the range from being taken for it.
    return ["diff", "--name-only", "-z", *quiet, revisions, "--"]


def commit_times(revisions: str) -> list[str]:
    """Return the question when the commits of *revisions* were made, in seconds since 1970."""
    # Showing signatures would run a program that the repository's settings name.
    return ["log", "-z", "--no-show-signature", "--no-notes", "--format=%ct", revisions, "--"]


def without_filters(code: int, names: bytes, most: int) -> list[str]:
    """
    Return the settings that switch off the filters of a repository.

    Args:
        code: How `FILTERS` ended.
        names: What it answered.
        most: So many names may have been cut off.

    Raises:
        UnsafeRepositoryError: they are not told, there are more, or one can't be named.

    """
    if code not in FILTERS_TOLD:
        raise UnsafeRepositoryError(f"asked for the repository's filters, it ended with code {code}")
    drivers = {os.fsdecode(name).rpartition(".")[0] for name in names.split(b"\0")[:-1]}
    if names.count(b"\0") >= most or any("=" in driver for driver in drivers):
        raise UnsafeRepositoryError(f"its filters can't be switched off: more than {most // 2}, or odd names")
    off = ("clean=", "process=", "required=false")
    return [f"{driver}.{setting}" for driver in sorted(drivers) for setting in off]


RANGES = ("HEAD~3..HEAD", "HEAD~1..HEAD")
UNCOMMITTED = "HEAD"
DEFAULT_BRANCHES = ("main", "master", "develop", "trunk")
"""Branches that others leave from; from the first two none is left for another."""
MAX_DIFF_FILES = 1000
MAX_COMMITS = 10_000
SILENT_CODES = (0, 128, 129)  # done; no such commit; not a repository


class GitChangeProbe:
    """
    Asks git which files changed; never raises.

    Args:
        project_root: A folder inside the repository; names come relative to the repository's top.
        warn: Told in one line when git is missing, can't start, breaks or hangs;
            not told of a folder without a repository or with too few commits.

    """

    def __init__(self, project_root: str, warn: Callable[[str], None]) -> None:
        self._root = project_root
        self._warn = warn

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed over the last three commits, in git's order, at most 20.

        With fewer commits, those of the last one; none for a project with one
        commit, with none, without git, or when *deadline* passes.
        """
        return self._changed(RANGES, deadline)

    def uncommitted_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names of files that git knows and that differ from the last commit.

        They are compared as they are: a filter is a program that the repository names.
        """
        return self._uncommitted(deadline, MAX_FILES)

    def feature_files(self, branch: str | None, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed since *branch*, which is checked out, left the default branch, committed or not.

        On the default branch itself, those of the last three commits.
        """
        committed = self._changed([f"{start}...HEAD" for start in _starts(branch)], deadline, MAX_DIFF_FILES)
        changing = self._uncommitted(deadline, MAX_DIFF_FILES)
        recent = () if committed else self._changed(RANGES, deadline, MAX_DIFF_FILES)
        return tuple(dict.fromkeys((*committed, *changing, *recent)))

    def branch_started(self, branch: str | None, deadline: Deadline) -> dt.datetime | None:
        """Return when the first commit was made that *branch* has and the default branch has not; None without one."""
        questions = [commit_times(f"{start}..HEAD") for start in _starts(branch)]
        moments = [int(text) for text in self._answer(questions, deadline, MAX_COMMITS) if text.isdecimal()]
        return dt.datetime.fromtimestamp(min(moments), dt.UTC) if moments else None

    def _changed(self, revisions: Sequence[str], deadline: Deadline, most: int = MAX_FILES) -> tuple[str, ...]:
        return self._answer([changes(revision) for revision in revisions], deadline, most)

    def _uncommitted(self, deadline: Deadline, most: int) -> tuple[str, ...]:
        return self._answer([changes(UNCOMMITTED)], deadline, most, compares_work_tree=True)

    def _answer(
        self, questions: Sequence[list[str]], deadline: Deadline, most: int, *, compares_work_tree: bool = False
    ) -> tuple[str, ...]:
        try:
            settings = self._without_filters(deadline) if compares_work_tree else ()
            return self._first_answer(questions, deadline, most, settings)
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
            code, output = self._ask(question, deadline, most, settings)
            if code == 0:
                return _names(output, most)
        if code not in SILENT_CODES:
            self._warn(f"git ended with code {code}; going on without its answer")
        return ()

    def _ask(
        self, arguments: Sequence[str], deadline: Deadline, most: int, settings: Sequence[str] = ()
    ) -> tuple[int, bytes]:
        command = git_command(self._root, os.environ.get("PATH", os.defpath), arguments, settings)
        return run(command, git_environment(self._root, os.environ), deadline, most)


def _starts(branch: str | None) -> list[str]:
    """Return the names by which git may know where *branch* left from, the likeliest first."""
    if branch in DEFAULT_BRANCHES[:2]:
        return []
    others = [name for name in DEFAULT_BRANCHES if name != branch]
    local, remote = ([f"{folder}/{name}" for name in others] for folder in ("refs/heads", "refs/remotes/origin"))
    return ["refs/remotes/origin/HEAD", *local, *remote]


def _names(output: bytes, most: int) -> tuple[str, ...]:
    # Each name ends with a zero byte, so what stands after the last one was cut off.
    return tuple(name.decode("utf-8", "replace") for name in output.split(b"\0")[:-1][:most])
