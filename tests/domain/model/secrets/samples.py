"""
Samples of every rule, made at run time: no scanner may take this file for a leak.

`{A36}` stands for 36 letters and digits, `{a36}` for lower case and `{U36}` for upper case ones,
`{h36}` for hexadecimal digits, `{d36}` for digits, `{w36}` for letters, digits, `_` and `-`,
`{b36}` for base64, `{u0}` for a UUID. `«` and `»` enclose the secret where it is not the whole
text.
"""

import json
import random
import re
import string
from collections.abc import Callable
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


Variant = Callable[[str], str]

AROUND_TOKENS: dict[str, Variant] = {
    "alone": lambda secret: secret,
    "in double quotes": lambda secret: f'key("{secret}")',
    "in single quotes": lambda secret: f"key('{secret}')",
    "in backticks": lambda secret: f"the value `{secret}` here",
    "in JSON": lambda secret: json.dumps({"value": secret}),
    "in JSON in JSON": lambda secret: json.dumps(json.dumps({"value": secret})),
    "exported": lambda secret: f"export VALUE={secret}",
    "a flag": lambda secret: f"tool --value={secret} --verbose",
    "an argument": lambda secret: f"tool login {secret} -v",
    "in a query": lambda secret: f"https://example.org/x?v={secret}&y=1",
    "in an encoded query": lambda secret: f"https://example.org/x?u=v%3D{secret}",
    "in a header": lambda secret: f"X-Custom: {secret}\r\nHost: example.org\r\n",
    "in a fenced block": lambda secret: f"```\n{secret}\n```",
    "in parentheses": lambda secret: f"it was ({secret}), I think",
    "at the end of a sentence": lambda secret: f"It leaked: {secret}.",
    "in a list": lambda secret: f"[a, {secret}, b]",
    "after a literal newline": lambda secret: f'"line one\\n{secret}\\nline three"',
    "in YAML": lambda secret: f"- value: {secret}\n- other: 1\n",
    "in XML": lambda secret: f"<v>{secret}</v>",
    "in a diff": lambda secret: f"+{secret}\n-old",
    "coloured": lambda secret: f"\x1b[32m{secret}\x1b[0m",
    "in a table": lambda secret: f"| a | {secret} | b |",
    "among other letters": lambda secret: f"键{secret}是",
}
AROUND_LINES: dict[str, Variant] = {
    "alone": lambda line: line,
    "indented": lambda line: f"    {line}\n",
    "after a tab": lambda line: f"\t{line}\n\tnext",
    "among lines": lambda line: f"one\n{line}\ntwo\n",
    "with carriage returns": lambda line: f"one\r\n{line}\r\ntwo\r\n",
    "in a list": lambda line: f"- {line}\n",
    "in a numbered list": lambda line: f"1. {line}\n",
    "in a fenced block": lambda line: f"```\n{line}\n```",
    "in a quotation": lambda line: f"> {line}\n",
    "in a diff": lambda line: f"@@ -1 +1 @@\n+{line}\n",
    "a comment": lambda line: f"# {line}\n",
    "a comment of C": lambda line: f"// {line}\n",
    "after a prompt": lambda line: f"$ {line}\n",
    "in a log": lambda line: f"2026-03-01T12:30:00Z INFO {line}\n",
    "after words": lambda line: f"I use this: {line}\n",
    "numbered": lambda line: f"   12\t{line}\n   13\tx\n",
    "coloured": lambda line: f"\x1b[1m\n{line}\n\x1b[0m",
    "in JSON": lambda line: json.dumps({"output": line + "\nmore"}),
    "in JSON, between lines": lambda line: json.dumps({"output": f"one\n{line}\ntwo"}),
    "after a file's name": lambda line: f".env:3:{line}\n",
}


def variants(sample: Sample) -> list[tuple[str, str, str]]:
    """Return the name of each variant of *sample*, its text, and the secret as it is there."""
    if sample.text == sample.secret and "\n" not in sample.text:
        return [
            (name, around(sample.text), sample.secret) for name, around in AROUND_TOKENS.items()
        ]
    return [
        (name, around(sample.text), _as_in_json(sample.secret) if "JSON" in name else sample.secret)
        for name, around in AROUND_LINES.items()
    ]


def _as_in_json(text: str) -> str:
    return json.dumps(text)[1:-1]
