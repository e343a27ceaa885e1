"""
The files that hosts give the agent in every session.

Among them is Claude Code's own memory of a project, whose folder is named as in its version 2.1.
Standard library only.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from itertools import islice

from hardwon.adapters.markdown.file_text import decode_file
from hardwon.adapters.markdown.whole_files import read_regular_file
from hardwon.ports.documents import Instructions
from hardwon.ports.override import override

INDEX = "MEMORY.md"
MAX_NAME = 200
"""
UTF-16 units of a path.

A longer name is cut and ends in a hash.
"""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_HALF, _ALL = 1 << 31, 1 << 32


def host_memory_folder(config_folder: str, work_tree: str) -> str:
    """
    Return the folder of a project's memory, which need not exist.

    Args:
        config_folder: Claude Code's, `~/.claude` by default.
        work_tree: The top of the repository's main work tree, or the folder the user works in.
    """
    return os.path.join(
        config_folder, "projects", folder_name(os.path.realpath(work_tree)), "memory"
    )


def folder_name(path: str) -> str:
    """
    Return the folder name of *path*.

    A hyphen replaces every UTF-16 unit that is no ASCII letter or digit. A long name is cut and
    ends in a hash.
    """
    name = re.sub(r"[^a-zA-Z0-9]", lambda found: "-" * len(_units(found[0])), path)
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}-{_hashed(path)}"


def _hashed(path: str) -> str:
    """
    Hash *path* in signed 32 bits and return the absolute value in base 36.

    The hash is 31 * hash + unit.
    """
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
MAX_FILES = 64
LARGEST_FILE = 256 * 1024
MAX_TOTAL = 1024 * 1024
"""Bytes: upper bound for the time of a prompt."""


class InstructionFiles(Instructions):
    """
    The project's own instructions, and Claude Code's memory of the project.

    Args:
        project_root: The folder the user works in.
        memory: The folder where Claude Code keeps its notes on the project; it need not exist.
    """

    def __init__(self, project_root: str, memory: str) -> None:
        self._project_root = project_root
        self._memory = memory

    @override
    def texts(self) -> Iterator[tuple[str, str]]:
        room = MAX_TOTAL
        for name, path in self._paths():
            content = _content(path, min(LARGEST_FILE, room))
            room -= len(content)
            if text := _text(content):
                yield name, text

    def _paths(self) -> Iterator[tuple[str, str]]:
        for name in NAMES:
            yield name, os.path.join(self._project_root, name)
        for name in self._notes():
            yield name, os.path.join(self._memory, name)

    def _notes(self) -> list[str]:
        with contextlib.suppress(OSError, ValueError), os.scandir(self._memory) as found:
            names = [
                item.name for item in islice(found, 4 * MAX_FILES) if item.name.endswith(".md")
            ]
            return sorted(names, key=lambda name: (name != INDEX, name))[:MAX_FILES]
        return []


def _text(content: bytes) -> str:
    with contextlib.suppress(ValueError):
        return decode_file(content).text
    return ""


def _content(path: str, most: int) -> bytes:
    try:
        return read_regular_file(path, most, follow=False).data[:most]
    except (OSError, ValueError):
        return b""
