"""The features of an entry at a failure."""

import pytest

from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.failure_terms import FailureTerms, quotations
from hardwon.domain.model.injection.gate_terms import EntryWords
from hardwon.domain.model.injection.relevance_gate import Contest
from hardwon.domain.model.likelihood import MODELS

FAILURE = Failure("pytest", "ModuleNotFoundError: No module named 'yaml'")


@pytest.mark.parametrize("part", ["a.", "a", "Error", "`", "'", "a_Error."])
def test_quotations_of_a_long_text_are_found_at_once(part: str) -> None:
    assert len(quotations(part * 200_000)) < 200_001


PARTS = {"closeness": 0.4, "length": 10.0}


def words(text: str, name: str = "") -> EntryWords:
    return EntryWords(name, text, text)


def test_an_entry_that_quotes_another_error_is_less_likely_to_help() -> None:
    terms = FailureTerms(FAILURE, {}, 100)
    contest = Contest(terms, 0.0, 100, semantic=True)
    same, other = (
        terms.features(words(f"`No module named '{name}'`: install it."))
        for name in ("yaml", "lxml")
    )

    assert same["missing"] < other["missing"]
    assert same["present"] > other["present"]
    first, second = (contest.likelihood(4.0, PARTS, found) for found in (same, other))
    assert first.probability > second.probability


def test_a_likelihood_is_made_again_of_the_parts_of_a_receipt() -> None:
    terms = FailureTerms(FAILURE, {}, 100)
    contest = Contest(terms, 0.0, 100, semantic=True)
    likely = contest.likelihood(4.0, PARTS, terms.features(words("`No module named 'yaml'`")))

    assert MODELS["failure"].of(likely.parts) == likely
    with pytest.raises(KeyError):
        MODELS["failure"].of({})
