"""
Open folders by descriptor, and files without waiting.

A store's folder is private to its user. A held folder keeps a new file where it was meant. Standard library only; every adapter may use it.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from hardwon.domain.model.errors import StorageError

CAN_HOLD = (
    hasattr(os, "O_NOFOLLOW")
    and {os.open, os.mkdir, os.rename, os.link, os.unlink, os.stat} <= os.supports_dir_fd
)
"""Whether the system finds names relative to an open folder. Windows does not."""

OPEN_FOLDER = 0o777
LINKED = "a link took the place of a folder on its way: nothing was written"

_LAST = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_ON_THE_WAY = _LAST | getattr(os, "O_PATH", 0)  # needs no permission to list the folder
_OF_FILES = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Folder:
    """
    An open folder, reached through no link.

    Its names stay in it, whatever takes its place. Where the system can't hold a folder, its real
    path is compared before and after each change.

    Args:
        path: Absolute, links resolved.
        mode: Of the folder if it is made, those on its way get the usual one; None makes none.

    Attributes:
        number: Its file descriptor, None if the system can't hold it.

    Raises:
        OSError: it can't be opened or made, or a link took the place of a folder on its way.
    """

    def __init__(self, path: str, mode: int | None = None) -> None:
        self.path = os.path.abspath(path)
        self.number = _held(self.path, mode) if CAN_HOLD else None
        if not CAN_HOLD and mode is not None:
            os.makedirs(self.path, mode, exist_ok=True)
        self.ensure_in_place()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its descriptor."""
        if self.number is not None:
            os.close(self.number)

    def at(self, name: str) -> str:
        """Return the system's path of *name*: relative to `number`, or whole."""
        return name if self.number is not None else os.path.join(self.path, name)

    def ensure_in_place(self) -> None:
        """Check that the path still leads to the folder."""
        if self.number is None and os.path.realpath(self.path) != self.path:
            raise OSError(errno.ELOOP, LINKED, self.path)

    def facts(self, name: str = "") -> os.stat_result:
        """
        Return the facts of *name* or, without a name, of the folder.

        Of a link, its own.
        """
        if not name:
            return os.stat(self.path if self.number is None else self.number)
        return os.stat(self.at(name), dir_fd=self.number, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Return whether there is something of that name."""
        with suppress(FileNotFoundError):
            return bool(self.facts(name))
        return False

    def names(self) -> list[str]:
        """Return the names of everything in the folder."""
        return os.listdir(self.path if self.number is None else self.number)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file that is no link, and return its descriptor."""
        self.ensure_in_place()
        number = os.open(self.at(name), flags | _OF_FILES, mode, dir_fd=self.number)
        try:
            self.ensure_in_place()
        except OSError:
            os.close(number)
            raise
        return number

    def replace(self, source: str, name: str) -> None:
        """Rename the file *source* to *name*, replacing any other file."""
        self.ensure_in_place()
        os.replace(self.at(source), self.at(name), src_dir_fd=self.number, dst_dir_fd=self.number)
        self.ensure_in_place()

    def move_to_free_name(self, source: str, name: str) -> None:
        """Rename the file *source* to *name*, replacing nothing."""
        self.ensure_in_place()
        try:
            os.link(self.at(source), self.at(name), src_dir_fd=self.number, dst_dir_fd=self.number)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if self.has(name):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
            self.replace(source, name)
        else:
            self.remove(source)

    def move_into(self, source: str, other: "Folder") -> None:
        """Move the file *source* into another folder, replacing its namesake."""
        self.ensure_in_place()
        other.ensure_in_place()
        os.replace(
            self.at(source), other.at(source), src_dir_fd=self.number, dst_dir_fd=other.number
        )
        other.ensure_in_place()

    def remove(self, name: str) -> None:
        """Remove a file, or a link instead of its target."""
        self.ensure_in_place()
        os.unlink(self.at(name), dir_fd=self.number)

    def set_mode(self, name: str, mode: int) -> None:
        """Set the mode of a file or, without a name, the folder."""
        if name:
            os.chmod(self.at(name), mode, dir_fd=self.number)
        else:
            os.chmod(self.path if self.number is None else self.number, mode)

    def flush(self) -> None:
        """Sync its names to the disk."""
        if self.number is not None:
            os.fsync(self.number)


def _held(path: str, mode: int | None) -> int:
    *on_the_way, last = [part for part in path.split(os.sep) if part] or [os.curdir]
    number = os.open(os.sep, _ON_THE_WAY)
    for part in on_the_way:
        number = _step(number, part, flags=_ON_THE_WAY, mode=None if mode is None else OPEN_FOLDER)
    return _step(number, last, flags=_LAST | os.O_RDONLY, mode=mode)


def _step(number: int, part: str, flags: int, mode: int | None) -> int:
    """
    Open a folder in that of *number*, and close *number*.

    A missing folder is made with *mode*.
    """
    try:
        return _opened(number, part, flags=flags, mode=mode)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR} and _is_link(number, part):
            raise OSError(errno.ELOOP, LINKED, part) from error
        raise
    finally:
        os.close(number)


def _opened(number: int, part: str, flags: int, mode: int | None) -> int:
    try:
        return os.open(part, flags, dir_fd=number)
    except FileNotFoundError:
        if mode is None:
            raise
        with suppress(FileExistsError):  # another process makes it too
            os.mkdir(part, mode, dir_fd=number)
        return os.open(part, flags, dir_fd=number)


def _is_link(number: int, part: str) -> bool:
    with suppress(OSError):
        return stat.S_ISLNK(os.stat(part, dir_fd=number, follow_symlinks=False).st_mode)
    return False


def open_without_waiting(path: str, flags: int) -> int:
    """
    Open a file as an opener of `open`.

    A pipe without a writer would otherwise block for ever.
    """
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_start(path: str, at_most: int) -> bytes:
    """Read the first bytes of a regular file."""
    with _regular_file(path) as number:
        return os.read(number, at_most)


def read_end(path: str, at_most: int) -> bytes:
    """Read the last bytes of a regular file."""
    with _regular_file(path) as number:
        os.lseek(number, max(0, os.fstat(number).st_size - at_most), os.SEEK_SET)
        return os.read(number, at_most)


def state_of(path: str) -> tuple[int, ...]:
    """
    Return what differs after each change of the file, without reading it.

    Empty if there is none.
    """
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ()
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


@contextmanager
def _regular_file(path: str) -> Iterator[int]:
    number = open_without_waiting(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError("not a regular file")
        yield number
    finally:
        os.close(number)


def real_place(path: str) -> str:
    """Return *path* with the links of its folder resolved."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def make_folder(path: str, mode: int = OPEN_FOLDER) -> None:
    """
    Make a folder and its parents, through no link.

    Args:
        path: Absolute, links resolved.
        mode: Of the folder itself.
    """
    Folder(path, mode).close()


PRIVATE_FOLDER, PRIVATE = 0o700, 0o600
OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
WRITE_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH

OUTBOX = "outbox-"
"""The beginning of the names of folders in which entries wait for a server."""

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
    "answering-",
    "trials.jsonl",
    "prepared-starts",
    OUTBOX,
)
"""
Prefixes of the files that hardwon creates in a store's folder.

Markdown files are the user's.
"""
CHECKPOINTS = "checkpoints"


def outbox_folders(store: str) -> list[str]:
    """Return the folders of all outboxes, none of a store that can't be listed."""
    with suppress(OSError):
        names = sorted(os.listdir(store))
        return [os.path.join(store, name) for name in names if name.startswith(OUTBOX)]
    return []


ANOTHER_STORE = "or name another store with HARDWON_STORE"


def opened_store(path: str, *, make: bool = True) -> Folder:
    """
    Open a store's folder and close its files to other users.

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
    Append a line of JSON durably in a store's folder.

    Both are made if missing.
    """
    place, name = os.path.split(path)
    import json  # noqa: PLC0415 - costs the hook 8 ms

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
    Return why the folder can't be the store, empty if it can.

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
    """Check that *name* is free or this user's regular file."""
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
    Return a complaint if others can read the store.

    The cause is a file system that keeps no modes.
    """
    with suppress(OSError):
        if os.name == "posix" and stat.S_IMODE(os.stat(path).st_mode) & OF_OTHERS:
            return (
                f"{path} can be read by other users of this machine, as its file system keeps no"
                f" permissions: mount it with them, {ANOTHER_STORE}"
            )
    return ""
