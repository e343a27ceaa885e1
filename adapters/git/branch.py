"""The branch that is checked out, read from git's own files: no process is started for it."""

import os

from hardwon.adapters.git.work_tree import first_line, git_folder, top_of

BRANCH = "ref: refs/heads/"


def checked_out_branch(project_root: str) -> str | None:
    """Return the branch of the repository that holds *project_root*; None without one, or with none checked out."""
    top = top_of(os.path.realpath(project_root))
    if top is None:
        return None
    head = first_line(os.path.join(git_folder(top), "HEAD"))
    return head.removeprefix(BRANCH) if head.startswith(BRANCH) else None
