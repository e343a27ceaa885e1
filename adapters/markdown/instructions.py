"""
Where Claude Code keeps its own memory of a project, as its version 2.1 names it. Standard library only.

The files that hosts give the agent at the beginning of every session. Standard library only.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from itertools import islice

from hardwon.adapters.markdown.whole_files import read_regular_file
from hardwon.ports.documents import Instructions

INDEX = "MEMORY.md"
LONGEST_NAME = 200
"""UTF-16 units of a path; what is longer is cut and ends in a hash."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_HALF, _ALL = 1 << 31, 1 << 32


def host_memory_folder(config_folder: str, work_tree: str) -> str:
    """
    Return where the memory of a project lies, if it has one.

    Args:
        config_folder: Claude Code's own, `~/.claude` unless the user says otherwise.
        work_tree: The top of the repository's main work tree, or the folder the user works in where there is none.

    """
    return os.path.join(config_folder, "projects", folder_name(os.path.realpath(work_tree)), "memory")


def folder_name(path: str) -> str:
    """Return the name that stands for *path*: a hyphen for every UTF-16 unit that is no ASCII letter or digit."""
    name = re.sub(r"[^a-zA-Z0-9]", lambda found: "-" * len(_units(found[0])), path)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}-{_hashed(path)}"


def _hashed(path: str) -> str:
    """Return 31 times the hash so far plus each unit, as a signed number of 32 bits, without its sign in base 36."""
    value = 0
    for unit in _units(path):
        value = (31 * value + unit) % _ALL
    number, digits = abs(value - _ALL if value >= _HALF else value), ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits or "0"


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [low + 256 * high for low, high in zip(data[::2], data[1::2], strict=True)]


NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
MOST_FILES = 64
LARGEST_FILE = 256 * 1024
LARGEST_TOGETHER = 1024 * 1024
"""Bytes; a prompt has no time for more."""


class InstructionFiles(Instructions):
    """
    The project's own instructions, and the memory that Claude Code keeps of the project.

    Args:
        project_root: The folder the user works in.
        memory: The folder where Claude Code keeps its notes on the project; it need not be there.

    """

    def __init__(self, project_root: str, memory: str) -> None:
        self._project_root = project_root
        self._memory = memory

    def texts(self) -> Iterator[tuple[str, str]]:
        room = LARGEST_TOGETHER
        for name, path in self._paths():
            content = _content(path, min(LARGEST_FILE, room))
            room -= len(content)
            if content:
                yield name, content.decode("utf-8-sig", "replace")

    def _paths(self) -> Iterator[tuple[str, str]]:
        for name in NAMES:
            yield name, os.path.join(self._project_root, name)
        for name in self._notes():
            yield name, os.path.join(self._memory, name)

    def _notes(self) -> list[str]:
        """Return the names of Claude Code's notes, its index first."""
        with contextlib.suppress(OSError, ValueError), os.scandir(self._memory) as found:
            names = [item.name for item in islice(found, 4 * MOST_FILES) if item.name.endswith(".md")]
            return sorted(names, key=lambda name: (name != INDEX, name))[:MOST_FILES]
        return []


def _content(path: str, most: int) -> bytes:
    """Return at most *most* bytes of a regular file; nothing of anything else, nor of what a link leads to."""
    try:
        return read_regular_file(path, most, follow=False).data[:most]
    except (OSError, ValueError):
        return b""
