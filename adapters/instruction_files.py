"""The files that hosts give the agent at the beginning of every session. Standard library only."""

import contextlib
import os
import stat
from collections.abc import Iterator
from itertools import islice

NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
INDEX = "MEMORY.md"
MOST_FILES = 64
LARGEST_FILE = 256 * 1024
LARGEST_TOGETHER = 1024 * 1024
"""Bytes; a prompt has no time for more."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""A pipe without a writer would hold the prompt; where a link leads is not the project's to say."""


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


def memory_folder(project_root: str, transcript_path: str, home: str) -> str:
    """
    Return the folder where Claude Code keeps its notes on a project.

    Args:
        project_root: The folder the user works in.
        transcript_path: The session's transcript, which lies beside it; empty when the host names none.
        home: The user's folder.

    """
    if os.path.isabs(transcript_path):
        return os.path.join(os.path.dirname(transcript_path), "memory")
    folder = os.path.abspath(project_root).replace(os.sep, "-").replace(".", "-")
    return os.path.join(home, ".claude", "projects", folder, "memory")


def _content(path: str, most: int) -> bytes:
    """Return at most *most* bytes of a regular file; nothing of anything else."""
    try:
        number = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        return os.read(number, most) if stat.S_ISREG(os.fstat(number).st_mode) and most > 0 else b""
    except OSError:
        return b""
    finally:
        os.close(number)
