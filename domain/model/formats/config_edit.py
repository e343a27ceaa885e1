"""
How an agent comes to call us, and whether that works.

What is to become of one file of the user's.

Our hooks in an agent's settings, beside the user's: groups of hooks by event.

Our server in an agent's settings, beside the user's.
"""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.redaction import redact

BY_PLUGIN = "its plugin"


class Connection(NamedTuple):
    """
    How an agent comes to call us.

    Attributes:
        ways: In words, such as the file that says so; none when it does not.
        commands: The programs that its files name.

    """

    ways: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def is_by_plugin(self) -> bool:
        """Whether our plugin is enabled, which brings hooks and tools."""
        return BY_PLUGIN in self.ways

    @property
    def is_twice(self) -> bool:
        """Whether hooks run twice."""
        return len(self.ways) > 1


class Verdict(NamedTuple):
    """
    Whether a connection works.

    Attributes:
        ok: Whether it does, as far as it is set up.
        detail: How it is set up, and the way out when it does not work.

    """

    ok: bool
    detail: str


def judge(connection: Connection, missing: Collection[str]) -> Verdict:
    """
    Return whether a connection works.

    Args:
        connection: One with a way at least.
        missing: Those of its commands that are not there.

    """
    ways = " and ".join(connection.ways)
    if connection.is_twice:
        return Verdict(ok=False, detail=f"hooks run twice, from {ways}: hardwon init leaves them to the plugin")
    if gone := [command for command in connection.commands if command in missing]:
        return Verdict(ok=False, detail=f"{gone[0]} is gone, {ways} names it: run hardwon init")
    return Verdict(ok=True, detail=f"hooks from {ways}")


CONTEXT = 1
LONGEST_LINE = 200
MOST_LINES = {"create": 12, "remove": 4, "change": 100}


class FileChange(NamedTuple):
    """
    One file before and after.

    Attributes:
        path: The file.
        before: What it holds; None where there is none.
        after: What it is to hold; None where there is to be none.

    """

    path: str
    before: str | None
    after: str | None

    @property
    def verb(self) -> str:
        """What happens to it, in one word."""
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"

    def diff(self, *, whole: bool = True) -> str:
        """Return the lines that come and go, each with a line around it, without secrets; not *whole*: the first of them."""
        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        lines = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))[2:]
        told = [redact(line) for line in lines]
        return "\n".join(told if whole else _cut(told, MOST_LINES[self.verb]))


def _cut(lines: list[str], most: int) -> list[str]:
    kept = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:most]]
    return [*kept, *([f"… and {len(lines) - most} more lines"] if len(lines) > most else [])]


Document: TypeAlias = Mapping[str, Any]
IsOurs: TypeAlias = Callable[[str], bool]
"""Tells whether a command is one of ours."""

HOOKS = "hooks"
OUR_HOOK_KEYS = ("type", "command")
"""What of a hook says what it calls; all else in it is the user's once it is there."""


def with_hooks(document: Document, hooks: Mapping[str, Document], is_ours: IsOurs) -> Document:
    """
    Return *document* with *hooks* as the only ones of ours, all else as it was.

    Of one of ours that is there already, alone for its event, only the command is changed: the user can have given it
    another timeout.

    Args:
        document: The settings; itself when it holds just these already.
        hooks: By event, one hook each, which gets a group of its own at the end.
        is_ours: Tells which hooks are to go.

    Raises:
        UneditableFileError: what stands where groups belong is of another sort.

    """
    present_ones = _ours(document, is_ours)
    hooks = {
        event: _merged(hook, [one for place, one in present_ones if place == event]) for event, hook in hooks.items()
    }
    if dict(present_ones) == hooks and len(present_ones) == len(hooks):
        return document
    cleared = without_hooks(document, is_ours)
    present = cleared.get(HOOKS, {})
    if not isinstance(present, dict):
        raise UneditableFileError(f"{HOOKS!r} is no object")
    groups = {event: [*_listed(present, event), {HOOKS: [hook]}] for event, hook in hooks.items()}
    return {**cleared, HOOKS: {**present, **groups}}


def without_hooks(document: Document, is_ours: IsOurs) -> Document:
    """Return *document* without hooks of ours; groups, events and the object that held nothing else go too."""
    present = document.get(HOOKS)
    if not isinstance(present, dict):
        return document
    kept = {event: _without(groups, is_ours) for event, groups in present.items()}
    kept = {event: groups for event, groups in kept.items() if groups or not present[event]}
    if kept or not present:
        return {**document, HOOKS: kept}
    return {key: value for key, value in document.items() if key != HOOKS}


def our_commands(document: Document, is_ours: IsOurs) -> list[str]:
    """Return the commands of ours, in order, each once."""
    return list(dict.fromkeys(hook["command"] for _, hook in _ours(document, is_ours)))


def _merged(hook: Document, present: Sequence[Document]) -> Document:
    """Return *hook* as the user made it where one of ours is *present*; of several none counts."""
    if len(present) != 1:
        return hook
    return {**hook, **present[0], **{key: hook[key] for key in OUR_HOOK_KEYS if key in hook}}


def _ours(document: Document, is_ours: IsOurs) -> list[tuple[str, Document]]:
    """Return event and hook of all that is ours."""
    present = document.get(HOOKS)
    return [
        (event, hook)
        for event, groups in (present.items() if isinstance(present, dict) else ())
        for group in (groups if isinstance(groups, list) else ())
        for hook in _hooks_in(group)
        if _is_one(hook, is_ours)
    ]


def _without(groups: object, is_ours: IsOurs) -> object:
    return [left for group in groups for left in _rest(group, is_ours)] if isinstance(groups, list) else groups


def _rest(group: object, is_ours: IsOurs) -> Sequence[object]:
    """Return *group* without hooks of ours, nothing when it held nothing else."""
    hooks = _hooks_in(group)
    kept = [hook for hook in hooks if not _is_one(hook, is_ours)]
    if not isinstance(group, dict) or len(kept) == len(hooks):
        return (group,)
    return ({**group, HOOKS: kept},) if kept else ()


def _hooks_in(group: object) -> Sequence[Any]:
    hooks = group.get(HOOKS) if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else ()


def _is_one(hook: object, is_ours: IsOurs) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and is_ours(command)


def _listed(present: Document, event: str) -> Sequence[object]:
    groups = present.get(event, [])
    if not isinstance(groups, list):
        raise UneditableFileError(f"{event!r} of {HOOKS!r} is no list")
    return groups


OUR_SERVER_KEYS = ("type", "command", "args")
"""What of a server's entry says how it is started; all else in it is the user's once it is there."""

IsServer = Callable[[object], bool]
"""Tells whether what stands under a name is a server of ours."""


def with_server(document: Document, place: str, name: str, server: Document, is_ours: IsServer) -> Document:
    """
    Return *document* with *server* under that name in the object *place*, all else as it was.

    Of a server of ours that is there already only what starts it is changed: the user can have added to it.

    Raises:
        TakenNameError: the user has another server of that name.
        UneditableFileError: *place* is no object.
    """
    servers = document.get(place, {})
    if not isinstance(servers, dict):
        raise UneditableFileError(f"{place!r} is no object")
    if name in servers and not is_ours(servers[name]):
        raise TakenNameError(f"{place!r} has a {name!r} of your own")
    present = servers.get(name)
    wanted = {**server, **present, **_start(server)} if isinstance(present, dict) else server
    return document if present == wanted else {**document, place: {**servers, name: wanted}}


def without_server(document: Document, place: str, name: str, is_ours: IsServer) -> Document:
    """Return *document* without our server, and without the object *place* when that held nothing else."""
    servers = document.get(place)
    if not isinstance(servers, dict) or name not in servers or not is_ours(servers[name]):
        return document
    if kept := {key: value for key, value in servers.items() if key != name}:
        return {**document, place: kept}
    return {key: value for key, value in document.items() if key != place}


def _start(server: Document) -> Document:
    return {key: value for key, value in server.items() if key in OUR_SERVER_KEYS}


class Written(NamedTuple):
    """
    What was written to one file.

    Attributes:
        digest: sha256 of what it held then.
        was_there: Whether there was a file when this was written.
        is_made: Whether the file would not be there without us, though others may have written to it since.
        original: What it held before, where that can't be told from what was written.

    """

    digest: str
    was_there: bool
    is_made: bool
    original: str | None = None
