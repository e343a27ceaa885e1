"""
Events of a running session, reported by a host's hooks.

Standard library only: the capture hooks need it.
"""

from typing import Literal, NamedTuple, TypeAlias

MAX_WAITING = 10_000
"""Most pending events of all sessions; beyond it the oldest are dropped."""

EventKind: TypeAlias = Literal["prompt", "reply", "compaction", "end"]


class HookEvent(NamedTuple):
    """
    An event of a session.

    Attributes:
        session_id: The session, by the host's name.
        at: ISO 8601 in UTC.
        project_root: The user's working folder.
        transcript_path: The host's transcript; empty if unknown.
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

    It outlives the folder.

    Attributes:
        key: The key of the project.
        root: The top of the folder's work tree; the folder itself without one.
        inode: The number of *key* in its file system; 0 if unknown.
        project_id: The id of the project in the store; empty if the store did not know it.
    """

    key: str
    root: str
    inode: int = 0
    project_id: str = ""


class Waiting(NamedTuple):
    """
    The unprocessed events of a session.

    Attributes:
        session_id: The session, by the host's name.
        project_root: The first folder they name; empty if they name none.
        events: How many there are, at least one.
        replies: How many of them are replies.
        newest: The number of the last.
        newest_at: Its time, ISO 8601 in UTC.
    """

    session_id: str
    project_root: str
    events: int
    replies: int
    newest: int
    newest_at: str
