"""Short consents take the options that they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.choices import (
    bare_labels,
    named_options,
    names_by_place,
    with_options,
)
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import DraftChunk
from tests.conversations import dialogue

LISTED = """Three options:

a) Postgres: nothing new to run.
b) Meilisearch: one small binary. It has to be kept in step.
**c)** Elasticsearch: needs memory.
"""
NUMBERED = "1. The nightly dump.\n2. The live API."


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("let's go with b", "let's go with b: Meilisearch: one small binary."),
        ("ok, use option B.", "ok, use option B: Meilisearch: one small binary."),
        ("take (a), please", "take (a), please: Postgres: nothing new to run."),
        ("do 2 then", "do 2 then: The live API."),
        ("b", "b: Meilisearch: one small binary."),
        ("a then", "a then: Postgres: nothing new to run."),
        (
            "i think we should go with b",
            "i think we should go with b: Meilisearch: one small binary.",
        ),
        ("ok c, the rest is overkill", "ok c, the rest is overkill: Elasticsearch: needs memory."),
        ("dann a", "dann a: Postgres: nothing new to run."),
        ("1 and 2", "1 and 2: The nightly dump.; The live API."),
        ("take 2, and 1 as well", "take 2, and 1 as well: The live API.; The nightly dump."),
        ("nimm 2 und auch 1", "nimm 2 und auch 1: The live API.; The nightly dump."),
        ("2 no: the client chokes on it", "2 no: the client chokes on it: The live API."),
        ("let's go with d", "let's go with d"),
        ("don't go with b", "don't go with b"),
        ("what about b?", "what about b?"),
        ("b would be wrong", "b would be wrong"),
        ("a table is fine", "a table is fine"),
        ("run 2 tests", "run 2 tests"),
        ("let's go with SQLite", "let's go with SQLite"),
    ],
)
def test_the_option_is_named(choice: str, expected: str) -> None:
    assert with_options(choice, [LISTED, NUMBERED]) == expected


@pytest.mark.parametrize(
    ("reply", "first", "last"),
    [
        (LISTED, "Postgres: nothing new to run.", "Elasticsearch: needs memory."),
        ("We have:\n- a table\n- a queue\n- redis", "a table", "redis"),
        (
            "We could (a) retry in the client, (b) in the proxy, or (c) not at all.",
            "retry in the client",
            "not at all.",
        ),
        ("Option A: one service. Option B: split billing.", "one service.", "split billing."),
        (
            "Two ways. The first is cron. The second is a queue.",
            "The first is cron.",
            "The second is a queue.",
        ),
        ("We could either poll, or listen on a socket.", "poll", "listen on a socket."),
        ("Do you want a table or a view?", "a table", "a view"),
        ("Entweder ein Cronjob, oder eine Queue.", "ein Cronjob", "eine Queue."),
        ("Wir könnten Redis nehmen oder eine Tabelle.", "Redis nehmen", "eine Tabelle."),
    ],
)
@pytest.mark.parametrize(
    ("one", "other"),
    [("the first", "the last"), ("das erste", "letzteres"), ("the former please", "the latter")],
)
def test_options_are_chosen_by_their_place(
    reply: str, first: str, last: str, one: str, other: str
) -> None:
    assert with_options(one, [reply]) == f"{one}: {first}"
    assert with_options(other, [reply]) == f"{other}: {last}"


def test_both_are_all_options() -> None:
    assert (
        with_options("both please", [NUMBERED]) == "both please: The nightly dump.; The live API."
    )


def test_the_latest_text_with_such_an_option_counts() -> None:
    assert with_options("the second", ["Sure.", NUMBERED, LISTED]) == "the second: The live API."
    assert with_options("c", [NUMBERED, LISTED]) == "c: Elasticsearch: needs memory."


@given(st.text())
def test_a_text_without_a_reference_is_unchanged(text: str) -> None:
    if not names_by_place(text):
        assert with_options(text, [LISTED]) == text


@given(st.text("ab12)(.:-\n orOption\t", max_size=60))
def test_options_are_those_of_the_text(text: str) -> None:
    assert all(
        option.text in text or option.text in " ".join(text.split())
        for option in named_options(text)
    )


@given(choice=st.text(), replies=st.lists(st.text(), max_size=3))
def test_any_text_is_kept(choice: str, replies: list[str]) -> None:
    assert with_options(choice, replies).startswith(choice.rstrip(" .!"))


def test_a_decision_by_letter_says_what_was_chosen() -> None:
    [draft] = Chunker().chunk(
        dialogue(("How could we do the full text search?", LISTED), ("let's go with b", "Good."))
    )

    assert described(draft, "app", None).metadata.decisions == (
        "let's go with b: Meilisearch: one small binary.",
    )


def test_the_reason_of_an_answer_is_no_preference() -> None:
    reason = "I don't want a service to babysit."
    question = ("How could we do the full text search?", LISTED)
    [chosen] = Chunker().chunk(dialogue(question, (f"yes, the second. {reason}", "Good.")))
    [stated] = Chunker().chunk(dialogue(("Rename it.", "Done."), (reason, "Good.")))

    assert described(chosen, "app", None).metadata.preferences == ()
    assert described(stated, "app", None).metadata.preferences == (reason,)


def test_the_first_prompt_of_a_chunk_may_answer_what_was_asked_before() -> None:
    before, answer = dialogue(("Which search?", LISTED), ("b then", "Good."))
    draft = DraftChunk(topic="search", exchanges=(answer,))

    assert described(draft, "app", None).metadata.decisions == ()
    assert described(draft, "app", None, before=[before]).metadata.decisions == (
        "b then: Meilisearch: one small binary.",
    )


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("b", "b"),
        ("2.", "2."),
        ("2. A script that needs a script, no thanks.", "2."),
        ("yes, b. it is small", "b."),
        ("Figures. (ii). redis is one more thing", "(ii)."),
        ("2 weeks are fine", ""),
        ("1. read it\n2. map it", ""),
        ("a table", ""),
        ("i think so", ""),
        ("for the first time in years, b.", ""),
    ],
)
def test_a_label_without_a_word_is_an_answer(answer: str, label: str) -> None:
    assert "".join(bare_labels(answer)) == label


def test_a_decision_by_a_bare_label_says_what_was_chosen() -> None:
    for listed, answer, option in (
        (LISTED, "b", "Meilisearch: one small binary."),
        (NUMBERED, "2. The dump is a day old.", "The live API."),
        ("Ways:\n- (i) a beat of its own\n- (ii) a lock", "Fine. (ii). No more.", "a lock"),
    ):
        [draft] = Chunker().chunk(dialogue(("which search?", listed), (answer, "Done.")))
        chunk = described(draft, "app", None)

        assert [text.partition(": ")[2] for text in chunk.metadata.decisions] == [option]


def test_the_options_may_be_those_of_the_users_own_question() -> None:
    [draft] = Chunker().chunk(
        dialogue(
            ("cron or systemd timer?", "A timer logs to the journal, cron is known."),
            ("the latter", "OK."),
        )
    )

    assert described(draft, "app", None).metadata.decisions == ("the latter: systemd timer",)
