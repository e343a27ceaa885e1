"""The features of entries beside a prompt, and after an edit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.gate_terms import (
    MAX_COUNTED,
    EditTerms,
    EntryWords,
    PromptTerms,
    excess,
    lead,
    matched_words,
    salience,
    terms_to_count,
)
from hardwon.domain.model.injection.relevance_gate import Contest
from hardwon.domain.model.keywords import terms_of
from hardwon.domain.model.likelihood import MODELS
from hardwon.domain.model.prompt_intent import Intent
from hardwon.domain.model.prompt_terms import weighed

SENTENCES = (
    weighed(("table", "column", "release"), {"table": 30, "column": 3, "release": 1}, 100),
)
NO_WORDS = {"evidence": 0.0, "evidence_deviation": 0.0}
PROMPT = PromptTerms(SENTENCES, (("no", "verify"),), 100)


def words(text: str, name: str = "") -> EntryWords:
    return EntryWords(name, text, text)


@given(
    score=st.floats(-5, 50),
    closeness=st.floats(0, 1),
    length=st.floats(1, 5_000),
    text=st.sampled_from(["", "table", "column", "table column", "a release of --no-verify"]),
    more=st.floats(0, 20),
    semantic=st.booleans(),
)
def test_an_entry_that_fits_better_is_never_silenced(
    score: float, closeness: float, length: float, text: str, more: float, *, semantic: bool
) -> None:
    contest = Contest(PROMPT, 1.0, 100, semantic=semantic)
    parts = {"closeness": closeness, "length": length, **NO_WORDS}
    common = PROMPT.features(words(text))
    probability = contest.likelihood(score, parts, common).probability
    better = (
        contest.likelihood(score + more, parts, common),
        contest.likelihood(score, {**parts, "closeness": closeness + more}, common),
        contest.likelihood(score, {**parts, "length": 1.0}, common),
        contest.likelihood(score, parts, PROMPT.features(words(f"{text} column release"))),
        contest.likelihood(score, parts, PROMPT.upper_bounds),
        contest._replace(rival=-more).likelihood(score, parts, common),
    )

    assert all(likely.probability >= probability for likely in better)


def test_the_intent_of_a_prompt_is_part_of_its_features() -> None:
    asked = PROMPT._replace(intent=Intent(asks=1.0, products=2.0))
    contest = Contest(PROMPT, 1.0, 100, semantic=True)
    parts, found = {"closeness": 0.6, "length": 30.0, **NO_WORDS}, words("column release")

    assert {"asks": 1.0, "products": 2.0}.items() <= asked.features(found).items()
    assert (
        contest.likelihood(9.0, parts, asked.features(found)).probability
        < contest.likelihood(9.0, parts, PROMPT.features(found)).probability
    )


def test_lead_excess_and_words_are_bounded() -> None:
    unit = math.log(100)

    assert lead(12.0, 4.0, 100) == pytest.approx(8 / unit)
    assert lead(3.0, 4.0, 100) == 0
    assert lead(12.0, -4.0, 100) == pytest.approx(12 / unit)
    assert lead(12.0, 0.0, 3) == lead(12.0, 0.0, 20)
    assert (excess(10), excess(60)) == (0, 0)
    assert excess(120) == pytest.approx(math.log(2))
    assert matched_words(SENTENCES, "table column release", 100) <= math.sqrt(2)


@pytest.mark.parametrize("size", [1, 20, 100, MAX_COUNTED, MAX_COUNTED + 1, 100_000])
def test_an_entry_that_alone_has_the_words_is_no_more_salient_in_a_larger_store(size: int) -> None:
    bm25 = 8.0
    highest = salience(bm25, bm25 / math.sqrt(size), size)

    assert 0 < highest <= salience(bm25, bm25 / math.sqrt(MAX_COUNTED), MAX_COUNTED) + 1e-9
    assert salience(0.0, 0.0, size) == salience(0.0, 0.0, 0) == 0


EDIT = "src/money.py\namount_cents = float(cell)"


@pytest.mark.parametrize(
    "code",
    [
        "fetchJson<T>(url: string)",
        "use std::{fetchJson as f}",
        "await this.api.fetchJson(url)",
        'name="${fetchJson}"',
    ],
)
def test_an_identifier_of_an_entry_is_found_in_code_that_is_glued_to_it(code: str) -> None:
    entry = words("No retry in `fetchJson`.")

    assert EditTerms(code, {}, 100).features(entry)["named"] == 1
    assert EditTerms("fetchJsonLater(url)", {}, 100).features(entry)["named"] == 0


def test_an_edit_is_compared_by_its_words_and_identifiers() -> None:
    about = words("Read amount_cents as Decimal: a float loses cents.", "Amounts are no float")
    other = words("Feed the cat.", "Cat")
    counted = terms_to_count(terms_of(EDIT), [about, other])
    terms = EditTerms(EDIT, dict.fromkeys(counted, 1), 100)

    assert {"amount", "float"} <= {*counted}
    assert "src" not in counted
    found = terms.features(about)
    assert (found["named"], found["name"] > 0, found["information"] > found["name"]) == (
        1,
        True,
        True,
    )
    assert terms.features(other) == {"information": 0.0, "name": 0.0, "named": 0.0}


@given(st.text(max_size=300), st.text(max_size=300))
def test_features_of_an_edit_are_all_that_its_model_has_of_it(edit: str, text: str) -> None:
    entry = words(text, text[:20])
    terms = EditTerms(edit, dict.fromkeys(terms_to_count(terms_of(edit), [entry]), 1), 100)

    features = terms.features(entry)

    assert 0 <= features["name"] <= 3
    assert 0 <= features["named"] <= 3
    assert 0 <= features["information"] <= EditTerms.MAX_INFORMATION
    assert {*features} == {*MODELS["edit"].weights} - {"closeness", "lead", "excess", "breadth"}
