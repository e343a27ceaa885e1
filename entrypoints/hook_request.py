"""What a hook is asked for, in either of its two forms. Standard library only."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

OPTIONS = ("--project-root", "--limit", "--global-store")
HELP = (["-h"], ["--help"])
USAGE = "usage: hardwon-hook [--project-root PATH] [--limit N] [--global-store PATH], or [--host gemini] and the host's JSON on stdin"
EVENT = "SessionStart"
COMPACTION = "compact"
CAPTURED = ("UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
LONGEST_NAME = 200
"""Characters of a session's name; a longer one is no host's."""

LARGEST_PAYLOAD = 4 * 1024 * 1024


class UsageError(Exception):
    """The arguments can't be used; the message is one line."""


SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""In which Claude Code tells a program the session it runs in."""


class HookRequest(NamedTuple):
    """
    One call of the hook.

    Attributes:
        project_root: The folder the user works in.
        flags: What the command line sets, by option.
        framed: Whether the block is marked for the host.
        wanted: False for an event that gets no block.
        complaints: What was odd about the request, one line each.
        source: How a session came to start, as the host says; empty when it does not.
        session_id: The session, as the host names it; empty when it does not.
        told: What the host tells of a session that goes on; empty for a session start.

    """

    project_root: str
    flags: Mapping[str, str] = {}
    framed: bool = False
    wanted: bool = True
    complaints: tuple[str, ...] = ()
    source: str = ""
    session_id: str = ""
    told: Mapping[str, object] = {}

    @property
    def prompt(self) -> str:
        """What the user has just asked; empty for every other event."""
        return _text(self.told.get("prompt")) if self.told.get("hook_event_name") == "UserPromptSubmit" else ""

    @property
    def reply(self) -> str:
        """What the agent has just answered; empty for every other event."""
        return _text(self.told.get("last_assistant_message")) if self.told.get("hook_event_name") == "Stop" else ""

    @property
    def compacted(self) -> str:
        """The session whose beginning was just compacted; empty when none was."""
        return self.session_id if self.source == COMPACTION else ""


def from_arguments(arguments: Sequence[str]) -> HookRequest:
    """
    Return the request of the argument form.

    Raises:
        UsageError: an argument is unknown or lacks its value.
    """
    flags: dict[str, str] = {}
    remaining = list(arguments)
    while remaining:
        option, equals, value = remaining.pop(0).partition("=")
        if option not in OPTIONS:
            raise UsageError(f"unknown argument {option!r}; {USAGE}")
        if not equals and not remaining:
            raise UsageError(f"{option} needs a value; {USAGE}")
        flags[option] = value if equals else remaining.pop(0)
    root = flags.get("--project-root") or _working_folder()
    if not os.path.isdir(root):
        raise UsageError(f"--project-root {root!r} is not a folder")
    return HookRequest(root, flags, session_id=_name(os.environ.get(SESSION_VARIABLE)))


def read_payload() -> bytes:
    """Return what the host writes to standard input; nothing when that is closed or a terminal."""
    try:
        return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(LARGEST_PAYLOAD + 1)
    except OSError:  # not open for reading
        return b""


def from_payload(payload: bytes) -> HookRequest:
    """
    Return the request of the host's JSON; never raises.

    Nothing on stdin means a session start in the working folder, so the hook
    can be tried by hand. What is not an object, or another event, gets no block.
    """
    if not payload.strip():
        return HookRequest(_working_folder(), framed=True)
    if len(payload) > LARGEST_PAYLOAD:
        return _refused("stdin holds more than 4 MB: no host sends that")
    try:
        document = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return _refused(f"stdin is not JSON: {error}")
    if not isinstance(document, dict):
        return _refused(f"stdin is JSON but not an object: {document!r:.60}")
    if (event := document.get("hook_event_name", EVENT)) != EVENT:
        return _of_other_event(event, document)
    request = _from_folder(document.get("cwd"))
    return request._replace(source=_text(document.get("source")), session_id=_name(document.get("session_id")))


def _of_other_event(event: object, document: Mapping[str, object]) -> HookRequest:
    """Return the request of an event that gets no block; what subagents do is not the user's conversation."""
    if not (isinstance(event, str) and event.isidentifier()):
        return _refused(f"hook_event_name is {event!r:.60}: only {EVENT!r} gets a block")
    root = document.get("cwd")
    is_folder = isinstance(root, str) and os.path.isdir(root)
    told = document if event in CAPTURED and not document.get("agent_id") else {}
    root = str(root) if is_folder else _working_folder()
    return HookRequest(root, framed=True, wanted=False, told=told, session_id=_name(document.get("session_id")))


def _from_folder(root: object) -> HookRequest:
    if isinstance(root, str) and os.path.isdir(root):
        return HookRequest(root, framed=True)
    complaint = f"cwd is {root!r:.200}, not a folder: using the working folder"
    return HookRequest(_working_folder(), framed=True, complaints=(complaint,))


def _text(value: object) -> str:
    """Return *value* as text that can be stored and compared; what is none is empty."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _name(value: object) -> str:
    """Return *value* as a session's name; one that is too long is none."""
    return name if len(name := _text(value)) <= LONGEST_NAME else ""


def _refused(complaint: str) -> HookRequest:
    return HookRequest(_working_folder(), framed=True, wanted=False, complaints=(complaint,))


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.path.sep
