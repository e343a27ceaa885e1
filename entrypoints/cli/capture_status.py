"""How capture stands: on or off, at work or not, and what is at hand of each session."""

from typing import NamedTuple

from hardwon.adapters.hook_log import last_events
from hardwon.adapters.sqlite.journal.journal import SqliteCaptureJournal
from hardwon.adapters.sqlite.journal.lock import CaptureLock
from hardwon.domain.model.conversation.capture_rules import BUFFERED
from hardwon.domain.model.conversation.drafts import SessionBuffer, project_of
from hardwon.domain.model.conversation.hook_event import Waiting
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.cli.screen import counted, print_json, say
from hardwon.entrypoints.composition import Memory
from hardwon.ports.capture_journal import CaptureJournal


class SessionStatus(NamedTuple):
    """
    What is at hand of a session.

    Attributes:
        session_id: The session, as the host names it.
        project_root: Its project's folder.
        exchanges: How many exchanges are at hand, at most 20.
        unwritten: How many of them are in no file yet.
        waiting: How many events wait for the worker.

    """

    session_id: str
    project_root: str
    exchanges: int
    unwritten: int
    waiting: int


def status(memory: Memory, *, as_json: bool) -> None:
    """
    Tell how capture stands in the store of *memory*.

    Raises:
        StorageError: the journal can't be read now.
    """
    store, settings = memory.settings.global_store, memory.settings
    sessions = session_statuses(SqliteCaptureJournal(store))
    is_working = CaptureLock(store).is_taken()
    troubles = last_events(store, 1)
    if as_json:
        enabled = settings.capture_enabled and settings.semantic_enabled
        documents = [session._asdict() for session in sessions]
        print_json({"enabled": enabled, "working": is_working, "sessions": documents, "last_trouble": troubles[-1:]})
        return
    say(f"Capture: {_switch(settings)}")
    say(f"Worker: {'at work' if is_working else 'not running'}")
    for session in sessions:
        say(_line(session))
    if not sessions:
        say("No session was captured yet")
    for trouble in troubles:
        say(f"Last trouble: {trouble}")


def session_statuses(journal: CaptureJournal) -> list[SessionStatus]:
    """Return how each session stands, those that wait first."""
    buffers = {buffer.session_id: buffer for buffer in journal.buffers()}
    waiting = {each.session_id: each for each in journal.waiting()}
    return [_status(each, buffers.get(each), waiting.get(each)) for each in dict.fromkeys((*waiting, *buffers))]


def _status(session_id: str, buffer: SessionBuffer | None, waiting: Waiting | None) -> SessionStatus:
    replies = waiting.replies if waiting else 0
    return SessionStatus(
        session_id=session_id,
        project_root=project_of(buffer, [waiting.project_root] if waiting else ()),
        exchanges=min(BUFFERED, replies + (len(buffer.exchanges) if buffer else 0)),
        unwritten=min(BUFFERED, replies + (buffer.unwritten if buffer else 0)),
        waiting=waiting.events if waiting else 0,
    )


def _switch(settings: Settings) -> str:
    if not settings.semantic_enabled:
        return "off (memory_semantic_enabled)"
    if not settings.capture_enabled:
        return "off (memory_capture_enabled)"
    return f"on, every {counted(settings.capture_interval, 'exchange', 'exchanges')} (memory_capture_interval)"


def _line(session: SessionStatus) -> str:
    at_hand = counted(session.exchanges, "exchange", "exchanges")
    waiting = f", {counted(session.waiting, 'event waits', 'events wait')}" if session.waiting else ""
    return f"{session.session_id}  {session.project_root}: {at_hand}, {session.unwritten} unwritten{waiting}"
