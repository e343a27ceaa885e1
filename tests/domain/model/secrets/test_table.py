import pytest

from hardwon.domain.model.redaction import redact
from hardwon.domain.model.secrets import find
from hardwon.domain.model.secrets.rule import Rule
from hardwon.domain.model.secrets.table import RULES
from tests.domain.model.secrets.samples import SAMPLES, TEMPLATES, Sample, filled, near_miss
from tests.domain.model.secrets.samples_forms import FORMS, ORDINARY
from tests.domain.model.secrets.samples_tokens import TOKENS

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


@pytest.mark.parametrize(
    "sample", SAMPLES, ids=lambda sample: f"{sample.rule}:{sample.text[:24]!r}"
)
def test_a_rule_finds_the_secret_of_each_of_its_samples(sample: Sample) -> None:
    assert sample.secret in found_by(BY_NAME[sample.rule], sample.text)


@pytest.mark.parametrize(
    "sample", SAMPLES, ids=lambda sample: f"{sample.rule}:{sample.text[:24]!r}"
)
def test_of_a_sample_the_secret_goes_and_the_text_around_it_stays(sample: Sample) -> None:
    kept = redact(f"before\n{sample.text}\nafter")

    assert sample.secret not in kept
    assert kept.startswith("before\n")
    assert kept.endswith("\nafter")


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (rule, text)
        for rule, templates in TOKENS.items()
        for template in templates
        if rule not in KNOWN_BY_THEIR_BEGINNING and (text := near_miss(template))
    ],
)
def test_a_rule_leaves_what_is_far_too_short_for_a_token(rule: str, text: str) -> None:
    assert not found_by(BY_NAME[rule], text)


@pytest.mark.parametrize("text", [filled(template) for template in ORDINARY])
def test_ordinary_text_that_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
