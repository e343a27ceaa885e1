"""The session that is remembered when none is named."""

import pytest

from hardwon.domain.model.conversation.hook_event import WaitingEvents
from hardwon.domain.model.conversation.session import DraftChunk, Exchange, SessionBuffer
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.remember import KnownSession, known_sessions, session_meant
from tests.conversations import MINUTE
from tests.strategies import NOW


def buffer(session_id: str, minute: int, root: str = "/here") -> SessionBuffer:
    exchange = Exchange("go on", "", NOW + minute * MINUTE)
    return SessionBuffer(
        session_id=session_id,
        project_root=root,
        drafts=(DraftChunk(topic="", exchanges=(exchange,)),),
    )


def waiting(session_id: str, minute: int, root: str = "/here") -> WaitingEvents:
    return WaitingEvents(session_id, root, 1, 1, 1, at(minute))


def at(minute: int) -> str:
    return (NOW + minute * MINUTE).isoformat(timespec="milliseconds")


def meant(sessions: list[KnownSession], named: str = "") -> str:
    return session_meant(sessions, named, lambda root: root == "/here").session_id


def test_a_session_is_about_the_project_it_began_in_and_as_new_as_its_newest_word() -> None:
    known = known_sessions(
        [buffer("one", 1)], [waiting("one", 5, "/elsewhere"), waiting("two", 3, "/there")]
    )

    assert known == [KnownSession("one", "/here", at(5)), KnownSession("two", "/there", at(3))]


def test_a_session_whose_events_were_all_merged_is_known_by_its_buffer() -> None:
    assert known_sessions([buffer("one", 1)], []) == [KnownSession("one", "/here", at(1))]
    assert known_sessions([SessionBuffer(session_id="one", project_root="/here")], []) == [
        KnownSession("one", "/here", "")
    ]


def test_the_session_that_is_named_is_meant_wherever_it_began_else_the_last_of_the_project() -> (
    None
):
    sessions = known_sessions(
        [buffer("old", 1), buffer("new", 2), buffer("other", 3, "/elsewhere")], []
    )

    assert (meant(sessions), meant(sessions, "old"), meant(sessions, "other")) == (
        "new",
        "old",
        "other",
    )
    assert meant(sessions, "never heard of") == "new"


def test_without_a_session_of_the_project_none_is_meant() -> None:
    with pytest.raises(InvalidEntryError, match="hardwon remember 'TEXT'"):
        meant(
            known_sessions(
                [
                    buffer("other", 3, "/elsewhere"),
                    SessionBuffer(session_id="x", project_root="/here"),
                ],
                [],
            )
        )
