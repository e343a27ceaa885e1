"""Events of a running session, reported by a host's hooks."""

from typing import Literal, NamedTuple, TypeAlias

MAX_WAITING = 10_000
"""Most pending events of all sessions. Beyond it the oldest are dropped."""

EventKind: TypeAlias = Literal["prompt", "reply", "compaction", "end"]


class HookEvent(NamedTuple):
    """
    An event of a session.

    Attributes:
        at: ISO 8601 in UTC.
        text: The redacted prompt or last reply; empty if there is none.
        number: Its number in the journal, from 1; 0 before it is written.
    """

    session_id: str
    kind: EventKind
    at: str
    project_root: str
    transcript_path: str = ""
    text: str = ""
    number: int = 0


class NotedProject(NamedTuple):
    """
    The project of a folder when an event was noted there.

    Attributes:
        root: The top of the folder's work tree; the folder itself without one.
        inode: The number of *key* in its file system; 0 if unknown.
    """

    key: str
    root: str
    inode: int = 0
    project_id: str = ""


class WaitingEvents(NamedTuple):
    """
    The unprocessed events of a session.

    Attributes:
        project_root: The first folder they name; empty if they name none.
        events: How many there are, at least one.
        newest: The number of the last.
    """

    session_id: str
    project_root: str
    events: int
    replies: int
    newest: int
    newest_at: str
