"""Where a repository stands, read from git's own files: no process is started for it. Standard library only."""

import os
import stat

LONGEST_LINE = 4096
GIT = ".git"
LINKED = "worktrees"
"""The folder in which git keeps what is a linked work tree's own."""

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would hold a recall for ever


def top_of(folder: str) -> str | None:
    """Return the work tree that holds *folder*, a path without links; None where there is none."""
    while not os.path.lexists(os.path.join(folder, GIT)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def main_work_tree(folder: str) -> str:
    """Return the work tree that holds *folder*, for a linked one the one it is linked to; *folder* where there is none."""
    real = os.path.realpath(folder)
    top = top_of(real)
    if top is None:
        return real
    shared, kind = os.path.split(os.path.dirname(os.path.normpath(git_folder(top))))
    return os.path.dirname(shared) if kind == LINKED and os.path.basename(shared) == GIT else top


def git_folder(top: str) -> str:
    """Return where git keeps its files for the work tree *top*; a linked one names the place in a file."""
    path = os.path.join(top, GIT)
    pointer = "" if os.path.isdir(path) else first_line(path)
    return os.path.join(top, pointer.removeprefix("gitdir: ")) if pointer.startswith("gitdir: ") else path


def first_line(path: str) -> str:
    """Return the first line of a regular file, cut; nothing of anything else."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=_open_without_waiting) as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.readline(LONGEST_LINE).strip() if is_regular else ""
    except (OSError, ValueError):  # a path with a zero byte is a ValueError
        return ""


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAIT)
