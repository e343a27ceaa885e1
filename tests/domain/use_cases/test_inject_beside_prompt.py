"""Injection beside a prompt, on a store in memory with keyword search."""

from typing import Any

import attrs
import pytest

from hardwon.domain.model.injection.receipt import Receipt, assembled, text_digest
from hardwon.domain.model.injection.verify import fits
from hardwon.domain.model.vocabulary import Tier
from hardwon.domain.use_cases.weigh_entries import LONGEST_KEPT, Injection
from tests.fakes.models import PlantedEmbedder
from tests.fakes.session import InMemorySession, store
from tests.strategies import DAY, NOW, QUERY_VECTOR, lesson, of_file, planted

ASKED = "rename the column safely"
LESSON = "Rename a column safely: over two releases."


def receipt_of(spoken: Injection) -> Receipt:
    assert spoken.receipt is not None
    return spoken.receipt


def test_an_entry_that_a_prompt_nearly_names_is_printed_once_a_session() -> None:
    session = InMemorySession(store(lesson(LESSON)))

    assert LESSON in session.ask(ASKED).text
    assert session.ask(ASKED) == Injection()
    assert LESSON in session.ask(ASKED, session_id="two").text


def test_one_sentence_among_others_is_enough() -> None:
    session = InMemorySession(store(lesson(LESSON)))

    assert (
        LESSON
        in session.ask(
            f"The release went well, thank everybody. {ASKED.capitalize()}. Then take a break."
        ).text
    )


def test_nothing_is_searched_for_words_that_no_entry_holds() -> None:
    session = InMemorySession(store(lesson(LESSON)))

    assert session.ask("draw unicorns dancing at midnight") == Injection()
    assert session.keywords.searches == []


def test_without_a_session_there_is_no_memory_of_it() -> None:
    session = InMemorySession(store(lesson(LESSON)))

    assert session.ask(ASKED, session_id="").text == session.ask(ASKED, session_id="").text != ""


def test_two_that_win_are_printed_and_the_third_only_tells_that_none_wins() -> None:
    first, second, third = (
        lesson(f"{LESSON} {word}") for word in ("Always.", "Surely.", "Really.")
    )

    assert len(InMemorySession(store(first, second)).ask(ASKED).numbers) == 2
    assert InMemorySession(store(first, second, third)).ask(ASKED) == Injection()


@pytest.mark.parametrize(
    "prompt",
    [
        "filler number 7 again",
        "what is the weather like in paris today",
        "go on",
        "/rename column safely",
    ],
)
def test_entries_without_a_clear_lead_are_left_out(prompt: str) -> None:
    assert InMemorySession(store(lesson(LESSON))).ask(prompt).text == ""


def test_text_of_an_instruction_file_is_not_repeated() -> None:
    session = InMemorySession(
        store(lesson(LESSON)), files={"CLAUDE.md": f"# Rules\n\n* {LESSON.upper()}\n"}
    )

    assert session.ask(ASKED) == Injection()


@pytest.mark.parametrize(
    "gone", [{"tier": "deprecated"}, {"tier": "temporary", "created_at": NOW - 400 * DAY}]
)
def test_deprecated_and_expired_entries_are_never_printed(gone: dict[str, Any]) -> None:
    assert InMemorySession(store(attrs.evolve(lesson(LESSON), **gone))).ask(ASKED).text == ""


def test_conversations_of_the_session_itself_are_not_printed() -> None:
    decision = of_file(LESSON, kind="decision", session_id="one", project="here")
    session = InMemorySession(store(decision))

    assert session.ask(ASKED) == Injection()
    assert LESSON in session.ask(ASKED, session_id="two").text


def test_a_receipt_has_all_that_it_takes_to_make_the_text_again() -> None:
    spoken = InMemorySession(store(lesson(LESSON))).ask(ASKED)
    receipt = receipt_of(spoken)

    assert (receipt.event, receipt.policy, receipt.project, receipt.session_id) == (
        "prompt",
        "adaptive",
        "here",
        "one",
    )
    assert (receipt.at, receipt.query, receipt.space) == (NOW, ASKED, None)
    assert receipt.digest == text_digest(spoken.text)
    [shown] = receipt.shown
    [piece] = [spoken.text.removeprefix(receipt.frame[0]).removesuffix(receipt.frame[1])]
    assert (shown.form, shown.digest) == ("lesson", text_digest(piece))
    assert assembled(receipt.frame, [piece]) == spoken.text


def test_secrets_never_reach_the_receipt_and_a_long_prompt_is_cut() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    session = InMemorySession(store(lesson(f"{LESSON} REDACTED")))
    receipt = receipt_of(session.ask(f"{ASKED} {key} " + "safely " * 100))

    assert receipt.query is not None
    assert key not in receipt.query
    assert "[REDACTED]" in receipt.query
    assert len(receipt.query) == LONGEST_KEPT


def test_a_huge_prompt_is_searched_with_in_part() -> None:
    assert LESSON in InMemorySession(store(lesson(LESSON))).ask(f"{ASKED} " + "x" * 4_000_000).text


def test_meaning_is_searched_too_and_its_space_is_kept() -> None:
    session = InMemorySession(
        store(lesson(LESSON)), embedder=PlantedEmbedder({ASKED: QUERY_VECTOR})
    )
    number = session.state.number_of(lesson(LESSON).entry_id)
    session.vectors.put(
        (text, planted(0.9 if text.number == number else 0.0))
        for text in session.vectors.pending(1_000)
    )
    spoken = session.ask(ASKED)

    assert LESSON in spoken.text
    assert receipt_of(spoken).space == "planted-4"


@pytest.mark.parametrize(
    "prompt",
    ["Please fix src/herd/zebra_quux.py so that it counts twice", "refactor zebra_quux.py now"],
)
def test_a_prompt_that_names_a_file_is_answered_by_the_lesson_that_refers_to_it(
    prompt: str,
) -> None:
    herd = attrs.evolve(lesson("Lock it first."), references=("src/herd/zebra_quux.py:7",))
    other = attrs.evolve(lesson("Lock it last."), references=("src/herd/gnu.py",))

    assert herd.description in InMemorySession(store(herd, other)).ask(prompt).text
    assert not InMemorySession(store(other)).ask(prompt).text


NEWER = lesson("Columns get a twin first, and a view hides it.")
OLDER = attrs.evolve(lesson(LESSON), superseded_by=NEWER.entry_id)


def test_a_successor_is_shown_where_only_the_older_lesson_matches() -> None:
    spoken = InMemorySession(store(NEWER, OLDER)).ask(ASKED)

    assert NEWER.description in spoken.text
    assert LESSON not in spoken.text
    [shown] = receipt_of(spoken).shown
    assert (shown.entry_id, fits(receipt_of(spoken), shown)) == (NEWER.entry_id, True)


def test_the_last_of_several_successors_is_shown_once() -> None:
    newest = lesson("Columns are renamed safely by the migration tool alone.")
    newer = attrs.evolve(NEWER, superseded_by=newest.entry_id)

    spoken = InMemorySession(store(newest, newer, OLDER)).ask(ASKED)

    assert spoken.text.count(newest.description) == 1
    assert NEWER.description not in spoken.text
    assert LESSON not in spoken.text


@pytest.mark.parametrize("tier", ["deprecated"])
def test_an_older_lesson_without_a_successor_that_may_be_shown_is_not_shown(tier: Tier) -> None:
    for newer in ((attrs.evolve(NEWER, tier=tier),), ()):
        assert InMemorySession(store(*newer, OLDER)).ask(ASKED) == Injection()


def test_successors_that_replace_each_other_end_the_search() -> None:
    one, other = lesson(LESSON), lesson("Rename a column safely: never.")
    pair = (
        attrs.evolve(one, superseded_by=other.entry_id),
        attrs.evolve(other, superseded_by=one.entry_id),
    )

    assert InMemorySession(store(*pair)).ask(ASKED) == Injection()
