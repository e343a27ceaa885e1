import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import without_frame


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("when did I work on authentication?", "authentication?"),
        ("When did we last talk about the parser", "the parser"),
        ("what did we decide about retries?", "retries?"),
        ("have we ever discussed redis?", "redis?"),
        ("can you tell me what we know about helm", "what we know about helm"),
        ("do you remember when we fixed the build?", "when we fixed the build?"),
        ("anything about the flaky migration", "the flaky migration"),
        ("please tell me about retries", "retries"),
        ("so when did I work on auth", "auth"),
        ("ok, when did we decide on X", "X"),
        ("\u017fo when d\u0131d we decide on X", "X"),
        ("do you recall how notes on X read", "how notes on X read"),
        ("recall  the parser", "the parser"),
    ],
)
def test_the_words_before_the_subject_fall_away(question: str, subject: str) -> None:
    assert without_frame(question) == subject


@pytest.mark.parametrize(
    "question",
    [
        "kubernetes network debugging",
        "how did we implement authentication",
        "why does the parser fail",
        "what did we do about",
        "when did I work on",
        "",
        "?",
        "do",
        "tell me",
    ],
)
def test_a_question_that_says_what_it_is_about_or_nothing_else_stays(question: str) -> None:
    assert without_frame(question) == question


@given(question=st.text(max_size=60))
def test_a_question_never_becomes_empty_and_ends_as_it_did(question: str) -> None:
    subject = without_frame(question)

    assert question.strip().endswith(subject.strip())
    assert bool(subject.strip()) == bool(question.strip())
    assert without_frame(subject) == subject
