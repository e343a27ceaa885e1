import importlib
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.redaction import REDACTED, may_hold_secret, redact
from hardwon.domain.model.secrets import find
from hardwon.domain.model.secrets.find import RULES
from hardwon.domain.model.secrets.rule import Rule
from tests.domain.model.secrets.samples import SAMPLES, TEMPLATES, filled, near_miss
from tests.domain.model.secrets.samples_forms import FORMS, ORDINARY
from tests.domain.model.secrets.samples_tokens import TOKENS

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


def test_each_sample_may_hold_a_secret() -> None:
    assert [sample.text for sample in SAMPLES if not (may_hold_secret(sample.text))] == []


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
def test_each_place_of_each_found_word_is_found_in_order(text: str) -> None:
    small = find._lowered(text)

    found = find.words_in(small)

    words = {word for _, word in found}
    assert found == [place for place in every_place(small) if place[1] in words]


def every_place(small: str) -> list[tuple[int, str]]:
    """Return each occurrence of each word of the table in *small*."""
    return [(at, word) for at in range(len(small)) for word in WORDS if small.startswith(word, at)]


@given(text=texts)
@example("İghp_" + "a1B2" * 9)
@example("\u212aSK" + "0123456789abcdef" * 2)
@example("\\nghp_" + "a1B2" * 9)
@example("\x1b[31mghp_" + "a1B2" * 9)
@example("Fastly-Key: " + "a1B2" * 8)
@example("maskSK" + "0123456789abcdef" * 2)
def test_words_where_no_rule_can_match_are_left_out_without_a_secret_passing(text: str) -> None:
    found = find.without_secrets(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(find, "words_in", every_place)
        assert found == find.without_secrets(text)


def test_a_match_of_a_rule_with_a_shortest_one_is_as_long_and_has_no_blank() -> None:
    rules = [rule for rule in RULES if rule.shortest]
    parser = importlib.import_module("re._parser")
    parsed = [(rule, parser.parse(rule.pattern, re.ASCII)) for rule in rules]

    assert [rule.name for rule, pattern in parsed if pattern.getwidth()[0] < rule.shortest] == []
    # The word of the last one is longer than what is asked.
    blank = re.compile(r"\[\^|[ ]|\\[sSWDnrt]|(?<!\\)\.(?![^\[]*\])")
    assert [rule.name for rule in rules if blank.search(rule.pattern)] == ["django-insecure-key"]


def test_few_tokens_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MAX_PLAIN", 3)

    found = [find.words_in(f"plain{number} password") for number in range(9)]

    assert found == [[(7, "pass"), (7, "password")]] * len(found)
    assert len(find._plain) <= find.MAX_PLAIN


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


KNOWN_BY_THEIR_BEGINNING = {
    "aws-bedrock-short-key",
    "openai-anthropic-key",
    "slack-token",
    "slack-app-token",
    "ifttt-zapier-hook",
}
"""Rules for which few characters after the beginning are enough."""

BY_NAME = {rule.name: rule for rule in RULES}


def found_by(rule: Rule, text: str) -> set[str]:
    """Return the secrets that *rule* alone finds in *text*."""
    spans = [
        find._match(rule, text, at, find._Heads(text))
        for at, word in find.words_in(text.lower())
        if rule in find._rules_by_word()[word]
    ]
    return {text[span[0] : span[1]] for span in spans if span}


def test_every_rule_has_a_name_of_its_own_and_samples() -> None:
    assert len(BY_NAME) == len(RULES)
    assert set(TEMPLATES) == set(BY_NAME)


def test_the_table_knows_the_tokens_of_120_vendors() -> None:
    assert len({name.partition("-")[0] for name in set(BY_NAME) - set(FORMS)}) >= 120


def test_a_rule_finds_the_secret_of_each_of_its_samples() -> None:
    assert [
        sample
        for sample in SAMPLES
        if sample.secret not in found_by(BY_NAME[sample.rule], sample.text)
    ] == []


def test_of_a_sample_the_secret_goes_and_the_text_around_it_stays() -> None:
    kept = [(sample, redact(f"before\n{sample.text}\nafter")) for sample in SAMPLES]

    assert [sample for sample, text in kept if sample.secret in text] == []
    assert [text for _, text in kept if not re.match(r"before\n.*\nafter\Z", text, re.DOTALL)] == []


def test_a_rule_leaves_what_is_far_too_short_for_a_token() -> None:
    near_misses = [
        (rule, text)
        for rule, templates in TOKENS.items()
        for template in templates
        if rule not in KNOWN_BY_THEIR_BEGINNING and (text := near_miss(template))
    ]

    assert len(near_misses) > 200
    assert [text for rule, text in near_misses if found_by(BY_NAME[rule], text)] == []


def test_ordinary_text_that_looks_like_a_secret_stays() -> None:
    texts = [filled(template) for template in ORDINARY]

    assert [text for text in texts if redact(text) != text] == []
