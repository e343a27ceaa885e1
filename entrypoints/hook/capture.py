"""
Capture hooks: journal the event, wake the worker when due.

At a turn's end they check whether injections reached the model.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent, NotedProject
from hardwon.domain.model.errors import CorruptStoreError
from hardwon.domain.model.redaction import CUT
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import host_folder, now
from hardwon.entrypoints.bootstrap_capture import (
    actions_of_session,
    activity_in,
    cleaning_for,
    note,
    project_to_note,
    put_aside,
    read_given_texts,
    wake,
)
from hardwon.entrypoints.hook.request import HookRequest

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.actions import Action

KINDS: Mapping[str, EventKind] = {
    "UserPromptSubmit": "prompt",
    "Stop": "reply",
    "PreCompact": "compaction",
    "SessionEnd": "end",
}
LONGEST_TEXT = 20_000
"""Characters, which take 30 ms to redact. The transcript keeps the rest."""


def note_event(request: HookRequest, settings: Settings, warn: Callable[[str], None]) -> bool:
    """
    Journal the event, and wake the worker if due.

    Returns whether it was woken.
    """
    if not request.session_id:
        session_id = request.payload.get("session_id")
        warn(f"{request.event!r} has the session_id {session_id!r:.60}: nothing is noted")
        return False
    if request.event == "UserPromptSubmit" and request.is_of_the_host:
        return False  # the turn of the user goes on
    event = _event(request, warn)
    project = project_to_note(settings, event.project_root) if event.project_root else None
    if event.project_root and not project:
        return False
    replies = _noted(event, project, store=settings.global_store, warn=warn)
    if not is_due(event, replies, settings):
        return False
    wake(settings, host_folder(event.project_root or os.sep), measure=request.measure)
    return True


def is_due(event: HookEvent, replies: int, settings: Settings) -> bool:
    """Return whether pending events are due, after *event*."""
    if event.kind == "prompt":
        from hardwon.domain.model.conversation.boundaries import (
            boundary_command,  # compiles patterns, for a prompt only
        )

        return boundary_command(event.text, settings.capture_boundaries) is not None
    return event.kind in {"compaction", "end"} or replies >= settings.capture_interval


def _noted(
    event: HookEvent, project: NotedProject | None, store: str, warn: Callable[[str], None]
) -> int:
    try:
        return note(store, event, project)
    except CorruptStoreError as error:
        warn(f"{error}; moved to {put_aside(store)}")
        return note(store, event, project)


def _event(request: HookRequest, warn: Callable[[str], None]) -> HookEvent:
    root = _folder(request.payload.get("cwd"), warn)
    return HookEvent(
        session_id=request.session_id,
        kind=KINDS[request.event],
        at=now().isoformat(timespec="milliseconds"),
        project_root=root,
        transcript_path=request.transcript_path,
        text=_kept(request.prompt or request.reply, root),
    )


def _folder(cwd: object, warn: Callable[[str], None]) -> str:
    if isinstance(cwd, str) and os.path.isdir(cwd):
        return os.path.abspath(cwd).encode("utf-8", "replace").decode()
    warn(f"cwd is {cwd!r:.200}, not a folder: the session's project is the one it began in")
    return ""


def _kept(text: str, root: str) -> str:
    if not text:
        return ""
    clean = cleaning_for(root).beginning(text, LONGEST_TEXT)  # compiles patterns only here
    return clean + CUT if len(text) > LONGEST_TEXT else clean


def confirm_delivery(request: HookRequest, settings: Settings) -> None:
    """
    Count the printed injections that the session's transcript contains, and their outcomes.

    Never creates or migrates a store. A turn may have a reply but no transcript, and a session may
    end before its first turn.
    """
    has_turn = request.reply or os.path.isfile(request.transcript_path)
    if not (request.delivery == "awaited" and has_turn):
        return
    from hardwon.domain.use_cases.observe_outcomes import ObserveOutcomes  # after a turn only
    from hardwon.domain.use_cases.open_window import ConfirmDelivery

    session_id, path = request.session_id, request.transcript_path
    with activity_in(settings) as activity:
        if activity:
            ConfirmDelivery(activity.deliveries).confirm(
                session_id, lambda agent: read_given_texts(path, agent)
            )
            read = actions_of_session(settings.global_store, session_id, path)
            ObserveOutcomes(activity.receipts).observe(session_id, read)


def observe_action(request: HookRequest, action: "Action", settings: Settings) -> None:
    """Note an ended action as the outcome of the session's moments, if it is."""
    from hardwon.domain.model.conversation.actions import TimedAction
    from hardwon.domain.model.injection.receipt import ContextWindow
    from hardwon.domain.use_cases.observe_outcomes import ObserveOutcomes

    window = ContextWindow(request.session_id, request.agent)
    with activity_in(settings) as activity:
        if activity:
            ObserveOutcomes(activity.receipts).note(window, TimedAction(now(), action))
