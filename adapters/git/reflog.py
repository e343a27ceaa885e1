"""
The commits that git noted as made on a branch.

No process runs. Standard library only.
"""

import os
import re

from hardwon.adapters.folder import read_end
from hardwon.adapters.git.default_branch import DEFAULT_BRANCHES, OF_ORIGIN, ORIGIN_HEAD
from hardwon.adapters.git.identity import common_folder, first_line, top_of

MAX_SUBJECTS = 5
MAX_CHARACTERS = 200
"""Of a subject."""
LARGEST_READ = 1 << 14
"""Bytes at the end of a log."""

COMMITTED = re.compile(r"^[^\t\n]*\t(?:commit(?: \([a-z]+\))?|cherry-pick): (.+)$", re.MULTILINE)


def own_subjects(project_root: str, branch: str) -> tuple[str, ...]:
    """
    Return the subjects of the newest commits made on *branch* here, the newest first.

    There are none for a default branch: others commit there, too. Never raises.
    """
    top = top_of(os.path.realpath(project_root))
    common = common_folder(top) if top else None
    if common is None:
        return ()
    named = first_line(os.path.join(common, *ORIGIN_HEAD.split("/"))).removeprefix("ref: ")
    if branch in DEFAULT_BRANCHES or named == f"{OF_ORIGIN}{branch}":
        return ()
    subjects = COMMITTED.findall(_end_of(os.path.join(common, "logs", "refs", "heads", branch)))
    cut = (subject[:MAX_CHARACTERS].strip() for subject in reversed(subjects))
    return tuple(dict.fromkeys(filter(None, cut)))[:MAX_SUBJECTS]


def _end_of(path: str) -> str:
    try:
        return read_end(path, LARGEST_READ).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
