import math
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import (
    MAX_TERMS,
    SMALLEST_FREQUENCY_WEIGHT,
    STOP_WORDS,
    distinctive_terms,
    inverse_document_frequency,
    search_terms,
    terms_of,
    words_of,
)
from hardwon.domain.model.text import is_grammar, is_unspaced, pairs


def test_words_come_in_order_in_lower_case_without_repeats() -> None:
    assert search_terms("Parser: retry the PARSER, parse x86_64") == (
        "parser",
        "retry",
        "parse",
        "x86",
        "64",
    )


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("memory-search: Build. Files: a/b.py", ("memory", "search", "build", "files", "b", "py")),
        ('NOT "quoted" AND (near) OR col:x*', ("quoted", "near", "col", "x")),
        ("snake_case camelCase", ("snake", "case", "camelcase")),
        ("e\u0301migre\u0301 \u00c9MIGR\u00c9", ("émigré",)),
        ("日本語 и кириллица", ("日本", "本語", "и", "кириллица")),
        ("?!'\"\\^*(){}[]:;-+", ()),
        ("the of and to", ()),
        ("", ()),
    ],
)
def test_only_words_that_carry_meaning_are_searched(text: str, terms: tuple[str, ...]) -> None:
    assert search_terms(text) == terms


@given(text=st.text())
@example("half a pair \ud800 and a NUL \0")
def test_no_text_can_be_mistaken_for_query_syntax(text: str) -> None:
    terms = search_terms(text)

    assert all(unicodedata.category(sign)[0] in "LNM" for term in terms for sign in term)
    assert not STOP_WORDS & set(terms)
    assert len(set(terms)) == len(terms) <= MAX_TERMS


MIXED = st.lists(
    st.sampled_from([*"aB9_. \u3000\u0307", "the", "浮点数", "ほげ", "ｶﾞ", "word"])
    | st.text(max_size=3)
)


@given(text=MIXED.map("".join))
def test_terms_are_words_or_the_pairs_of_a_run(text: str) -> None:
    terms = [
        term for word in words_of(text) for term in (pairs(word) if is_unspaced(word) else [word])
    ]
    of_search = [term for term in dict.fromkeys(terms) if term not in STOP_WORDS]

    assert terms_of(text) == terms
    of_search = [term for term in of_search if not is_grammar(term)] or of_search
    assert search_terms(text) == tuple(of_search[:MAX_TERMS])


def test_at_most_sixty_four_words_are_searched_the_first_ones() -> None:
    words = [f"word{number}" for number in range(100)]

    assert search_terms(" ".join(words)) == tuple(words[:64])


@pytest.mark.parametrize(
    ("frequencies", "size", "kept"),
    [
        ({"common": 26, "rare": 1}, 50, ("rare",)),
        ({"common": 25, "rare": 1}, 50, ("common", "rare")),
        ({"common": 26, "rare": 0}, 50, ("common", "rare")),
        ({"common": 50, "rare": 40}, 50, ("common", "rare")),
        ({"common": 49, "rare": 1}, 49, ("common", "rare")),
        ({"common": 3, "rare": 1}, 3, ("common", "rare")),
        ({}, 50, ("common", "rare")),
    ],
)
def test_words_of_most_entries_go_when_the_store_is_large_and_another_word_is_found(
    frequencies: dict[str, int], size: int, kept: tuple[str, ...]
) -> None:
    assert distinctive_terms(("common", "rare"), frequencies, size) == kept


@given(counts=st.lists(st.integers(0, 120), max_size=6), size=st.integers(0, 120))
def test_dropping_common_words_never_loses_every_hit(counts: list[int], size: int) -> None:
    terms = tuple(f"word{number}" for number in range(len(counts)))
    frequencies = dict(zip(terms, (min(count, size) for count in counts), strict=True))

    kept = distinctive_terms(terms, frequencies, size)

    assert any(frequencies[term] for term in kept) == any(frequencies.values())


def test_a_letter_that_lower_casing_takes_apart_stays_one_word() -> None:
    assert search_terms("İstanbul") == ("istanbul",)


@given(size=st.integers(0, 10**6), frequency=st.integers(0, 10**6))
@example(size=0, frequency=1)
def test_a_word_weighs_something_also_if_others_wrote_between_two_counts(
    size: int, frequency: int
) -> None:
    assert SMALLEST_FREQUENCY_WEIGHT <= inverse_document_frequency(size, frequency) < math.inf
