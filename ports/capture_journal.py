import datetime as dt
from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.conversation.drafts import SessionBuffer
from hardwon.domain.model.conversation.hook_event import HookEvent, Waiting


class CaptureJournal(Protocol):
    """What hooks told and is not yet dealt with, and the buffer of each session."""

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
