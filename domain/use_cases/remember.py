"""Keep a text, or the exchanges of a session, permanently."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.hook_event import WaitingEvents
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer, project_of
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.use_cases.capture import (
    Capture,
    CaptureEvents,
    CaptureIndexOutcome,
    CaptureOutcome,
    Learn,
)

NO_EXCHANGES = (
    "no captured session or transcript of this project was found: say what to"
    " remember, as in: hardwon remember 'TEXT'"
)


class KnownSession(NamedTuple):
    """
    A session with a buffer or unhandled events.

    Attributes:
        project_root: The folder of the project in which it began; empty if the host named none.
        spoken_at: The time of its last utterance, ISO 8601 in UTC; empty for none.
    """

    session_id: str
    project_root: str
    spoken_at: str


@attrs.frozen
class RememberOutcome:
    """The captured chunks and files, and the outcome of their indexing."""

    captured: CaptureOutcome
    learned: CaptureIndexOutcome


def known_sessions(
    buffers: Iterable[SessionBuffer], waiting: Iterable[WaitingEvents]
) -> list[KnownSession]:
    """Return the sessions with exchanges or events, the buffered ones first."""
    known = {buffer.session_id: buffer for buffer in buffers}
    pending = {events.session_id: events for events in waiting}
    return [
        KnownSession(
            session_id,
            project_of(
                known.get(session_id),
                [pending[session_id].project_root] if session_id in pending else (),
            ),
            max(_times(known.get(session_id), pending.get(session_id)), default=""),
        )
        for session_id in dict.fromkeys((*known, *pending))
    ]


def session_meant(
    sessions: Iterable[KnownSession], named: str, is_current: Callable[[str], bool]
) -> KnownSession:
    """
    Return the session *named*, else the last active one.

    Args:
        sessions: All known sessions.
        named: The id of the current session, empty if the host does not give it.
        is_current: Returns whether a folder is the user's project.
    """
    spoken = {session.session_id: session for session in sessions if session.spoken_at}
    if named in spoken:
        return spoken[named]
    local = [session for session in spoken.values() if is_current(session.project_root)]
    if not local:
        raise InvalidEntryError(NO_EXCHANGES)
    return max(local, key=lambda session: session.spoken_at)


@attrs.frozen(kw_only=True)
class Remember:
    """Keep text permanently, in a project's files and in the store."""

    capture: Capture
    learn: Learn

    def text(self, exchange: Exchange, project_root: str) -> RememberOutcome:
        """Keep an exchange that belongs to no session."""
        if self.capture.forgotten.holds([exchange.text]):
            raise ForgottenError
        drafts = self.capture.chunker.add((), exchange)
        return self._for_good(
            SessionBuffer(session_id="", project_root=project_root, drafts=drafts)
        )

    def session(self, session_id: str, waiting: CaptureEvents) -> RememberOutcome:
        """
        Capture a session's unhandled events, and keep its buffered exchanges.

        Only one process at a time may do so.

        Raises:
            UnreadableFileError: a file can't be written; nothing is lost.
        """
        waiting.capture_waiting(session_id)
        buffer = self.capture.journal.buffer(session_id)
        if not (buffer and buffer.exchanges):
            raise InvalidEntryError(NO_EXCHANGES)
        return self._for_good(buffer)

    def _for_good(self, buffer: SessionBuffer) -> RememberOutcome:
        captured = self.capture.for_good(buffer)
        learned = self.learn(captured.files)
        if learned.is_known:
            self.capture.learned(captured.buffer)
        return RememberOutcome(captured, learned)


def _times(buffer: SessionBuffer | None, waiting: WaitingEvents | None) -> list[str]:
    spoken = (
        [exchange.at.isoformat(timespec="milliseconds") for exchange in buffer.exchanges[-1:]]
        if buffer
        else []
    )
    return [*spoken, *([waiting.newest_at] if waiting else [])]
