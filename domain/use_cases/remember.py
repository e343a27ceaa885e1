"""Keep for good: a text, or what was said in a session."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.hook_event import Waiting
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer, project_of
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.capture import Capture, Captured, CaptureEvents, Learn, Learned

NOTHING_SAID = "no session that hooks or a transcript told of is at hand in this project: say what to remember, as in: hardwon remember 'TEXT'"


class KnownSession(NamedTuple):
    """
    A session that something is known of.

    Attributes:
        session_id: The session, as the host names it.
        project_root: The folder of the project it began in; empty when the host named none.
        spoken_at: When something was said in it last, ISO 8601 in UTC.

    """

    session_id: str
    project_root: str
    spoken_at: str


@attrs.frozen
class Remembered:
    """
    What was kept for good.

    Attributes:
        captured: Its chunks and files.
        learned: What the store knows of it.

    """

    captured: Captured
    learned: Learned


def known_sessions(buffers: Iterable[SessionBuffer], waiting: Iterable[Waiting]) -> list[KnownSession]:
    """Return the sessions in which something was said or that have events, the buffered first."""
    known = {buffer.session_id: buffer for buffer in buffers}
    told = {events.session_id: events for events in waiting}
    return [
        KnownSession(
            session_id,
            project_of(known.get(session_id), [told[session_id].project_root] if session_id in told else ()),
            max(_moments(known.get(session_id), told.get(session_id)), default=""),
        )
        for session_id in dict.fromkeys((*known, *told))
    ]


def session_meant(sessions: Iterable[KnownSession], named: str, is_ours: Callable[[str], bool]) -> KnownSession:
    """
    Return the session that the host *named*, if it is known, else that of the project in which was spoken last.

    Args:
        sessions: All that are known.
        named: The session that goes on, as the host names it; empty when it does not.
        is_ours: Tells whether a folder is the user's project.

    Raises:
        InvalidEntryError: there is none.

    """
    spoken = {session.session_id: session for session in sessions if session.spoken_at}
    if named in spoken:
        return spoken[named]
    ours = [session for session in spoken.values() if is_ours(session.project_root)]
    if not ours:
        raise InvalidEntryError(NOTHING_SAID)
    return max(ours, key=lambda session: session.spoken_at)


@attrs.frozen(kw_only=True)
class Remember:
    """
    Keep for good, in a project's files and in the store.

    Attributes:
        capture: Keeps it in the files.
        learn: Brings the files into the store.

    """

    capture: Capture
    learn: Learn

    def text(self, said: Exchange, project_root: str) -> Remembered:
        """
        Keep what belongs to no session.

        Raises:
            UnreadableFileError: a file can't be written.
        """
        drafts = self.capture.chunker.add((), said)
        return self._for_good(SessionBuffer(session_id="", project_root=project_root, drafts=drafts))

    def session(self, session_id: str, waiting: CaptureEvents) -> Remembered:
        """
        Keep the exchanges at hand of a session, once what waits of it is taken in; only one process at a time may.

        Raises:
            InvalidEntryError: nothing was said in it.
            UnreadableFileError: a file can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now.
        """
        waiting.capture_waiting(session_id)
        buffer = self.capture.journal.buffer(session_id)
        if not (buffer and buffer.exchanges):
            raise InvalidEntryError(NOTHING_SAID)
        return self._for_good(buffer)

    def _for_good(self, buffer: SessionBuffer) -> Remembered:
        captured = self.capture.for_good(buffer)
        learned = self.learn(captured.files)
        if learned.is_known:
            self.capture.learned(captured.buffer)
        return Remembered(captured, learned)


def _moments(buffer: SessionBuffer | None, waiting: Waiting | None) -> list[str]:
    said = [exchange.at.isoformat(timespec="milliseconds") for exchange in buffer.exchanges[-1:]] if buffer else []
    return [*said, *([waiting.newest_at] if waiting else [])]
