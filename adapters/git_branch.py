"""The branch that is checked out, read from git's own files: no process is started for it."""

import os

LONGEST_HEAD = 4096
BRANCH = "ref: refs/heads/"


def checked_out_branch(project_root: str) -> str | None:
    """Return the branch of the repository that holds *project_root*; None without one, or with none checked out."""
    folder = os.path.realpath(project_root)
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    head = _first_line(os.path.join(_git_folder(folder), "HEAD"))
    return head.removeprefix(BRANCH) if head.startswith(BRANCH) else None


def _git_folder(folder: str) -> str:
    """Return where git keeps its files for a work tree; a linked one names the place in a file."""
    path = os.path.join(folder, ".git")
    pointer = "" if os.path.isdir(path) else _first_line(path)
    return os.path.join(folder, pointer.removeprefix("gitdir: ")) if pointer.startswith("gitdir: ") else path


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(LONGEST_HEAD).strip()
    except OSError:
        return ""
