"""States that a file of hardwon can be in, and how each is made. Run in a child process: some bind it for good."""

import contextlib
import ctypes
import fcntl
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.entrypoints.faults.without_powers import give_up_powers
from tests.entrypoints.hook_process import World
from tests.machine import NOBODY

PAGE = 4096
HEADER_BYTE = 20  # "reserved bytes a page": it decides where SQLite looks for everything
ROOM = 512 * 1024
"""Bytes of the full disk; what the files leave of it is filled."""

CLONE_NEWNS, CLONE_NEWUSER, MS_REC, MS_PRIVATE = 0x20000, 0x10000000, 0x4000, 0x40000
MS_RDONLY, MS_REMOUNT = 0x1, 0x20
SMALL_BLOCK = 1024
CAPABILITY_VERSION = 0x20080522


def paths(world: World) -> Mapping[str, Path]:
    """Return where each file is."""
    return {
        "memory.db": world.database,
        "WAL": world.store / "memory.db-wal",
        "capture.db": world.store / "capture.db",
        "hook.log": world.log,
        "the store's folder": world.store,
        "a bank file": world.project / "docs" / "knowledge-bank" / "heuristics.md",
        "a memory file": world.project / "memory" / "locks.md",
        "settings": world.project / ".claude" / "iflow-dev.local.md",
    }


def put(world: World, file: str, state: str) -> contextlib.AbstractContextManager[object]:
    """Put *file* into *state*, for good but for what the returned context ends."""
    if (file, state) in SPECIAL:
        return SPECIAL[file, state](world, paths(world)[file])
    return STATES[state](world, paths(world)[file])


def missing(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Remove the file."""
    path.unlink()
    return contextlib.nullcontext()


def empty(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Leave nothing in the file."""
    path.write_bytes(b"")
    return contextlib.nullcontext()


def garbage(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Leave bytes in the file that are neither text nor a database."""
    path.write_bytes(bytes(range(255, 0, -1)) * 40)
    return contextlib.nullcontext()


def truncated(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Leave the first half of the file."""
    os.truncate(path, path.stat().st_size // 2)
    return contextlib.nullcontext()


def flipped(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Flip a bit of the file's beginning."""
    _flip(path, HEADER_BYTE)
    return contextlib.nullcontext()


def flipped_in_tree(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Flip the bit of a database that says what sort of page the root of a table's tree is."""
    connection = sqlite3.connect(path)
    [(page,)] = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name IN ('entry_text', 'event')"
    )
    connection.close()
    _flip(path, (page - 1) * PAGE)
    return contextlib.nullcontext()


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << 4
    path.write_bytes(content)


def no_permission(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Let this process neither read nor write the file: it is as another user's."""
    path.chmod(0)
    if os.geteuid() == 0:
        _give_up_powers()
    return contextlib.nullcontext()


def read_only(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Let this process only read what is below *path*."""
    for item in (path, *path.rglob("*")):
        item.chmod(item.stat().st_mode & ~0o222)
    if os.geteuid() == 0:
        _give_up_powers()
    return contextlib.nullcontext()


def _give_up_powers() -> None:
    """Give up root's capabilities: file modes bind from now on, programs that are started included."""
    give_up_powers()
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    if _libc().capset(header, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "the capabilities stay")


def of_another_user(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Give what is there to another user; the work of root."""
    os.chown(path, NOBODY, NOBODY)
    return contextlib.nullcontext()


def linked(world: World, path: Path) -> contextlib.nullcontext[None]:
    """Put the file elsewhere, and a link to it in its place."""
    path.rename(elsewhere := world.folder / "elsewhere")
    path.symlink_to(elsewhere)
    return contextlib.nullcontext()


def planted(world: World, path: Path) -> contextlib.nullcontext[None]:
    """Put a link of another user in the place of the file or folder."""
    linked(world, path)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return contextlib.nullcontext()


def open_to_all(_: World, path: Path) -> contextlib.nullcontext[None]:
    """Let everybody write to the folder, which holds something else too."""
    (path / "notes.txt").write_text("mine")
    path.chmod(0o777)
    return contextlib.nullcontext()


def full_disk(world: World, path: Path) -> contextlib.nullcontext[None]:
    """Leave no byte on the disk that holds the file's folder; where no disk can be mounted, files can't grow."""
    folder = world.store if world.store in path.parents else world.project
    if not _mounted(folder, _small_disk):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        return contextlib.nullcontext()
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * PAGE)
    return contextlib.nullcontext()


def full_but_for(free: int) -> "State":
    """Leave *free* bytes on a disk with blocks of 1 KB, which ends a process that writes into a hole of a mapped file."""

    def fill(world: World, _: Path) -> contextlib.nullcontext[None]:
        assert _mounted(world.store, disk_of_small_blocks)
        fill_but_for(world.store, free)
        return contextlib.nullcontext()

    return fill


def fill_but_for(folder: Path, free: int) -> None:
    """Leave *free* bytes on the disk of *folder*."""
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
        while (about := os.statvfs(folder)).f_bavail * about.f_frsize > free:
            filler.write(bytes(about.f_frsize))


def read_only_disk(world: World, _: Path) -> contextlib.nullcontext[None]:
    """Mount the disk that holds the store for reading only."""
    assert _mounted(world.store, _small_disk)
    assert not _libc().mount(b"none", os.fsencode(world.store), None, MS_REMOUNT | MS_RDONLY, None)
    return contextlib.nullcontext()


def _mounted(folder: Path, mount: Callable[[Path], bool]) -> bool:
    """Put a disk of its own, which ends with this process, in the place of *folder*; return whether that is allowed."""
    if not in_its_own_namespace():
        return False
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy, symlinks=True)
    if not mount(folder):
        return False
    shutil.copytree(copy, folder, dirs_exist_ok=True, symlinks=True)
    return True


def in_its_own_namespace() -> bool:
    """Let what this process mounts be its own, and end with it; return whether that is allowed."""
    how = CLONE_NEWNS | (0 if os.geteuid() == 0 else CLONE_NEWUSER)
    return not (
        _libc().unshare(how) or _libc().mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    )


def _small_disk(folder: Path) -> bool:
    return not _libc().mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={ROOM}".encode())


def disk_of_small_blocks(folder: Path) -> bool:
    """Mount a disk of 4 MB with blocks of 1 KB at *folder*; return whether that is allowed."""
    image = folder.with_name("image")
    with open(image, "wb") as file:
        file.truncate(8 * ROOM)
    made = subprocess.run(
        ["mkfs.ext4", "-q", "-m", "0", "-b", str(SMALL_BLOCK), image], check=False
    )
    return (
        not made.returncode
        and not subprocess.run(["mount", "-o", "loop", image, folder], check=False).returncode
    )


def may_mount(disk: str = "small") -> bool:
    """Return whether a process may mount such a disk; asked in a child, which keeps it to itself."""
    child = os.fork()
    if not child:
        with tempfile.TemporaryDirectory() as folder:
            (place := Path(folder, "place")).mkdir()
            os._exit(
                not _mounted(
                    place, {"small": _small_disk, "small blocks": disk_of_small_blocks}[disk]
                )
            )
    return os.waitpid(child, 0)[1] == 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def locked(_: World, path: Path) -> Iterator[None]:
    """Let another program hold the file: a database by its locks, others by the system's."""
    if path.suffix != ".db":
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        return
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def write_locked(world: World, _: Path) -> Iterator[None]:
    """Let another program hold the lock of writers."""
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


State = Callable[[World, Path], contextlib.AbstractContextManager[object]]

STATES: Mapping[str, State] = {
    "missing": missing,
    "empty": empty,
    "garbage": garbage,
    "truncated": truncated,
    "flipped bit": flipped,
    "flipped bit in a tree": flipped_in_tree,
    "no permission": no_permission,
    "read only": read_only,
    "full disk": full_disk,
    "locked": locked,
    "of another user": of_another_user,
    "linked": linked,
    "planted": planted,
    "open to all": open_to_all,
    "read-only disk": read_only_disk,
    "9 KB left": full_but_for(9 * 1024),
    "40 KB left": full_but_for(40 * 1024),
}
"""The names of states, with the functions that put a file into them."""

SPECIAL: Mapping[tuple[str, str], State] = {("WAL", "locked"): write_locked}
"""States that are made in another way for one file."""
