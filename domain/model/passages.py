"""Parts of a text that are short enough to be about one thing."""

import re

MOST_WORDS = 100
"""Of 50, 100 and 200 the best on the development sets, by little (`docs/quality.md`)."""

_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def passages(title: str, text: str) -> list[str]:
    """
    Return *text* in parts of at most 100 words, *title* before each; at least one part.

    A part is made of whole sentences or lines; one that is longer by itself stays whole.
    """
    parts, words = list[list[str]]([[]]), 0
    for unit in filter(str.strip, _UNIT_END.split(text)):
        length = len(unit.split())
        if parts[-1] and words + length > MOST_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(unit)
        words += length
    return ["\n".join(filter(None, (title, *part))) for part in parts]


def identifier_words(text: str) -> list[str]:
    """Return the words that identifiers such as `parseHTTPRequest` are made of, each identifier's once."""
    identifiers = dict.fromkeys(_WORD.findall(text))
    return [part for each in identifiers if len(parts := _HUMP.split(each)) > 1 for part in parts]
