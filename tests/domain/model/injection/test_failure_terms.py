"""The features of an entry at a failure."""

import pytest

from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.failure_terms import (
    MAX_SHARED,
    FailureTerms,
    quotations,
    terms_of_failure,
)
from hardwon.domain.model.injection.gate_terms import EntryWords
from hardwon.domain.model.injection.relevance_gate import Contest
from hardwon.domain.model.likelihood import MODELS

FAILURE = Failure("pytest", "ModuleNotFoundError: No module named 'yaml'")


@pytest.mark.parametrize("part", ["a.", "a", "Error", "`", "'", "a_Error."])
def test_quotations_of_a_long_text_are_found_at_once(part: str) -> None:
    assert len(quotations(part * 200_000)) < 200_001


PARTS = {"closeness": 0.4, "length": 10.0, "evidence": 9.0, "evidence_deviation": 1.0}


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
    assert same["information"] > other["information"]
    first, second = (contest.likelihood(4.0, PARTS, found) for found in (same, other))
    assert first.probability > second.probability


def test_common_words_of_an_output_are_no_information() -> None:
    output = "the evening was long and the winter cold\nquuxd: segment 7 was rejected by the ledger"
    failure = Failure("quuxctl apply", output)
    entries = [words("Winter at the long cold evening."), words("The ledger rejects a segment.")]
    frequencies = dict.fromkeys(terms_of_failure(failure, entries), 1)
    terms = FailureTerms(failure, frequencies, 100)

    common, rare = (terms.features(entry)["information"] for entry in entries)
    assert (common, rare > 0) == (0.0, True)


def test_information_is_bounded_for_a_long_output() -> None:
    names = " ".join(f"frob{number}x" for number in range(200))
    failure, entry = Failure("run", f"error: {names}"), words(names)
    terms = FailureTerms(failure, dict.fromkeys(terms_of_failure(failure, [entry]), 1), 100)

    assert terms.features(entry)["information"] == MAX_SHARED


def test_a_likelihood_is_made_again_of_the_parts_of_a_receipt() -> None:
    terms = FailureTerms(FAILURE, {}, 100)
    contest = Contest(terms, 0.0, 100, semantic=True)
    likely = contest.likelihood(4.0, PARTS, terms.features(words("`No module named 'yaml'`")))

    assert MODELS["failure"].of(likely.parts) == likely
    with pytest.raises(KeyError):
        MODELS["failure"].of({})


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Use `codecs.getincrementaldecoder('utf-8')()`.", ()),
        ("Pass `final=True` with the last chunk.", ()),
        ("It ends with `KeyError('x')`.", ("KeyError('x')",)),
        ("It says `no space left on device`.", ("no space left on device",)),
    ],
)
def test_code_of_a_remedy_is_no_quotation_of_a_failure(text: str, quoted: tuple[str, ...]) -> None:
    assert quotations(text) == quoted
