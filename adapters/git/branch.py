"""The branch that is checked out, read from git's own files: no process is started for it."""

import os
import stat

LONGEST_HEAD = 4096
BRANCH = "ref: refs/heads/"

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would hold a recall for ever


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
        with open(path, encoding="utf-8", errors="replace", opener=_open_without_waiting) as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.readline(LONGEST_HEAD).strip() if is_regular else ""
    except (OSError, ValueError):  # a path with a zero byte is a ValueError
        return ""


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAIT)
