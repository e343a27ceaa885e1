"""A wheel of the present sources, and the environment that has it installed."""

import sys
from pathlib import Path

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
