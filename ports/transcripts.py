"""The sources of captured sessions: the journal of hook events, and transcripts."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.conversation.actions import Action
from hardwon.domain.model.conversation.hook_event import HookEvent, NotedProject, WaitingEvents
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer

STANDARD_INPUT = "-"
"""Names standard input in place of a transcript's path."""


class CaptureJournal(Protocol):
    """Write-ahead journal of unhandled hook events, and the buffer of each session."""

    def note(self, event: HookEvent, project: NotedProject | None = None) -> int:
        """
        Append *event* durably, and return its session's number of unhandled replies.

        This one is included.

        Args:
            event: As a hook received it.
            project: The project of the event's folder, which replaces the one noted before; None to
                note none.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...

    def noted_project(self, folder: str) -> NotedProject | None:
        """
        Return the project last noted with *folder*, or None.

        It is kept as long as its sessions are.
        """
        ...

    def waiting(self) -> list[WaitingEvents]:
        """
        Return a summary of each session's unhandled events.

        The longest waiting session is first.
        """
        ...

    def events(self, session_id: str) -> list[HookEvent]:
        """Return the unhandled events of that session, in order."""
        ...

    def buffer(self, session_id: str) -> SessionBuffer | None:
        """Return the buffer of that session, None without one."""
        ...

    def reading(self, session_id: str) -> int:
        """
        Return the version in which that session's transcript was read, 0 if unknown.

        It is known as long as the journal is.
        """
        ...

    def buffers(self) -> Sequence[SessionBuffer]:
        """Return the buffers of all sessions, the last stored first."""
        ...

    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        """
        Replace the session's buffer and delete its handled events, atomically.

        These are the events up to number *handled*.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...

    def keep_newest(self, most: int) -> Mapping[str, int]:
        """
        Delete unhandled events beyond *most*, those noted first.

        Returns how many of each session. Their times do not matter: nothing else deletes an event
        that was not handled.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...

    def forget_settled(self, since: dt.datetime) -> None:
        """
        Delete the buffers that did not change *since* then, with their projects.

        Those of sessions with unhandled events stay.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...


class TranscribedExchange(NamedTuple):
    """
    An exchange as read from a transcript.

    Attributes:
        exchange: The exchange, without secrets and private parts.
        begins_at: Its offset in the transcript in bytes; for events, the number of its first one.
        is_over: Whether the next exchange has begun; the last one may still grow.
        session_id: Its session, empty if the transcript does not name it.
        branch: Its git branch, likewise.
        actions: The agent's actions that may be part of a repair, without secrets; none of events.
    """

    exchange: Exchange
    begins_at: int
    is_over: bool
    session_id: str = ""
    branch: str = ""
    actions: Sequence[Action] = ()


class Transcripts(Protocol):
    """The transcripts that agents write of their sessions."""

    def read(self, path: str, position: int = 0) -> Iterator[TranscribedExchange]:
        """
        Yield the exchanges of a transcript in order, from *position*.

        Injected text, tool calls and results (except questions and their answers, and the
        actions that may be part of a repair), thinking, meta lines, compaction summaries,
        sidechains and secrets are left out.
        A line that can't be parsed is skipped. Memory does not grow with the file.

        Args:
            path: The file; `-` for standard input.
            position: A `begins_at` of an earlier reading; 0 for all. Beyond the end, all is read
                again.

        Raises:
            UnreadableFileError: it can't be read, is no transcript, or none of its exchanges has a
                time.
        """
        ...


class PastTranscript(NamedTuple):
    """
    The transcript of an earlier session.

    Attributes:
        folder: The folder in which the session was begun.
        session_id: The session, by the host's name.
        size: In bytes.
        changed_at: When the file was changed, in Unix seconds.
    """

    path: str
    folder: str
    session_id: str
    size: int
    changed_at: float


class PastTranscripts(Protocol):
    """The transcripts that the agents keep themselves."""

    def newest_first(self) -> Iterator[PastTranscript]:
        """Yield all that name their folder and session, the last changed first."""
        ...
