"""A session that is captured from its beginning again: its earlier chunks are gone, permanent ones stay."""

import contextlib

import attrs
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.use_cases.capture import Capture, CaptureOutcome, capture_session
from tests.conversations import sessions
from tests.domain.use_cases.test_capture import Breaking, Desk, by_id, talk, transcribed
from tests.strategies import few_examples

EMPTY = SessionBuffer(session_id="one", project_root="/app")
CUT_EVERYWHERE = Chunker(("What", "Which", "We", "No,", "I", "Watch", "next", "go"))


def recapture(desk: Desk, exchanges: list[Exchange]) -> CaptureOutcome:
    return capture_session(desk.capture, EMPTY, transcribed(exchanges))


def standing(desk: Desk) -> list[tuple[int, bool]]:
    """Return of each conversation how many exchanges it holds, and whether it is for good."""
    chunks = [
        section.chunk for section in desk.files.kept.values() if section.kind == "conversation"
    ]
    return [
        (len(chunk.exchanges), chunk.permanent)
        for chunk in sorted(chunks, key=lambda chunk: chunk.starts_at)
    ]


def test_a_chunk_cut_at_a_remembered_exchange_is_one_permanent_chunk() -> None:
    desk = Desk()
    desk.take(talk(2))
    desk.capture.for_good(desk.session("one"))
    desk.take(talk(3))
    before = standing(desk)
    recapture(desk, talk(3))

    assert before == [(2, True), (1, False)]
    assert standing(desk) == [(3, True)]
    assert [draft.permanent for draft in desk.session("one").drafts] == [True]


@given(
    exchanges=sessions(at_most=25),
    cut=st.integers(0, 25),
    breaks=st.lists(st.integers(0, 12), max_size=3),
)
@few_examples
@example(exchanges=talk(4), cut=4, breaks=[2])
@example(exchanges=talk(4), cut=4, breaks=[4])
def test_chunked_again_nothing_is_lost_or_doubled_whatever_interrupts_it(
    exchanges: list[Exchange], cut: int, breaks: list[int]
) -> None:
    complete, interrupted = Desk(), Desk()
    complete.take(exchanges)
    interrupted.capture = attrs.evolve(interrupted.capture, chunker=CUT_EVERYWHERE)
    interrupted.take(exchanges[:cut])
    interrupted.capture = once_more(interrupted)
    interrupted.journal._buffers.clear()
    for at in (*breaks, None):
        interrupted.files._breaking = interrupted.journal._breaking = Breaking(at)
        known = interrupted.session("one")
        with contextlib.suppress(StorageError, UnreadableFileError):
            capture_session(interrupted.capture, known, transcribed(exchanges, known.position or 0))

    assert by_id(interrupted.files.kept) == by_id(complete.files.kept)
    assert interrupted.session("one").drafts == complete.session("one").drafts


def once_more(desk: Desk) -> Capture:
    return attrs.evolve(desk.capture, chunker=Desk().capture.chunker)


def test_the_files_of_what_is_gone_are_named_for_the_store() -> None:
    desk = Desk()
    desk.capture = attrs.evolve(desk.capture, chunker=CUT_EVERYWHERE)
    before = desk.take(talk(3))
    desk.capture = once_more(desk)
    after = recapture(desk, talk(3))

    assert set(before.files) <= set(after.files)
    assert desk.session("one").unlearned == after.files


def test_other_times_and_other_sessions_stay_as_they_are() -> None:
    desk = Desk()
    desk.capture = attrs.evolve(desk.capture, chunker=CUT_EVERYWHERE)
    desk.take(talk(4))
    desk.take(talk(2, begin=9), "other")
    desk.capture = once_more(desk)
    recapture(desk, talk(2, begin=1))

    assert standing(desk) == [(1, False), (2, False), (1, False), (1, False), (1, False)]
