"""
How many secrets redaction finds, and how many other lines it changes.

Both are drawn.
"""

import math
import random
from collections.abc import Iterator

from bench.quality.ordinary_lines import MADE
from bench.quality.secret_forms import HALVES, KINDS, Form, draw, draw_ordinary, is_left
from hardwon.domain.model.redaction import redact

FORMS = 6_000
LINES = 4_000
"""Lines of each kind without a secret."""

SIGMAS = 1.96
"""Of a normal distribution, for an interval of 95 %."""


def interval(hits: int, tries: int) -> tuple[float, float]:
    """
    Return Wilson's interval of 95 % of a share.

    Examples:
        >>> [round(end, 3) for end in interval(90, 100)]
        [0.826, 0.945]

    """
    share, square = hits / tries, SIGMAS * SIGMAS
    center = share + square / (2 * tries)
    half = SIGMAS * math.sqrt(share * (1 - share) / tries + square / (4 * tries * tries))
    return (center - half) / (1 + square / tries), (center + half) / (1 + square / tries)


def missed(forms: list[Form]) -> list[Form]:
    """Return the forms whose secret is left."""
    return [form for form in forms if is_left(form, redact(form.text))]


def touched(texts: list[str]) -> list[str]:
    """Return the texts that redaction changes."""
    return [text for text in texts if redact(text) != text]


def ordinary_lines() -> list[str]:
    """Return made lines of all kinds without a secret."""
    chance = random.Random(4)
    return [line(chance) for line in MADE.values() for _ in range(LINES)]


def table() -> Iterator[str]:
    """
    Yield the share of secrets found, and of ordinary lines changed.

    Those of secrets are by half and kind.
    """
    yield "half  kind           forms   found  95 % interval"
    for half, seed in HALVES.items():
        forms = draw(seed, FORMS)
        for kind in ("", *KINDS):
            of_kind = [form for form in forms if form.kind == kind or not kind]
            yield (
                f"{half:4}  {kind or 'all':13} "
                f" {_share(len(of_kind) - len(missed(of_kind)), len(of_kind))}"
            )
    lines, placeholders = ordinary_lines(), draw_ordinary(HALVES["held"], LINES)
    yield ""
    yield "without a secret    lines  touched"
    yield f"files and logs    {len(lines):7,}  {len(touched(lines)) / len(lines):7.3%}"
    yield (
        f"placeholders      {len(placeholders):7,} "
        f" {len(touched(placeholders)) / len(placeholders):7.3%}"
    )


def _share(hits: int, tries: int) -> str:
    low, high = interval(hits, tries)
    return f"{tries:5,}  {hits / tries:6.1%}  {low:.1%} to {high:.1%}"
