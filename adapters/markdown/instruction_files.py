"""The files that hosts give the agent at the beginning of every session. Standard library only."""

import contextlib
import os
from collections.abc import Iterator
from itertools import islice

from hardwon.adapters.markdown.host_folder import INDEX
from hardwon.adapters.markdown.whole_files import read_regular_file

NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
MOST_FILES = 64
LARGEST_FILE = 256 * 1024
LARGEST_TOGETHER = 1024 * 1024
"""Bytes; a prompt has no time for more."""


class InstructionFiles:
    """
    The project's own instructions, and what Claude Code itself remembers of the project; satisfies `Instructions`.

    Args:
        project_root: The folder the user works in.
        memory: The folder where Claude Code keeps its notes on the project; it need not be there.

    """

    def __init__(self, project_root: str, memory: str) -> None:
        self._project_root = project_root
        self._memory = memory

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each file and what it says; what can't be read says nothing."""
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
            names = [each.name for each in islice(found, 4 * MOST_FILES) if each.name.endswith(".md")]
            return sorted(names, key=lambda name: (name != INDEX, name))[:MOST_FILES]
        return []


def _content(path: str, most: int) -> bytes:
    """Return at most *most* bytes of a regular file; nothing of anything else, nor of what a link leads to."""
    try:
        return read_regular_file(path, most, follow=False).data[:most]
    except (OSError, ValueError):
        return b""
