"""Add and remove managed hooks and servers in an agent's parsed settings."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hardwon.adapters.agents.table import is_hook, is_server
from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.ports.agents import HOOK_TOOL

Document: TypeAlias = Mapping[str, Any]

HOOKS = "hooks"
MATCHER = "matcher"
TIMEOUT = "timeout"
HOOK_MEMBERS = ("type", "command", "server", "tool", "input")
"""
The members of a hook that start it.

All others belong to the user once it is written.
"""


NO_MATCHERS: Mapping[str, str] = {}


def with_hooks(
    document: Document,
    hooks: Mapping[str, Sequence[Document]],
    matchers: Mapping[str, str] = NO_MATCHERS,
) -> Document:
    """
    Replace the managed hooks of *document* by *hooks* (idempotent).

    If an event has exactly one managed hook of a type, only its start changes, and a timeout
    shorter than ours: the user may have set a longer one. The tools of an earlier version are
    replaced.

    Args:
        document: The settings; returned unchanged when it has exactly these hooks.
        hooks: The hooks of each event, put into a separate group at the end.
        matchers: The tools for which an event runs its hook; without one it always does.
    """
    present = defaultdict[str, list[Document]](list)
    for event, hook in _managed_hooks(document):
        present[event].append(hook)
    merged = {
        event: [_merged_hook(hook, present.get(event, ())) for hook in wanted]
        for event, wanted in hooks.items()
    }
    if present == merged and are_for_tools(document, matchers):
        return document
    cleared = without_hooks(document)
    events = cleared.get(HOOKS, {})
    if not isinstance(events, dict):
        raise UneditableFileError(f"{HOOKS!r} is no object")
    groups = {
        event: [*_groups_of(events, event), {**_matching(event, matchers), HOOKS: wanted}]
        for event, wanted in merged.items()
    }
    return {**cleared, HOOKS: {**events, **groups}}


def are_for_tools(document: Document, matchers: Mapping[str, str]) -> bool:
    """Return whether the managed hooks run for the tools that are wanted."""
    return all(
        group.get(MATCHER) == matchers[event]
        for event, group in _managed_groups(document)
        if matchers.get(event)
    )


def _matching(event: str, matchers: Mapping[str, str]) -> Document:
    return {MATCHER: matchers[event]} if matchers.get(event) else {}


def without_hooks(document: Document) -> Document:
    """Remove the managed hooks, and the groups, events and object left empty."""
    present = document.get(HOOKS)
    if not isinstance(present, dict):
        return document
    kept = {event: _without_managed(groups) for event, groups in present.items()}
    kept = {event: groups for event, groups in kept.items() if groups or not present[event]}
    if kept or not present:
        return {**document, HOOKS: kept}
    return {key: value for key, value in document.items() if key != HOOKS}


def our_commands(document: Document) -> list[str]:
    """Return the distinct commands of the managed hooks, in order."""
    hooks = (hook for _, hook in _managed_hooks(document) if not _calls_server(hook))
    return list(dict.fromkeys(hook["command"] for hook in hooks))


def servers_called(document: Document) -> dict[str, str]:
    """Return the servers that managed hooks call, by event."""
    return {
        event: hook.get("server", "")
        for event, hook in _managed_hooks(document)
        if _calls_server(hook)
    }


def _merged_hook(hook: Document, present: Sequence[Document]) -> Document:
    alike = [found for found in present if _calls_server(found) == _calls_server(hook)]
    if len(alike) != 1:
        return hook
    [users] = alike
    merged = {**hook, **{key: users[key] for key in users if key not in HOOK_MEMBERS}}
    return {**merged, TIMEOUT: hook[TIMEOUT]} if _is_shorter(users, hook) else merged


def _is_shorter(one: Document, other: Document) -> bool:
    before, after = one.get(TIMEOUT), other.get(TIMEOUT)
    return isinstance(before, (int, float)) and isinstance(after, (int, float)) and before < after


def _managed_hooks(document: Document) -> list[tuple[str, Document]]:
    return [
        (event, hook)
        for event, group in _managed_groups(document)
        for hook in _hooks_in(group)
        if is_managed(hook)
    ]


def _managed_groups(document: Document) -> list[tuple[str, Document]]:
    present = document.get(HOOKS)
    return [
        (event, group)
        for event, groups in (present.items() if isinstance(present, dict) else ())
        for group in (groups if isinstance(groups, list) else ())
        if any(map(is_managed, _hooks_in(group)))
    ]


def _without_managed(groups: object) -> object:
    return (
        [left for group in groups for left in _rest_of(group)]
        if isinstance(groups, list)
        else groups
    )


def _rest_of(group: object) -> Sequence[object]:
    hooks = _hooks_in(group)
    kept = [hook for hook in hooks if not is_managed(hook)]
    if not isinstance(group, dict) or len(kept) == len(hooks):
        return (group,)
    return ({**group, HOOKS: kept},) if kept else ()


def _hooks_in(group: object) -> Sequence[Any]:
    hooks = group.get(HOOKS) if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else ()


def is_managed(hook: object) -> bool:
    """Return whether *hook* runs the hook's program, or calls the server's tool for it."""
    return isinstance(hook, dict) and (is_hook(hook.get("command")) or _calls_server(hook))


def _calls_server(hook: Document) -> bool:
    return hook.get("tool") == HOOK_TOOL


def _groups_of(events: Document, event: str) -> Sequence[object]:
    groups = events.get(event, [])
    if not isinstance(groups, list):
        raise UneditableFileError(f"{event!r} of {HOOKS!r} is no list")
    return groups


SERVER_MEMBERS = ("type", "command", "args")
"""The members of a server's entry that start it."""


def with_server(document: Document, place: str, name: str, server: Document) -> Document:
    """
    Put *server* under *name* into the object *place* (idempotent).

    In an existing managed server only the members that start it change: the user may have added
    others.

    Raises:
        TakenNameError: the user has another server of that name.
    """
    servers = document.get(place, {})
    if not isinstance(servers, dict):
        raise UneditableFileError(f"{place!r} is no object")
    if name in servers and not is_server(servers[name]):
        raise TakenNameError(f"{place!r} has a {name!r} of your own")
    present = servers.get(name)
    wanted = {**server, **present, **_start_of(server)} if isinstance(present, dict) else server
    return document if present == wanted else {**document, place: {**servers, name: wanted}}


def without_server(document: Document, place: str, name: str) -> Document:
    """Remove the managed server, and *place* if it is empty then."""
    servers = document.get(place)
    if not isinstance(servers, dict) or not is_server(servers.get(name)):
        return document
    if kept := {key: value for key, value in servers.items() if key != name}:
        return {**document, place: kept}
    return {key: value for key, value in document.items() if key != place}


def _start_of(server: Document) -> Document:
    return {key: value for key, value in server.items() if key in SERVER_MEMBERS}
