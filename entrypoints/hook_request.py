"""What a hook is asked for, in either of its two forms. Standard library only."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

OPTIONS = ("--project-root", "--limit", "--global-store")
USAGE = "usage: hardwon-hook [--project-root PATH] [--limit N] [--global-store PATH], or the host's JSON on stdin"
EVENT = "SessionStart"


class UsageError(Exception):
    """The arguments can't be used; the message is one line."""


class HookRequest(NamedTuple):
    """
    One call of the hook.

    Attributes:
        project_root: The folder the user works in.
        flags: What the command line sets, by option.
        framed: Whether the block is marked for the host.
        wanted: False for an event that gets no block.
        complaints: What was odd about the request, one line each.

    """

    project_root: str
    flags: Mapping[str, str] = {}
    framed: bool = False
    wanted: bool = True
    complaints: tuple[str, ...] = ()


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
    return HookRequest(root, flags)


def from_payload(text: str) -> HookRequest:
    """
    Return the request of the host's JSON; never raises.

    Nothing on stdin means a session start in the working folder, so the hook
    can be tried by hand. What is not an object, or another event, gets no block.
    """
    if not text.strip():
        return HookRequest(_working_folder(), framed=True)
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _refused(f"stdin is not JSON: {error}")
    if not isinstance(payload, dict):
        return _refused(f"stdin is JSON but not an object: {text[:40]!r}")
    if (event := payload.get("hook_event_name", EVENT)) != EVENT:
        return _refused(f"hook_event_name is {event!r}: only {EVENT!r} gets a block")
    root = payload.get("cwd")
    if not isinstance(root, str) or not os.path.isdir(root.replace("\0", "")):
        complaint = f"cwd is {root!r}, not a folder: using the working folder"
        return HookRequest(_working_folder(), framed=True, complaints=(complaint,))
    return HookRequest(root, framed=True)


def _refused(complaint: str) -> HookRequest:
    return HookRequest(_working_folder(), framed=True, wanted=False, complaints=(complaint,))


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.path.sep
