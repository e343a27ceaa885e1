"""
Our hooks in an agent's JSON settings, beside the user's: groups of hooks by event.

Our server in an agent's settings, beside the user's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hardwon.adapters.agents.programs import is_hook, is_server
from hardwon.domain.model.errors import TakenNameError, UneditableFileError

Document: TypeAlias = Mapping[str, Any]

HOOKS = "hooks"
OUR_HOOK_MEMBERS = ("type", "command")
"""The members of a hook that start it; all others are the user's once it is there."""


def with_hooks(document: Document, hooks: Mapping[str, Document]) -> Document:
    """
    Return *document* with *hooks* as the only ones of ours, all else as it was; idempotent.

    Of a hook of ours that is the only one of its event, only the command is changed: the user can have given it
    another timeout.

    Args:
        document: The settings; returned itself when it holds just these hooks already.
        hooks: One hook for each event, which gets a group of its own at the end.

    Raises:
        UneditableFileError: a value of another type stands where groups belong.

    """
    present = _our_hooks(document)
    merged = {
        event: _merged_hook(hook, [ours for place, ours in present if place == event]) for event, hook in hooks.items()
    }
    if dict(present) == merged and len(present) == len(merged):
        return document
    cleared = without_hooks(document)
    events = cleared.get(HOOKS, {})
    if not isinstance(events, dict):
        raise UneditableFileError(f"{HOOKS!r} is no object")
    groups = {event: [*_groups_of(events, event), {HOOKS: [hook]}] for event, hook in merged.items()}
    return {**cleared, HOOKS: {**events, **groups}}


def without_hooks(document: Document) -> Document:
    """Return *document* without hooks of ours; groups, events and the object that held nothing else go too."""
    present = document.get(HOOKS)
    if not isinstance(present, dict):
        return document
    kept = {event: _without_ours(groups) for event, groups in present.items()}
    kept = {event: groups for event, groups in kept.items() if groups or not present[event]}
    if kept or not present:
        return {**document, HOOKS: kept}
    return {key: value for key, value in document.items() if key != HOOKS}


def our_commands(document: Document) -> list[str]:
    """Return the distinct commands of our hooks, in order."""
    return list(dict.fromkeys(hook["command"] for _, hook in _our_hooks(document)))


def _merged_hook(hook: Document, present: Sequence[Document]) -> Document:
    """Return *hook* with the user's changes where exactly one of ours is *present*."""
    if len(present) != 1:
        return hook
    return {**hook, **present[0], **{key: hook[key] for key in OUR_HOOK_MEMBERS if key in hook}}


def _our_hooks(document: Document) -> list[tuple[str, Document]]:
    """Return event and hook of all that is ours."""
    present = document.get(HOOKS)
    return [
        (event, hook)
        for event, groups in (present.items() if isinstance(present, dict) else ())
        for group in (groups if isinstance(groups, list) else ())
        for hook in _hooks_in(group)
        if _is_our_hook(hook)
    ]


def _without_ours(groups: object) -> object:
    return [left for group in groups for left in _rest_of(group)] if isinstance(groups, list) else groups


def _rest_of(group: object) -> Sequence[object]:
    """Return *group* without hooks of ours, nothing when it held nothing else."""
    hooks = _hooks_in(group)
    kept = [hook for hook in hooks if not _is_our_hook(hook)]
    if not isinstance(group, dict) or len(kept) == len(hooks):
        return (group,)
    return ({**group, HOOKS: kept},) if kept else ()


def _hooks_in(group: object) -> Sequence[Any]:
    hooks = group.get(HOOKS) if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else ()


def _is_our_hook(hook: object) -> bool:
    return isinstance(hook, dict) and is_hook(hook.get("command"))


def _groups_of(events: Document, event: str) -> Sequence[object]:
    groups = events.get(event, [])
    if not isinstance(groups, list):
        raise UneditableFileError(f"{event!r} of {HOOKS!r} is no list")
    return groups


OUR_SERVER_MEMBERS = ("type", "command", "args")
"""The members of a server's entry that start it; all others are the user's once it is there."""


def with_server(document: Document, place: str, name: str, server: Document) -> Document:
    """
    Return *document* with *server* under that name in the object *place*, all else as it was; idempotent.

    Of a server of ours that is there already only the members that start it are changed: the user can have added others.

    Raises:
        TakenNameError: the user has another server of that name.
        UneditableFileError: *place* is no object.
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
    """Return *document* without our server, and without the object *place* when that held nothing else."""
    servers = document.get(place)
    if not isinstance(servers, dict) or not is_server(servers.get(name)):
        return document
    if kept := {key: value for key, value in servers.items() if key != name}:
        return {**document, place: kept}
    return {key: value for key, value in document.items() if key != place}


def _start_of(server: Document) -> Document:
    return {key: value for key, value in server.items() if key in OUR_SERVER_MEMBERS}
