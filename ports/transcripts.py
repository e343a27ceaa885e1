import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.conversation.hook_event import HookEvent, Waiting
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer

STANDARD_INPUT = "-"
"""Names standard input in place of the path of a transcript."""


class CaptureJournal(Protocol):
    """Write-ahead journal of hook events that are not handled yet, and the buffer of each session."""

    def note(self, event: HookEvent) -> int:
        """
        Add *event* for good; return how many replies of its session wait now, this one included.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...

    def waiting(self) -> list[Waiting]:
        """Return what waits of each session that has events, the one that waits longest first."""
        ...

    def events(self, session_id: str) -> list[HookEvent]:
        """Return the events of that session that are not dealt with, in order."""
        ...

    def buffer(self, session_id: str) -> SessionBuffer | None:
        """Return the buffer of that session, None when it has none."""
        ...

    def buffers(self) -> Sequence[SessionBuffer]:
        """Return the buffers of all sessions, the one that was kept last first."""
        ...

    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        """
        Keep *buffer* in place of the session's earlier one and forget its events up to number *handled*, both or neither.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...

    def forget_untouched(self, since: dt.datetime) -> list[Waiting]:
        """
        Forget the sessions of which nothing was noted or kept *since* then; return what is lost by it, as it waited.

        Raises:
            StorageError: the journal can't be written now.
        """
        ...


class Transcribed(NamedTuple):
    """
    An exchange as a transcript has it.

    Attributes:
        exchange: Cleaned.
        begins_at: Where it begins: in bytes of the transcript; of events, the number of its first one.
        is_over: Whether the next one has begun; the last one may still grow.
        session_id: The session it belongs to, empty when the transcript does not say.
        branch: The git branch it was said on, likewise.

    """

    exchange: Exchange
    begins_at: int
    is_over: bool
    session_id: str = ""
    branch: str = ""


class Transcripts(Protocol):
    """The transcripts that agents write of their sessions."""

    def read(self, path: str, position: int = 0) -> Iterator[Transcribed]:
        """
        Yield the exchanges of the transcript at *path*, in order, from the one that begins at *position* on.

        What was injected, tool calls and their results (but questions and their
        answers), thinking, meta lines, summaries of compactions and sidechains
        are left out; so are secrets. A line that can't be read costs only itself.
        Memory does not grow with the file.

        Args:
            path: The file; `-` for standard input.
            position: A `begins_at` of an earlier reading; 0 for all. Beyond the end, all is read anew.

        Raises:
            UnreadableFileError: it can't be read, is no transcript, or none of its exchanges can be dated.

        """
        ...
