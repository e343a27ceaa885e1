"""
The files of a project that hardwon writes itself: memory, the knowledge bank, and the commands of `hardwon init`.

That they change says nothing about what the user works on. Standard library only, for the hook.
"""

import os
from collections.abc import Sequence

COMMANDS = ("recall", "remember", "save")
OLDER_COMMANDS = ("recall", "remember")
"""In a folder of their own, known from an earlier program."""

_COMMAND_NAMES = (*COMMANDS, *(f"tlc/{name}" for name in OLDER_COMMANDS), "hardwon/pause", "hardwon/resume")

MEMORY = "memory"
CONVERSATION_FOLDERS = ("conversations", "decisions", "gotchas", "preferences", "sessions")
"""The folders below `memory` whose files hardwon writes, and which git ignores where they are private."""

OWN_FILES = (
    "memory/**/*.md",
    "memory-*.md",
    "specs/*/memory/**/*.md",
    "docs/knowledge-bank/*.md",
    *(f".claude/commands/{name}.md" for name in _COMMAND_NAMES),
    *(f".codex/skills/{name.replace('/', '-')}/SKILL.md" for name in _COMMAND_NAMES),
    *(f".gemini/commands/{name}.toml" for name in _COMMAND_NAMES),
    *(f".opencode/commands/{name}.md" for name in _COMMAND_NAMES),
)
"""Patterns of paths from the project's folder; `**` stands for any folders, `*` for a part of one name."""


def is_within(real: str, folders: Sequence[str]) -> bool:
    """Return whether *real* is one of *folders* or lies below one, both without links."""
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)


NOT_STORABLE = "its name is not UTF-8, rename it"


def is_storable(path: str) -> bool:
    """Return whether *path* is valid UTF-8, as the store needs; other names have lone surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
