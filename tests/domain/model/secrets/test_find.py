import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.redaction import REDACTED, may_hold_secret, redact
from hardwon.domain.model.secrets import find
from hardwon.domain.model.secrets.rule import Rule
from hardwon.domain.model.secrets.table import RULES
from tests.domain.model.secrets.samples import SAMPLES, Sample, filled
from tests.domain.model.secrets.samples_forms import FORMS, ORDINARY

WORDS = sorted({word.replace("·", " ") for rule in RULES for word in rule.words.split()})
JOINTS = [
    *"\"'`=:@/.-_ \n\\,;<>()[]{}",
    "\\n",
    "\\n",
    REDACTED,
    "is",
    "=> ",
    ': "',
    "://",
    "%3D",
    "1",
    "é",
    "İ",
    "K",
]
texts = st.lists(
    st.sampled_from([sample.text for sample in SAMPLES])
    | st.sampled_from([sample.text[: len(sample.text) // 2] for sample in SAMPLES])
    | st.sampled_from(WORDS)
    | st.sampled_from(JOINTS)
    | st.sampled_from([filled(text) for text in ORDINARY])
    | st.text(max_size=4),
    max_size=8,
).map("".join)


@given(text=texts)
@example("password=secret=abc12345")
@example("password: 'pass: hunter2'")
def test_redacting_texts_made_of_secrets_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)

    assert redact(once) == once


@given(text=texts | st.text())
@example("<private>mine</private>")
@example("<PRIVATE>")
@example("İpassword: hunter2-hunter2")
def test_a_text_that_may_hold_no_secret_is_not_changed(text: str) -> None:
    assert may_hold_secret(text) or redact(text) == text


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.text[:40])
def test_each_sample_may_hold_a_secret(sample: Sample) -> None:
    assert may_hold_secret(sample.text)


@given(text=texts)
def test_every_match_begins_at_a_word_in_lower_case_or_some_characters_before(text: str) -> None:
    small = find._lowered(text)

    assert len(small) == len(text)
    assert all(small.startswith(word, at) for at, word in find.words_in(small))


@given(
    text=texts | st.text(alphabet="".join(sorted({*"".join(WORDS)})) + "\u2003\x1f", max_size=60)
)
@example("docker\u2003login docker login docker  login")
@example("-----end rsa private-----end private")
def test_each_place_of_each_word_is_found_in_order(text: str) -> None:
    small = find._lowered(text)

    expected = [
        (at, word) for at in range(len(small)) for word in WORDS if small.startswith(word, at)
    ]

    assert find.words_in(small) == expected


def test_a_long_text_is_redacted_as_its_lines_are() -> None:
    lines = [sample.text for sample in SAMPLES if sample.rule not in FORMS]

    long = "\n\n".join(lines)

    assert redact(long) == "\n\n".join(map(redact, lines))


def test_overlapping_secrets_become_one() -> None:
    token = "ghp_" + "a1B2" * 9

    assert redact(f"password={token}") == f"password={REDACTED}"


def test_patterns_repeat_a_bounded_number_of_times_or_end_at_dashes() -> None:
    in_class_or_escaped, up_to_dashes = (
        re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]"),
        re.compile(r"x\*\(\?:-\(\?!-+\)x\*\)\*"),
    )
    unbounded = re.compile(r"[+*]|\{\d+,\}")
    patterns = {
        part for rule in RULES for part in (rule.pattern, rule.unless, rule.behind, *rule.head)
    }
    left = [
        pattern
        for pattern in patterns
        if unbounded.search(up_to_dashes.sub("", in_class_or_escaped.sub("x", pattern)))
    ]

    assert left == []


GROWTH = 12
"""Times longer that four times the text may take: four where time is linear, sixteen where it is quadratic."""

ENOUGH = 0.05
"""Seconds below which a time says nothing."""


@pytest.mark.soak
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_megabytes_of_words_and_of_near_misses_take_linear_time(rule: Rule) -> None:
    sample = next(sample.text for sample in SAMPLES if sample.rule == rule.name)
    words = [word.replace("·", " ") for word in rule.words.split()]
    for unit in (
        words[0],
        f"{words[0]}a",
        f" {words[0]}",
        sample[: len(sample) // 2],
        sample[:-1] + "!",
        f"{sample}_",
        sample,
    ):
        short, long = (seconds(unit * (size // len(unit))) for size in (40_000, 160_000))
        assert long < ENOUGH or long < GROWTH * max(short, ENOUGH / GROWTH), unit[:40]


def seconds(text: str) -> float:
    """Return the CPU time of one pass over *text*, the faster of two."""
    times = []
    for _ in range(2):
        start = time.process_time()
        find.without_secrets(text)
        times.append(time.process_time() - start)
    return min(times)
