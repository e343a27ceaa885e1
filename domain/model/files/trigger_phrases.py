"""The phrases that call a memory up when a prompt holds one of them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from hardwon.domain.model.feature_description import COMMENT_OR_FENCE
from hardwon.domain.model.files.plain_text import plain_text

MOST_PHRASES = 20
"""Each prompt is compared with every phrase of the store within 50 ms (D-P4): no file may flood that list."""

SHORTEST, LONGEST = 3, 100
"""In characters: a shorter phrase stands in every prompt, a longer one in none."""

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<text>.*))?")
_CALLED_SO = re.compile(r"[\W\d_]*(?:triggers|trigger phrases?)\W*", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?P<text>.*)")
_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def phrases_of(body: str) -> tuple[str, ...]:
    """
    Return the phrases that *body* lists: the first 20 items below its headings `Trigger Phrases` or `Triggers`.

    Headings of any level count, as do numbers and signs before their words. Comments and code don't.
    """
    items = islice(_items(COMMENT_OR_FENCE.sub("", body)), MOST_PHRASES)
    return usable_phrases(map(plain_text, items))


def usable_phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first 20 of *texts* that can be phrases: one line of 3 to 100 characters, unquoted, each once."""
    phrases = dict[str, str]()
    for text in texts:
        phrase = " ".join(text.split()).strip(_QUOTES).strip()
        if SHORTEST <= len(phrase) <= LONGEST:
            phrases.setdefault(phrase.casefold(), phrase)
        if len(phrases) == MOST_PHRASES:
            break
    return tuple(phrases.values())


def _items(text: str) -> Iterator[str]:
    is_below = False
    for line in text.split("\n"):
        if heading := _HEADING.fullmatch(line):
            is_below = bool(_CALLED_SO.fullmatch((heading["text"] or "").rstrip("# \t")))
        elif is_below and (item := _ITEM.fullmatch(line)):
            yield item["text"]
