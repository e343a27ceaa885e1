"""Events of a session in progress, from a host's hooks. Standard library only: the capture hooks need it."""

from typing import Literal, NamedTuple, TypeAlias

EventKind: TypeAlias = Literal["prompt", "reply", "compaction", "end"]


class HookEvent(NamedTuple):
    """
    One moment of a session.

    Attributes:
        session_id: The session, as the host names it.
        kind: What happened.
        at: When, ISO 8601 in UTC.
        project_root: The folder the user works in.
        transcript_path: Where the host writes the session down; empty when it does not say.
        text: The prompt or the last reply, clean; empty where there is none.
        number: Its place in the journal, from 1; 0 before it is there.

    """

    session_id: str
    kind: EventKind
    at: str
    project_root: str
    transcript_path: str = ""
    text: str = ""
    number: int = 0


class Waiting(NamedTuple):
    """
    The events of a session that are not dealt with.

    Attributes:
        session_id: The session, as the host names it.
        project_root: The first folder they name; empty when they name none.
        events: How many there are, at least one.
        replies: How many of them are replies.
        newest: The number of the last.
        newest_at: When that was, ISO 8601 in UTC.

    """

    session_id: str
    project_root: str
    events: int
    replies: int
    newest: int
    newest_at: str
