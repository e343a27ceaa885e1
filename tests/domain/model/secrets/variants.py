"""Texts around a secret as transcripts have them."""

import json
from collections.abc import Callable

from tests.domain.model.secrets.samples import Sample

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
