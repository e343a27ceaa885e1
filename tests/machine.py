"""The machine that tests run on: its folder in memory, its root, its wheel."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LONGEST_WAIT = 300.0
"""Seconds after which a test that waits for an event gives up; it waits that long only where the event never comes."""

IN_MEMORY = "/dev/shm"  # noqa: S108  # of all users, but pytest makes a folder in it that is of one
ROOM = 2 << 30


def use_folder_in_memory() -> None:
    """
    Let temporary folders be in memory, where that has room and programs may be run from it.

    A sixth of a run's time goes into files on a disk.
    """
    with suppress(OSError):
        facts = os.statvfs(IN_MEMORY)
        has_room = facts.f_bavail * facts.f_frsize >= ROOM
        if has_room and not facts.f_flag & os.ST_NOEXEC and os.access(IN_MEMORY, os.W_OK):
            tempfile.tempdir = os.environ.setdefault("TMPDIR", IN_MEMORY)


NOBODY = 65534


@contextmanager
def without_root() -> Iterator[None]:
    """Make file modes effective: root, which may read everything, becomes another user meanwhile."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domain", "ports", "adapters", "entrypoints", "examples", "plugin", ".claude-plugin")
PACKED_AS = {".claude-plugin": "marketplace"}
"""Folders with another name in the wheel."""

BARE = ROOT / ".venv-bare"


def files_below(folder: Path) -> dict[str, bytes]:
    """Return the files below *folder* by their paths, compiled ones left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def packaged_sources() -> dict[str, bytes]:
    """Return the files that belong into the wheel, by their paths in it."""
    return {
        f"hardwon/{PACKED_AS.get(folder, folder)}/{name}": content
        for folder in FOLDERS
        for name, content in files_below(ROOT / folder).items()
    }


def bare_programs() -> Path:
    """
    Return the folder of programs of `.venv-bare`: users' wheel, in an environment without numpy.

    Raises:
        RuntimeError: its wheel is not that of the present sources.
    """
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = BARE / "lib" / python / "site-packages"
    if {
        f"hardwon/{name}": content for name, content in files_below(site / "hardwon").items()
    } != packaged_sources():
        message = "the wheel in .venv-bare is older than the sources: run `make setup`"
        raise RuntimeError(message)
    return BARE / "bin"
