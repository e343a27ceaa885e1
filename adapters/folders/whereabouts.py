"""Locate the folders in which hardwon wrote."""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from hardwon.adapters.folders.record import WrittenFolder, device_of, inode_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY
from hardwon.ports.erasure import KeptElsewhere
from hardwon.ports.override import override

GIT = ".git"
DEEPEST = 4
"""Levels of folders that are searched for a moved one, its `.git` included."""

SECONDS = 3.0
"""The longest search for moved folders."""

NEVER_ENTERED = frozenset({"node_modules", "__pycache__", MEMORY})
NOT_MOUNTED = "its file system is not there now"
REPLACED = "another folder is in its place"


class Whereabouts(NamedTuple):
    """
    The present places of folders.

    Attributes:
        folders: Existing ones, moved ones at their new place.
        unreachable: A line for each that can't be reached now.
        lost: Paths of all others: they were deleted, or moved far away.
    """

    folders: tuple[str, ...]
    unreachable: tuple[str, ...]
    lost: tuple[str, ...]


def whereabouts(
    written: Iterable[WrittenFolder],
    around: Sequence[str] = (),
    is_moved: Callable[[str, str], bool] = lambda _old, _new: False,
) -> Whereabouts:
    """
    Locate folders in which files were written.

    Args:
        written: The folders, as they were.
        around: Other folders below which a moved one is searched.
        is_moved: Returns whether the repository at the second path is the one that was at the
            first.
    """
    there, unreachable, gone = list[str](), dict[str, str](), list[WrittenFolder]()
    for folder in dict.fromkeys(written):
        match _problem(folder):
            case "":
                there.append(folder.path)
            case problem if problem == REPLACED:
                there.append(folder.path)
                gone.append(folder._replace(is_part=True))
            case None:
                gone.append(folder)
            case problem:
                unreachable[folder.path] = problem
    starts = [
        *(_existing_above(folder.path) for folder in gone),
        *map(os.path.dirname, there),
        *around,
    ]
    moved = (
        _moved(gone, [*dict.fromkeys(starts)], known={*there}, is_moved=is_moved) if gone else {}
    )
    below = (_carried(folder.path, moved) for folder in gone)
    folders = dict.fromkeys(
        (*there, *moved.values(), *(path for path in below if os.path.isdir(path)))
    )
    return Whereabouts(
        tuple(folders),
        tuple(f"{path}: {problem}" for path, problem in unreachable.items()),
        tuple(
            dict.fromkeys(
                folder.path for folder in gone if not folder.is_part and folder.path not in moved
            )
        ),
    )


def _problem(folder: WrittenFolder) -> str | None:
    """
    Return why *folder* can't be reached, or an empty text if it can.

    It is None for a folder that is gone, and `REPLACED` if another one is at its place.
    """
    try:
        facts = os.stat(folder.path)
        if not stat.S_ISDIR(facts.st_mode):
            return None
        _read(folder.path)
    except (FileNotFoundError, NotADirectoryError):
        above = os.stat(_existing_above(folder.path))
        return None if folder.device in {None, device_of(above)} else NOT_MOUNTED
    except OSError as error:
        return error.strerror or str(error)
    if not folder.inode or folder.inode in _inodes(folder.path, facts):
        return ""
    return REPLACED if folder.device in {None, device_of(facts)} else NOT_MOUNTED


def _read(path: str) -> None:
    """Read the folder at *path*, and those in it that hold files of hardwon."""
    os.listdir(path)
    for name in ("", *CONVERSATION_FOLDERS):
        with suppress(FileNotFoundError, NotADirectoryError):
            os.listdir(os.path.join(path, MEMORY, name))


def _inodes(path: str, facts: os.stat_result) -> set[int]:
    with suppress(OSError):
        return {inode_of(facts), inode_of(os.stat(os.path.join(path, GIT)))}
    return {inode_of(facts)}


def _existing_above(path: str) -> str:
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def _moved(
    gone: Sequence[WrittenFolder],
    starts: Sequence[str],
    known: set[str],
    is_moved: Callable[[str, str], bool],
) -> Mapping[str, str]:
    wanted = {(folder.device, folder.inode): folder.path for folder in gone if folder.inode}
    found, repositories = dict[str, str](), list[str]()
    for path, facts in _folders_below(starts, Deadline.after(SECONDS, time.monotonic)):
        is_git = os.path.basename(path) == GIT
        old = wanted.get((device_of(facts), inode_of(facts)))
        if old and (is_git or _may_be_written(path)):
            found[old] = os.path.dirname(path) if is_git else path
        elif is_git:
            repositories.append(os.path.dirname(path))
    left = [folder.path for folder in gone if folder.path not in found]
    others = [
        path
        for path in repositories
        if path not in known and os.path.isdir(os.path.join(path, MEMORY))
    ]
    return found | {old: new for old in left for new in others if is_moved(old, new)}


def _may_be_written(path: str) -> bool:
    """
    Return whether files may have been written in a folder.

    A new folder often gets the number of a deleted one.
    """
    return any(os.path.isdir(os.path.join(path, name)) for name in (GIT, MEMORY))


def _folders_below(
    starts: Sequence[str], deadline: Deadline
) -> Iterator[tuple[str, os.stat_result]]:
    """
    Yield the folders below *starts* until *deadline*, the nearest first.

    Other file systems and hidden folders except `.git` are left out.
    """
    level, seen = [*starts], {*starts}
    for _ in range(DEEPEST):
        following = list[str]()
        for path, facts in (item for folder in level for item in _subfolders(folder)):
            if deadline.passed():
                return
            yield path, facts
            name = os.path.basename(path)
            if path not in seen and not name.startswith(".") and name not in NEVER_ENTERED:
                seen.add(path)
                following.append(path)
        level = following


def _subfolders(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with suppress(OSError), os.scandir(folder) as entries:
        device = os.stat(folder).st_dev
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(facts.st_mode) and facts.st_dev == device:
                    yield entry.path, facts


def _carried(path: str, moved: Mapping[str, str]) -> str:
    for old, new in moved.items():
        if path.startswith(os.path.join(old, "")):
            return os.path.join(new, os.path.relpath(path, old))
    return path


class LostFolders(KeptElsewhere):
    """Folders that were deleted, or moved far away."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        return [
            f"{path}: this folder is not there any more; if it moved, or is on another machine, run"
            " hardwon forget once more there"
            for path in self._paths
        ]
