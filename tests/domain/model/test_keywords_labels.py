import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.keyword_labels import (
    GENERIC_LABELS,
    is_complete,
    supported_labels,
    valid_labels,
)
from tests.strategies import anything

LESSON = (
    "Retries of the C++ parser logged nothing: the cached lock was migrated by CI, see node.js."
)

raw_labels = (
    anything
    | st.sampled_from(GENERIC_LABELS)
    | st.text("aZ09-_.+# /\n", max_size=12)
    | st.text("abc", min_size=50, max_size=70)
)


@given(st.lists(raw_labels, max_size=30))
@example(["ok", 'bad"x', "Two Words"])
@example(["ok\n"])
@example(["\u0130stanbul"])
@example(["\u0661\u0662"])
def test_the_remaining_labels_are_valid(raw: list[str]) -> None:
    labels = valid_labels(raw)

    assert all(re.fullmatch("[a-z0-9][a-z0-9-]*", label) for label in labels)
    assert all(1 <= len(label.split("-")) <= 3 and all(label.split("-")) for label in labels)
    assert all(len(label) <= 60 for label in labels)
    assert not set(labels) & set(GENERIC_LABELS)
    assert len(set(labels)) == len(labels) <= 10


@given(st.lists(raw_labels, max_size=30))
def test_labels_once_checked_stay_as_they_are(raw: list[str]) -> None:
    assert valid_labels(valid_labels(raw)) == valid_labels(raw)


@given(st.lists(raw_labels, max_size=8), raw_labels)
def test_an_invalid_label_takes_no_other_with_it(raw: list[str], more: str) -> None:
    assert valid_labels([*raw, more])[: len(valid_labels(raw))] == valid_labels(raw)


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("c++", "cpp"),
        ("C#", "csharp"),
        ("F#", "fsharp"),
        ("node.js", "node-js"),
        (".NET", "net"),
        ("SQLite FTS5", "sqlite-fts5"),
        ("content_hash", "content-hash"),
        ("content - hash", "content-hash"),
        ("--content--hash--", "content-hash"),
        ("pre\tcommit\nhook", "pre-commit-hook"),
        ("x86", "x86"),
        ("7z", "7z"),
    ],
)
def test_names_of_tools_are_folded_to_what_a_label_may_hold(raw: str, folded: str) -> None:
    assert valid_labels([raw]) == (folded,)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        "-",
        "...",
        'bad"x',
        "ci/cd",
        "émigré",
        "ein-wort-zu-viel",
        "a b c d",
        "x" * 61,
        "[REDACTED]",
        "Bug",
        "FIX",
    ],
)
def test_labels_that_can_not_be_folded_are_dropped(raw: str) -> None:
    assert valid_labels([raw]) == ()


def test_one_or_two_labels_are_better_than_none() -> None:
    assert valid_labels(["sqlite", "error", "Data", "wal mode"]) == ("sqlite", "wal-mode")


def test_the_first_ten_labels_stay_in_order_without_repeats() -> None:
    assert valid_labels(["b1", "B1", *(f"a{number}" for number in range(12))]) == (
        "b1",
        *(f"a{number}" for number in range(9)),
    )


def test_the_generic_words_are_those_of_the_requirement() -> None:
    assert set(GENERIC_LABELS) == set(
        "code development software system application implementation feature project function method file data error"
        " bug fix update change".split()
    )


@pytest.mark.parametrize(
    "label",
    [
        "lock",
        "parse",
        "parsing",
        "retry",
        "retry-storm",
        "log",
        "logs",
        "logging",
        "caching",
        "caches",
        "migration",
        "cpp",
        "node-js",
        "ci",
        "web-ci",
    ],
)
def test_a_label_is_supported_by_a_word_of_the_text_or_a_variant_of_it(label: str) -> None:
    assert supported_labels([label], LESSON) == (label,)


@pytest.mark.parametrize(
    "label", ["sqlite", "deadlock-free", "th", "of-the-web", "csharp", "rust", "to-be"]
)
def test_a_label_is_not_supported_by_chance(label: str) -> None:
    assert supported_labels([label], LESSON) == ()


def test_a_text_without_words_supports_nothing() -> None:
    assert supported_labels(["parser", "s", "ing"], "") == ()


@given(st.lists(raw_labels, max_size=10), anything)
def test_whatever_the_text_the_supported_labels_are_some_of_the_labels_in_order(
    raw: list[str], text: str
) -> None:
    labels = valid_labels(raw)
    supported = supported_labels(labels, text)

    assert supported == tuple(label for label in labels if label in supported)


@given(st.lists(raw_labels, max_size=10))
def test_the_text_that_holds_a_label_supports_it(raw: list[str]) -> None:
    labels = [label for label in valid_labels(raw) if max(map(len, label.split("-"))) > 8]

    assert supported_labels(labels, " ".join(labels)) == tuple(labels)


@pytest.mark.parametrize(
    ("labels", "complete"),
    [
        ((), False),
        (("parser", "retry"), False),
        (("parser", "retry", "lock"), True),
        (("parser", "retry", "sqlite"), False),
        (("parser", "retry", "sqlite", "rust", "lock"), True),
        (tuple(f"parser-{number}" for number in range(10)), True),
        (tuple(f"parser-{number}" for number in range(11)), False),
    ],
)
def test_an_entry_is_complete_with_3_to_10_labels_of_which_3_are_supported(
    labels: tuple[str, ...], *, complete: bool
) -> None:
    assert is_complete(labels, LESSON) is complete
