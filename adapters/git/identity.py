"""
Location, identity and branch of a repository, read from its files.

No process runs, and git's variables are ignored. The `.git` of an unpacked archive can name any
place, so a repository belongs to a folder only if it names that folder back, which takes write
access to the repository. Standard library only.
"""

import os
import stat

from hardwon.adapters.folder import read_start
from hardwon.domain.model.project import LARGEST_NUMBER, Identity

LONGEST_LINE = 4096
"""Bytes of a line or path that are read."""
LONGEST_CONFIG = 1 << 16
"""
Bytes of a configuration that are read.

Git writes the work tree at its beginning.
"""

GIT = ".git"
LINKED = "worktrees"
"""The folder of git's files of linked work trees."""
POINTER = b"gitdir: "


def identify(folder: str) -> Identity:
    """
    Return the identity of the project that holds *folder*.

    Never raises.

    A `.git` whose repository does not name the folder back makes a project of its own. A repository
    at the user's home is the project of the home folder only, not of the folders below it. Bytes
    that are not UTF-8 are surrogates (`os.fsdecode`). A folder that can't be a path is returned as
    it is.
    """
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError):  # no working folder; a zero byte
        return Identity(folder, folder)
    top = top_of(real)
    home = "" if top == real else os.path.realpath(os.path.expanduser("~"))
    if top is not None and top != home:
        return _identity(common_folder(top), top)
    bare = _bare_around(real, home)
    return _identity(bare, bare or real)


def top_of(folder: str) -> str | None:
    """Return the work tree that holds *folder*, a path without links."""
    while not os.path.lexists(os.path.join(folder, GIT)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def main_work_tree(folder: str) -> str:
    """Return the main work tree of *folder*, or *folder*."""
    real = os.path.realpath(folder)
    top = top_of(real)
    if top is None:
        return real
    main, name = os.path.split(common_folder(top) or "")
    return main if name == GIT else top


def work_tree_of(common: str) -> str | None:
    """Return the main work tree of *common*, else a linked one."""
    main, name = os.path.split(common)
    trees = [main] if name == GIT else linked_work_trees(common)
    return next(filter(os.path.isdir, trees), None)


def linked_work_trees(common: str) -> list[str]:
    """Return the existing linked work trees of the git common directory *common*."""
    folder = os.path.join(common, LINKED)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    files = (
        os.path.join(folder, name, _path_in(os.path.join(folder, name), "gitdir")) for name in names
    )
    return [
        os.path.dirname(path)
        for file in files
        if os.path.basename(path := os.path.realpath(file)) == GIT
    ]


def git_folder(top: str) -> str:
    """
    Return the folder of git's files that the work tree *top* names.

    It may not name *top* back.
    """
    path = os.path.join(top, GIT)
    return path if os.path.isdir(path) else _pointed(top) or path


def common_folder(top: str) -> str | None:
    """
    Return the git common directory of *top*, if it names *top* back.

    It does if it is a folder `.git` in *top*, or lies beside such a file or link; if it lists *top*
    among its linked work trees; or if its setting names *top* as its work tree, as in submodules.
    Both paths have no links.
    """
    path = os.path.join(top, GIT)
    try:
        kind = os.lstat(path).st_mode
        if stat.S_ISDIR(kind):
            return path if is_repository(path) else None
        # A link to another work tree's file is none of the two, and no folder either.
        named = path if stat.S_ISLNK(kind) else _pointed(top)
        found = _common_of(os.path.realpath(named), top) if named else None
    except (OSError, ValueError):  # a path with a zero byte is a ValueError
        return None
    return found if found and is_repository(found) else None


def is_repository(folder: str) -> bool:
    """Return whether *folder* looks like a git common directory."""
    if not os.path.lexists(os.path.join(folder, "HEAD")):
        return False
    return all(os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs"))


def config_text(folder: str, name: str = "config") -> str:
    """Return the beginning of a git folder's configuration, empty without one."""
    return os.fsdecode(_start_of(os.path.join(folder, name), LONGEST_CONFIG))


def first_line(path: str) -> str:
    """Return the first line of a regular file, cut and stripped."""
    line = _start_of(path, LONGEST_LINE).partition(b"\n")[0]
    return line.decode("utf-8", "replace").strip()


def _identity(common: str | None, root: str) -> Identity:
    key = common or root
    try:
        place = os.stat(key)
    except (OSError, ValueError):
        return Identity(key, root, common is not None)
    return Identity(
        key=key,
        root=root,
        is_repository=common is not None,
        device=place.st_dev & LARGEST_NUMBER,
        inode=place.st_ino & LARGEST_NUMBER,
    )


def _bare_around(folder: str, home: str) -> str | None:
    while folder != home and not is_repository(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return None if folder == home else folder


def _common_of(git: str, top: str) -> str | None:
    """Return the common directory of the git folder *git*, if it names *top*."""
    shared, kind = os.path.split(os.path.dirname(git))
    if kind == LINKED and _is_same(os.path.join(git, _path_in(git, "commondir")), shared):
        folder, name = os.path.split(os.path.join(git, _path_in(git, "gitdir")))
        return shared if name == GIT and _is_same(folder, top) else None
    is_beside = os.path.dirname(git) == top
    return (
        git
        if is_beside or any(_is_same(os.path.join(git, tree), top) for tree in _work_tree(git))
        else None
    )


def _work_tree(git: str) -> list[str]:
    # A sparse submodule has the setting in the second file.
    for name in ("config", "config.worktree"):
        from hardwon.adapters.git.config_file import values  # noqa: PLC0415  # for submodules, which are rare

        named = values(config_text(git, name), "core.worktree")
        if named:
            return named[-1:]
    return []


def _is_same(folder: str, other: str) -> bool:
    try:
        return os.path.samefile(folder, other)
    except (OSError, ValueError):
        return False


def _pointed(top: str) -> str:
    content = _path_bytes(os.path.join(top, GIT))
    return (
        os.path.join(top, os.fsdecode(content[len(POINTER) :]))
        if content.startswith(POINTER)
        else ""
    )


def _path_in(folder: str, name: str) -> str:
    return os.fsdecode(_path_bytes(os.path.join(folder, name)))


def _path_bytes(file: str) -> bytes:
    return _start_of(file, LONGEST_LINE).rstrip(b"\r\n")


def _start_of(path: str, most: int) -> bytes:
    try:
        return read_start(path, most)
    except (OSError, ValueError):  # a path with a zero byte is a ValueError
        return b""


BRANCH = "ref: refs/heads/"
IN_TABLES = ".invalid"
"""The branch in `HEAD` of a repository whose references are in tables (reftable)."""


def checked_out_branch(project_root: str) -> str | None:
    """Return the checked-out branch, None without one or without a repository."""
    top = top_of(os.path.realpath(project_root))
    if top is None:
        return None
    head = first_line(os.path.join(git_folder(top), "HEAD"))
    branch = head.removeprefix(BRANCH) if head.startswith(BRANCH) else None
    return None if branch == IN_TABLES else branch
