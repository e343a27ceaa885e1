"""Render pauses as text. Standard library only, for the hook."""

import datetime as dt

from hardwon.domain.model.pause import NEVER, Pause
from hardwon.entrypoints.presenters.text import on_one_line

SHOWN_CHARACTERS = 8
"""Characters of a session id that are shown. Enough to recognize it."""


def pause_line(pause: Pause, session_id: str = "") -> str:
    """Return what is paused and how it ends."""
    if not pause.is_readable:
        return (
            "hardwon is paused in all sessions, as its file of pauses can't be read: hardwon resume"
            " ends that"
        )
    whose = "all sessions" if not pause.session_id else _session(pause, session_id)
    until = "" if pause.ends_at == NEVER else f" until {_utc(pause.ends_at)}"
    return (
        f"hardwon is paused in {whose}{until}: nothing is captured, stored or injected; hardwon"
        " resume ends that"
    )


def other_session_line(pause: Pause) -> str:
    """Return the line for a session beside a paused one."""
    return (
        f"hardwon was paused in {_session(pause)} at {_utc(pause.begins_at)}, but not in this"
        " session: hardwon pause"
    )


def refusal(pause: Pause) -> str:
    """Return the line that refuses an agent."""
    until = "" if pause.ends_at == NEVER else f" or {_utc(pause.ends_at)}"
    return f"paused: memory is off the record until the user runs hardwon resume{until}"


def pause_document(pause: Pause) -> dict[str, object]:
    """
    Return *pause* for JSON.

    `session_id` is null for all sessions, `ends_at` for an open end.
    """
    ends_at = None if pause.ends_at == NEVER else pause.ends_at
    return {
        "session_id": pause.session_id or None,
        "begins_at": pause.begins_at,
        "ends_at": ends_at,
    }


def _session(pause: Pause, session_id: str = "") -> str:
    is_this = pause.session_id == session_id
    return (
        "this session" if is_this else f"session {on_one_line(pause.session_id)[:SHOWN_CHARACTERS]}"
    )


def _utc(when: dt.datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M} UTC"
