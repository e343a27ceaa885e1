"""Our hooks in the settings of agents that read them as Claude Code does."""

from functools import partial

from hardwon.adapters.agents.programs import is_hook, peek, program_in
from hardwon.adapters.agents.targets import JsonTarget
from hardwon.domain.model.formats.config_edit import (
    BY_PLUGIN,
    Connection,
    Document,
    our_commands,
    with_hooks,
    without_hooks,
)

SECONDS = {"SessionStart": 3, "UserPromptSubmit": 2, "PreCompact": 3, "Stop": 3, "SessionEnd": 3}
"""
How long an event waits for us; the plugin's manifests say the same.

Codex grants SessionEnd no more than three. Claude Code grants all of SessionEnd 1.5 s, unless the user's own settings say more.
"""


def hooks_target(path: str, root: str, command: str) -> JsonTarget:
    """Return a file that is to hold *command* for every event."""
    hooks = {event: hook(command, seconds) for event, seconds in SECONDS.items()}
    return JsonTarget(
        path=path,
        root=root,
        put=partial(with_hooks, hooks=hooks, is_ours=is_hook),
        cut=partial(without_hooks, is_ours=is_hook),
    )


def hook(command: str, timeout: int) -> Document:
    """Return one hook; *timeout* is in the unit of its agent."""
    return {"type": "command", "command": command, "timeout": timeout}


def connection_of(path: str, root: str, *, has_plugin: bool = False, may_comment: bool = False) -> Connection:
    """Return whether the plugin, the hooks in a file, or both call us."""
    commands = our_commands(peek(path, root, may_comment=may_comment), is_hook)
    ways = ([BY_PLUGIN] if has_plugin else []) + ([path] if commands else [])
    return Connection(tuple(ways), tuple(map(program_in, commands)))
