"""The share of drawn forms in which redaction finds the secret; `make quality TABLES=secrets` prints more of them."""

import pytest

from bench.quality.secret_forms import HALVES, KINDS, draw, draw_ordinary, is_left
from bench.quality.secrets import interval, missed, touched
from hardwon.domain.model.redaction import REDACTED, redact

FORMS = 1_500
WANTED = {"dev": 0.95, "held": 0.9}
PLACEHOLDERS_TOUCHED = 0.002


@pytest.mark.parametrize("half", HALVES)
def test_the_secret_is_found_in_most_forms_that_are_drawn(half: str) -> None:
    forms = draw(HALVES[half], FORMS)

    assert {form.kind for form in forms} == set(KINDS)
    assert 1 - len(missed(forms)) / FORMS >= WANTED[half]


def test_a_draw_is_the_same_each_time_and_holds_its_secrets() -> None:
    forms = draw(HALVES["dev"], 300)

    assert forms == draw(HALVES["dev"], 300)
    assert [form for form in forms if form.secret not in form.text] == []


def test_a_secret_counts_as_left_when_only_its_edges_are_gone() -> None:
    form = next(form for form in draw(HALVES["dev"], 300) if len(form.secret) > 20)

    assert is_left(form, form.secret[3:-3])
    assert not is_left(form, form.text.replace(form.secret, REDACTED))


def test_placeholders_where_secrets_would_be_stay() -> None:
    assert len(touched(draw_ordinary(HALVES["held"], FORMS))) / FORMS <= PLACEHOLDERS_TOUCHED


def test_the_interval_of_a_share_holds_it_and_narrows_with_more_tries() -> None:
    (low, high), (lower, higher) = interval(95, 100), interval(950, 1_000)

    assert low < lower < 0.95 < higher < high


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("+-----BEGIN PRIVATE KEY-----\n+{0}\n+{0}\n+-----END PRIVATE KEY-----", True),
        ("------BEGIN PRIVATE KEY-----\n-{0}\n-{0}\n------END PRIVATE KEY-----", True),
        ("> -----BEGIN RSA PRIVATE KEY-----\n> {0}\n> {0}", True),
        ("id_rsa:2:{0}\nid_rsa:3:{0}\nid_rsa:4:-----END RSA PRIVATE KEY-----", True),
        ("// -----BEGIN EC PRIVATE KEY-----\n// {0}\n// {0}", True),
        ("+-----BEGIN CERTIFICATE-----\n+{0}\n+-----END CERTIFICATE-----", False),
        ("> -----BEGIN PUBLIC KEY-----\n> {0}\n> -----END PUBLIC KEY-----", False),
    ],
)
def test_a_private_key_goes_whatever_is_before_its_lines(text: str, *, is_found: bool) -> None:
    line = "c7" + "aB3d" * 15

    assert (line in redact(text.format(line))) is not is_found
