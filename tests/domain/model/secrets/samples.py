"""
Samples of every rule, made at run time: no scanner may take this file for a leak.

`{A36}` stands for 36 letters and digits, `{a36}` for lower case and `{U36}` for upper case ones,
`{h36}` for hexadecimal digits, `{d36}` for digits, `{w36}` for letters, digits, `_` and `-`,
`{b36}` for base64, `{u0}` for a UUID. `«` and `»` enclose the secret where it is not the whole
text.
"""

import random
import re
import string
from typing import NamedTuple

from tests.domain.model.secrets import samples_forms, samples_tokens

_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{([AaUhdwbu])(\d+)\}")
SHORT = 4
"""Characters left of each part in a text that only looks like a sample."""

TEMPLATES = {**samples_tokens.TOKENS, **samples_tokens.NAMED, **samples_forms.FORMS}


class Sample(NamedTuple):
    """A text with one secret, which the rule finds."""

    rule: str
    text: str
    secret: str


def filled(template: str) -> str:
    """Return *template* with its parts made up, the same each time."""
    chance = random.Random(template)

    def part(found: re.Match[str]) -> str:
        kind, length = found[1], int(found[2])
        if kind == "u":
            return "-".join(part_of("h", count) for count in (8, 4, 4, 4, 12))
        return part_of(kind, length)

    def part_of(kind: str, length: int) -> str:
        letters = "".join(chance.choices(_ALPHABETS[kind], k=length))
        if kind == "d" or length < SHORT:
            return letters
        edge = "A" if kind == "U" else "c"
        return f"{edge}7{letters[2:-1]}{edge}"  # a letter and a digit at least, no sign at the ends

    return _PART.sub(part, template)


def sample(rule: str, template: str) -> Sample:
    text = filled(template)
    if "«" not in text:
        return Sample(rule, text, text)
    before, _, rest = text.partition("«")
    secret, _, after = rest.partition("»")
    return Sample(rule, before + secret + after, secret)


SAMPLES = [
    sample(rule, template) for rule, templates in TEMPLATES.items() for template in templates
]


def near_miss(template: str) -> str | None:
    """Return a text like *template* whose parts are far too short; None if a part's length does not vary."""
    if "{u" in template or not _PART.search(template):
        return None
    short = _PART.sub(lambda part: f"{{{part[1]}{min(SHORT, int(part[2]))}}}", template)
    return filled(short).replace("«", "").replace("»", "")
