"""
The files of a project that hardwon writes itself: memory, the knowledge bank, and the commands of `hardwon init`.

That they change says nothing about what the user works on. Standard library only, for the hook.
"""

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
