"""What git knows of the work at hand. Standard library only."""

import datetime as dt
import os
from collections.abc import Callable, Sequence

from hardwon.adapters.git.command import FILTERS, changes, commit_times, git_command, git_environment, without_filters
from hardwon.adapters.git.running import run
from hardwon.domain.model.context_query import MAX_FILES
from hardwon.domain.model.deadline import Deadline

RANGES = ("HEAD~3..HEAD", "HEAD~1..HEAD")
UNCOMMITTED = "HEAD"
DEFAULT_BRANCHES = ("main", "master", "develop", "trunk")
"""Branches that others leave from; from the first two none is left for another."""
MAX_DIFF_FILES = 1000
MAX_COMMITS = 10_000
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
        return self._answer([changes(each) for each in revisions], deadline, most)

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
        for each in questions:
            if deadline.passed():
                return ()
            code, output = self._ask(each, deadline, most, settings)
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
    others = [each for each in DEFAULT_BRANCHES if each != branch]
    local, remote = ([f"{folder}/{each}" for each in others] for folder in ("refs/heads", "refs/remotes/origin"))
    return ["refs/remotes/origin/HEAD", *local, *remote]


def _names(output: bytes, most: int) -> tuple[str, ...]:
    # Each name ends with a zero byte, so what stands after the last one was cut off.
    return tuple(name.decode("utf-8", "replace") for name in output.split(b"\0")[:-1][:most])
