"""
The folder of a store, private to its user.

Standard library only; every adapter may use it.
"""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress

from hardwon.adapters.folder import Folder
from hardwon.domain.model.errors import StorageError

PRIVATE_FOLDER, PRIVATE = 0o700, 0o600
OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
WRITE_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH

OWN_NAMES = (
    "memory.db",
    "capture.db",
    "queries.db",
    "capture.lock",
    "checkpoints",
    "forget.json",
    "forget.lock",
    "folders.jsonl",
    "hook.log",
    "unreadable.jsonl",
    ".last-injection.json",
    "setup.json",
    "pauses.jsonl",
)
"""
Prefixes of the files that hardwon creates in a store's folder.

Markdown files are the user's.
"""
CHECKPOINTS = "checkpoints"
ANOTHER_STORE = "or name another store with HARDWON_STORE"


def opened_store(path: str, *, make: bool = True) -> Folder:
    """
    Open a store's folder and close hardwon's files in it to other users.

    Args:
        path: The folder, or a link to it that belongs to the same user.
        make: Whether a missing one is made, with mode 0700.

    Raises:
        StorageError: it, or the link, belongs to another user, or others may write to it.
        OSError: it can't be opened or made.
    """
    with suppress(FileNotFoundError):
        _refuse_other(path, os.lstat(path))
    folder = Folder(os.path.realpath(path), PRIVATE_FOLDER if make else None)
    try:
        facts = folder.facts()
        _refuse_other(path, facts)
        if os.name == "posix":
            _mend(folder, path, stat.S_IMODE(facts.st_mode))
    except BaseException:
        folder.close()
        raise
    return folder


def append_record(path: str, record: Mapping[str, object]) -> None:
    """
    Append a line of JSON durably to a file in a store's folder.

    Both are made if missing.

    Raises:
        StorageError: as for `opened_store`, or it can't be written.
    """
    place, name = os.path.split(path)
    line = f"\n{json.dumps(record)}\n".encode()  # the line before may be cut off
    try:
        with opened_store(place) as folder:
            number = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(number, line)
                os.fsync(number)
            finally:
                os.close(number)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


def refusal(path: str) -> str:
    """
    Return why the folder can't be this user's store, empty if it can.

    A missing folder can.
    """
    try:
        with suppress(OSError):
            _refuse_other(path, os.lstat(path))
            _refuse_other(path, os.stat(path))
    except StorageError as error:
        return str(error)
    return ""


def refuse_planted(folder: Folder, name: str) -> None:
    """
    Check that *name* in a store's folder is free, or this user's regular file.

    Raises:
        StorageError: it is a link, or belongs to another user.
    """
    with suppress(FileNotFoundError):
        facts = folder.facts(name)
        path = os.path.join(folder.path, name)
        _refuse_other(path, facts)
        if stat.S_ISLNK(facts.st_mode):
            raise StorageError(
                f"{path} is a link, to {os.readlink(path)}: put the file itself there,"
                f" {ANOTHER_STORE}"
            )


def _refuse_other(path: str, facts: os.stat_result) -> None:
    if hasattr(os, "geteuid") and facts.st_uid != os.geteuid():
        raise StorageError(
            f"{path} belongs to {_name_of(facts.st_uid)}: run hardwon as that user, {ANOTHER_STORE}"
        )


def _name_of(user: int) -> str:
    import pwd  # noqa: PLC0415  # rarely needed

    with suppress(KeyError):
        return f"the user {pwd.getpwuid(user).pw_name}"
    return f"user {user}"


def _mend(folder: Folder, path: str, mode: int) -> None:
    """Close hardwon's files to others, and the folder if it is the store's alone."""
    names = folder.names()
    if mode & stat.S_ISVTX:  # as of /tmp: others can't replace hardwon's files
        pass
    elif mode & OF_OTHERS and all(_is_of_a_store(name) for name in names):
        with suppress(OSError):
            folder.set_mode("", PRIVATE_FOLDER)
    elif mode & WRITE_OF_OTHERS:
        raise StorageError(
            f"other users may write to {path}, which holds other things too: run chmod go-w {path},"
            f" {ANOTHER_STORE}"
        )
    _close_files(folder, [name for name in names if name.startswith(OWN_NAMES)])
    if CHECKPOINTS in names:
        with suppress(OSError), Folder(os.path.join(folder.path, CHECKPOINTS)) as checkpoints:
            _close_files(checkpoints, checkpoints.names())


def _close_files(folder: Folder, names: Iterable[str]) -> None:
    for name in names:
        with suppress(OSError):
            mode = folder.facts(name).st_mode
            if mode & OF_OTHERS and not stat.S_ISLNK(mode):
                folder.set_mode(name, PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE)


def _is_of_a_store(name: str) -> bool:
    return name.startswith((*OWN_NAMES, ".")) or name.endswith((".md", ".tmp"))


def exposed(path: str) -> str:
    """
    Return a complaint if others can read a file of the store, else nothing.

    The cause is a file system that keeps no modes.
    """
    with suppress(OSError):
        if os.name == "posix" and stat.S_IMODE(os.stat(path).st_mode) & OF_OTHERS:
            return (
                f"{path} can be read by other users of this machine, as its file system keeps no"
                f" permissions: mount it with them, {ANOTHER_STORE}"
            )
    return ""
