"""The features of an entry at a failure."""

import pytest

from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.failure_win import (
    FailureTerms,
    quotations,
)
from hardwon.domain.model.likelihood import MODELS

FAILURE = Failure("pytest", "ModuleNotFoundError: No module named 'yaml'")


@pytest.mark.parametrize("part", ["a.", "a", "Error", "`", "'", "a_Error."])
def test_quotations_of_a_long_text_are_found_at_once(part: str) -> None:
    assert len(quotations(part * 200_000)) < 200_001


def test_an_entry_that_quotes_another_error_is_less_likely_to_help() -> None:
    terms = FailureTerms(FAILURE, {}, 100)
    same, other = (
        terms.likelihood(f"`No module named '{name}'`: install it.", 0.4, 1.0)
        for name in ("yaml", "lxml")
    )

    assert same.features["missing"] < other.features["missing"]
    assert same.features["present"] > other.features["present"]
    assert same.probability > other.probability


def test_a_likelihood_is_made_again_of_the_parts_of_a_receipt() -> None:
    likely = FailureTerms(FAILURE, {}, 100).likelihood("`No module named 'yaml'`", 0.4, 1.0)

    assert MODELS["failure"].of(likely.parts) == likely
    with pytest.raises(KeyError):
        MODELS["failure"].of({})
