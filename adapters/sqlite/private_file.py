"""The store's file, for its user alone, and out of their repositories. Standard library only."""

import os
from contextlib import suppress

GIT = ".git"
IGNORE = ".gitignore"
OURS = ("memory.db", "capture.db", "capture.lock", "checkpoints", "hook.log", ".last-injection.json", "setup.json")
"""How the names begin of what hardwon makes in a store's folder; markdown files are the user's own."""


def create_private(path: str) -> None:
    """
    Make an empty file at *path*, and its folder, unless it is there; git ignores it where that is a work tree.

    Raises:
        OSError: it can't be made.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # A file that is there is not opened: closing it again would drop the locks that other connections
    # of this process hold (POSIX), and the next process to leave would delete their write-ahead log.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        _let_git_ignore(folder)


def _let_git_ignore(folder: str) -> None:
    """Write down, unless the user said what git ignores there, that it is all of *folder*; of one in use, what is ours."""
    if not _is_in_work_tree(os.path.realpath(folder)):
        return
    is_own = all(name.startswith(OURS) for name in os.listdir(folder))
    ignored = "*\n" if is_own else "".join(f"/{name}*\n" for name in OURS)
    with suppress(OSError):  # what can't be written here costs the store nothing
        number = os.open(os.path.join(folder, IGNORE), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(number, ignored.encode())
        os.close(number)


def _is_in_work_tree(folder: str) -> bool:
    while not os.path.lexists(os.path.join(folder, GIT)):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return True
