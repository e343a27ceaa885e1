"""The block of a host: what matters to the present work, or a few lessons with nothing to go by."""

import attrs
import pytest

from hardwon.domain.model.context import Branch, ContextQuery, Feature
from hardwon.domain.model.entry import Entry
from hardwon.domain.use_cases.inject_at_start import FEW
from tests.domain.use_cases.test_inject_at_start import Session, descriptions
from tests.fakes.models import HangingEmbedder, PlantedEmbedder
from tests.strategies import QUERY_VECTOR, lesson, planted

WORK = ContextQuery(Feature("parser"), branch=Branch("main"))
NOTHING = ContextQuery(branch=Branch("main"))


def session_of(*near: tuple[Entry, float]) -> Session:
    """Return a session with *near* and their cosines among twenty lessons about nothing of it."""
    session = Session(embedder=PlantedEmbedder({"parser": QUERY_VECTOR}))
    for entry, cosine in near:
        session.add(entry, planted(cosine))
    for number in range(20):
        far = attrs.evolve(lesson(f"far {number}"), observation_count=90)
        session.add(far, planted(-0.1 + number / 200))
    return session


def printed(session: Session, query: ContextQuery = WORK, *, limit: int = 20) -> list[str]:
    return descriptions(session.inject(query, limit=limit, framed=True), session)


def test_it_has_only_what_matters_best_first_whatever_the_track_record() -> None:
    session = session_of((lesson("good"), 0.6), (lesson("best"), 0.8))

    assert printed(session) == ["best", "good"]


SHELL = ContextQuery(files=("nightly.sh",), branch=Branch("main"))
CRON, HOVER = "cron has no profile, and ssh eats stdin", "the theme flickers on hover"


@pytest.mark.parametrize(("cosine", "expected"), [(0.35, [CRON]), (-0.3, [])])
def test_of_equally_close_lessons_that_on_the_subject_of_the_work_matters(
    cosine: float, expected: list[str]
) -> None:
    session = Session(embedder=PlantedEmbedder({SHELL.public or "": QUERY_VECTOR}))
    session.add(lesson(HOVER), planted(cosine))
    session.add(lesson(CRON), planted(cosine, direction=2))
    for number in range(20):
        session.add(lesson(f"the kubernetes pod {number}"), planted(-0.1 + number / 200))
    session.keywords.available = False

    assert printed(session, SHELL) == (expected or printed(session, NOTHING))


def test_without_vectors_a_lesson_is_found_by_the_words_of_the_works_subject() -> None:
    session = Session(embedder=None)
    for text in (CRON, HOVER, "the pod was evicted", "the invoice was wrong"):
        session.add(lesson(text))

    assert printed(session, SHELL) == [CRON]


def test_where_nothing_matters_it_has_five_by_track_record() -> None:
    proven = attrs.evolve(lesson("proven"), observation_count=99, confidence="high")
    injection = session_of((lesson("not close"), 0.15), (proven, 0.0)).inject(WORK, framed=True)

    assert len(injection.printed) == FEW
    assert "proven" in injection.text


def test_the_quota_is_dealt_among_what_matters() -> None:
    many = [(lesson(f"close {number}"), 0.9) for number in range(12)]
    few = [(lesson(f"less close {number}", category="heuristics"), 0.6) for number in range(5)]
    unrelated = [(lesson(f"rule {number}", category="anti-patterns"), 0.1) for number in range(5)]

    chosen = printed(session_of(*many, *few, *unrelated), limit=9)

    assert [text.partition(" ")[0] for text in chosen] == ["close"] * 6 + ["less"] * 3


def test_a_superseded_lesson_stands_neither_beside_its_successor_nor_alone() -> None:
    newer = lesson("newer")
    older = attrs.evolve(lesson("older"), superseded_by=newer.entry_id)

    assert printed(session_of((newer, 0.7), (older, 0.9))) == ["newer"]
    assert "older" not in printed(session_of((newer, 0.0), (older, 0.9)))


def test_with_nothing_to_go_by_the_few_with_the_best_track_record_are_printed() -> None:
    session = session_of((attrs.evolve(lesson("record"), observation_count=99), 0.9))
    injection = session.inject(NOTHING, framed=True)

    assert len(injection.printed) == FEW
    assert descriptions(injection, session)[0] == "record"
    assert len(printed(session, NOTHING, limit=3)) == 3


def test_with_nothing_to_go_by_only_this_project_and_the_users_own_lessons_speak() -> None:
    session = Session()
    for entry in (
        attrs.evolve(lesson("own"), project="here"),
        attrs.evolve(lesson("of all"), project=None),
        attrs.evolve(lesson("for everywhere"), project="there", reach="everywhere"),
        attrs.evolve(lesson("of another"), project="there"),
    ):
        session.add(entry)

    assert {*printed(session, NOTHING)} == {"own", "of all", "for everywhere"}


@pytest.mark.parametrize("hangs", [True, False], ids=["too late", "without an embedder"])
def test_without_vectors_the_words_decide_and_the_track_record_fills_no_place(
    *, hangs: bool
) -> None:
    session = session_of((lesson("the parser keeps its state"), 0.0), (lesson("close"), 0.9))
    hanging = HangingEmbedder(PlantedEmbedder())
    session.embedder = hanging if hangs else None
    injection = session.inject(WORK, framed=True, seconds=0.01 if hangs else 2.0)
    hanging.released.set()

    assert descriptions(injection, session) == ["the parser keeps its state"]
    assert len(injection.degradations) == hangs


def test_without_both_searches_the_few_with_the_best_track_record_are_printed() -> None:
    session = session_of((lesson("parser"), 0.9))
    session.embedder, session.keywords.available = None, False

    assert len(printed(session)) == FEW


def test_with_neither_vectors_nor_a_relevant_word_a_few_by_track_record_are_printed() -> None:
    session = session_of((lesson("parser"), 0.9))
    session.embedder = None

    unknown = ContextQuery(Feature("compiler"), branch=Branch())
    assert len(printed(session, unknown)) == FEW


def test_lessons_that_all_have_the_word_matter_in_a_store_of_any_size() -> None:
    for count in (1, 2, 50):
        session = Session(embedder=None)
        for number in range(count):
            session.add(lesson(f"the parser, case {number}"))

        assert len(printed(session)) == min(count, 20)
