import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import LONGEST_PROMPT
from hardwon.domain.model.prompt_intent import is_worth_asking
from hardwon.domain.model.prompt_terms import (
    EVERYDAY,
    SharedTerms,
    asked_by,
    held_by_one,
    holds_lesson,
    identifiers,
    informative_words,
    max_information,
    plain,
    quotes,
    shared,
    weighed,
)


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ('should I use errors="ignore" here?', [("errors", "ignore")]),
        ("ERR_PNPM_OUTDATED_LOCKFILE, again!", [("err", "pnpm", "outdated", "lockfile")]),
        (
            '`mock.patch("billing.clock.now")` does nothing',
            [("mock", "patch"), ("billing", "clock", "now")],
        ),
        ("pass --update-golden to parseRequest", [("update", "golden"), ("parserequest",)]),
        ("cp1252 or utf-8", [("cp1252",), ("utf", "8")]),
        ("we don't re-run it on 2026-11-22 at 10:30, and/or never; is_it", []),
        ("", []),
    ],
)
def test_words_that_look_like_code_are_identifiers(
    prompt: str, found: list[tuple[str, ...]]
) -> None:
    assert list(identifiers(prompt)) == found


@given(prompt=st.text(max_size=60))
def test_every_identifier_is_found_in_its_text(prompt: str) -> None:
    found = identifiers(prompt)

    assert held_by_one(found, [prompt, ""]) == found
    assert held_by_one(found, [prompt, prompt]) == ()
    assert quotes(prompt, found) == bool(found)


@pytest.mark.parametrize(
    ("terms", "text", "share"),
    [
        (("parsing", "floats"), "Parse every float.", 1.0),
        (("parsing", "floats"), "Parse integers", 0.5),
        (("bus", "mars"), "BUS", 0.5),
        (("émigré",), "E\u0301migré".replace("E", "e"), 1.0),
        (("parsers", "parser"), "a parser", 1.0),
        (("parser",), "", 0.0),
        (("write", "tests"), "Write tests.", 0.0),
        ((), "anything", 0.0),
    ],
)
def test_coverage_is_the_share_of_the_informative_words_whatever_their_endings(
    terms: tuple[str, ...], text: str, share: float
) -> None:
    assert shared([weighed(terms, {}, 100)], text).coverage == share


def test_a_rare_word_weighs_more_and_an_unknown_word_as_much_as_the_rarest() -> None:
    weight = weighed(("vite", "proxy", "unheard"), {"vite": 1, "proxy": 20, "unheard": 0}, 40)

    assert weight == pytest.approx(
        {
            "vit": math.log(40.5 / 1.5),
            "proxy": math.log(40.5 / 20.5),
            "unheard": math.log(40.5 / 1.5),
        }
    )
    assert weighed(("common",), {"common": 90}, 40) == {"common": 0.0}


def test_everyday_words_of_prompts_carry_no_weight() -> None:
    assert informative_words(("write", "tests", "changes", "parser")) == ("parser",)
    assert all(word == word.lower() for word in EVERYDAY)


def test_the_sentence_that_is_answered_best_counts() -> None:
    sentences = [
        weighed(("parse", "floats"), {}, 100),
        weighed(("columns", "rows", "twice"), {}, 100),
    ]
    held = shared(sentences, "Of a column and a row.")

    assert held.coverage == pytest.approx(2 / 3)
    assert held.information == pytest.approx(2 * math.log(100.5 / 1.5))
    assert max_information(sentences) == pytest.approx(3 * math.log(100.5 / 1.5))


@given(
    sentences=st.lists(st.lists(st.text(max_size=8), max_size=5), max_size=3),
    text=st.text(max_size=40),
    size=st.integers(0, 99),
)
def test_coverage_is_a_share(sentences: list[list[str]], text: str, size: int) -> None:
    held = shared([weighed(sentence, {}, size) for sentence in sentences], text)

    assert 0 <= held.coverage <= 1
    assert held.information >= 0
    assert shared([], text) == SharedTerms()


@given(prompt=st.text(max_size=80))
def test_every_prompt_asks_something(prompt: str) -> None:
    assert asked_by(prompt)


def test_sentences_with_enough_words_are_queries_of_their_own() -> None:
    prompt = "I am stuck. Can I rename the column of a table? Thanks!\nThen run all migration tests"

    assert asked_by(prompt) == (("rename", "column", "table"), ("run", "migration", "tests"))
    assert asked_by("Rename it. And columns?") == (("rename", "columns"),)


@pytest.mark.parametrize(
    "prompt", ["yes go on", "fix it", "", "   ", "?!", "do it again please", "run the tests again"]
)
def test_a_prompt_of_few_words_is_not_searched_with(prompt: str) -> None:
    assert not is_worth_asking(prompt)


@pytest.mark.parametrize("mark", ["/", "!", "#", " /", "\n#"])
def test_commands_of_the_host_are_not_searched(mark: str) -> None:
    words = "rename the column of every table"

    assert is_worth_asking(words)
    assert not is_worth_asking(f"{mark}{words}")


def test_only_the_beginning_of_a_huge_prompt_counts() -> None:
    assert not is_worth_asking("a " * LONGEST_PROMPT + "rename the column of every table")


@given(text=st.text())
def test_a_text_holds_its_parts(text: str) -> None:
    assert holds_lesson(plain(f"before {text} after"), text) == bool(plain(text))


def test_marks_spaces_and_letter_case_make_no_difference() -> None:
    text = plain("# Rules\n\n- Always **rename**\n  columns in\t`two` [releases](x.md)\n")

    assert holds_lesson(text, "always rename columns in two releases")
    assert holds_lesson(text, "> Always rename *columns*\nin TWO releases")
    assert not holds_lesson(text, "Always rename columns in one release")
    assert not holds_lesson(text, "***")
