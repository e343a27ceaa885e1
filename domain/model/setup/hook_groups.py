"""Our hooks in an agent's settings, beside the user's: groups of hooks by event."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hardwon.domain.model.errors import UneditableFileError

Document: TypeAlias = Mapping[str, Any]
IsOurs: TypeAlias = Callable[[str], bool]
"""Tells whether a command is one of ours."""

HOOKS = "hooks"
OURS = ("type", "command")
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
    return {**hook, **present[0], **{key: hook[key] for key in OURS if key in hook}}


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
