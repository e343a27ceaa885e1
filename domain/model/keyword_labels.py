"""Validation and completeness of keyword labels."""

import re
from collections.abc import Iterable

from hardwon.domain.model.entry import MAX_KEYWORDS
from hardwon.domain.model.keywords import search_terms

MIN_LABELS = 3
MIN_SUPPORTED = 3
MAX_WORDS = 3
MAX_LENGTH = 60
"""Characters. Three words of prose fit easily, a repetitive model's blob does not."""

GENERIC_LABELS = tuple(
    """
    code development software system application implementation feature project function method file data error bug
    fix update change
    """.split()
)
"""Labels true of almost any entry, so that they distinguish none."""

SMALLEST_STEM = 3

SUFFIXES = (
    "",
    *"""
    s es ies e y d ed ied r er ers or ors ing ings ion ions ation ations able al ally ic ive ity ly ment ments ness
    ance ence
    """.split(),
)

_FOLDED = str.maketrans({".": "-", "_": "-", "+": "p", "#": "sharp"})
_GAPS = re.compile(r"[\s-]+")
_LABEL = re.compile(r"[a-z0-9][a-z0-9-]*")
_WORD = re.compile(r"[^\W_]+")


def valid_labels(raw: Iterable[str]) -> tuple[str, ...]:
    """
    Return the distinct usable labels among *raw*, in order, at most 10.

    Each is folded first: lower case, spaces, dots and underscores to hyphens, `+` to `p`, `#` to
    `sharp` (`C++` is `cpp`, `node.js` is `node-js`). A label is dropped unless it is then 1-3
    hyphenated words of `a-z0-9`, and not generic.
    """
    usable = filter(_is_usable, map(_fold, raw))
    return tuple(dict.fromkeys(usable))[:MAX_KEYWORDS]


def supported_labels(labels: Iterable[str], text: str) -> tuple[str, ...]:
    """
    Return those of *labels* that *text* supports, in order.

    It does when a hyphen part of the label (stop words aside) occurs in it, or is a variant of one
    of its words: both have the same stem of three letters or more without a common English ending
    and the doubled letter before it (`parsing` and `parser`, `retries` and `retry`, `logged` and
    `logs`). A part of one or two letters must be a word of the text.

    This accepts look-alikes (`port`, `portion`) and misses irregular forms (`ran`, `indices`): good
    enough to detect an incomplete entry, too rough to drop a label.
    """
    parts = {label: search_terms(label) for label in labels}
    supported = _supported({part for label in parts for part in parts[label]}, text.lower())
    return tuple(label for label in parts if not supported.isdisjoint(parts[label]))


def is_complete(labels: Iterable[str], text: str) -> bool:
    """
    Return whether there are 3-10 labels, at least 3 supported by *text*.

    *labels* are valid, *text* is description and reasoning of the entry.
    """
    labels = tuple(labels)
    return (
        MIN_LABELS <= len(labels) <= MAX_KEYWORDS
        and len(supported_labels(labels, text)) >= MIN_SUPPORTED
    )


def _supported(parts: set[str], text: str) -> set[str]:
    folded = f"{text} {text.translate(_FOLDED)}"
    words = frozenset(_WORD.findall(folded))
    beginnings = {part[:SMALLEST_STEM] for part in parts}
    alike = (
        word for word in words if word[:SMALLEST_STEM] in beginnings
    )  # no other word has a stem in common
    stems = frozenset(stem for word in alike for stem in _stems(word))
    return {
        part
        for part in parts
        if part in words
        or (len(part) >= SMALLEST_STEM and part in folded)
        or not stems.isdisjoint(_stems(part))
    }


def _fold(label: str) -> str:
    return _GAPS.sub("-", label.lower().translate(_FOLDED)).strip("-")


def _is_usable(label: str) -> bool:
    return bool(
        len(label) <= MAX_LENGTH
        and _LABEL.fullmatch(label)
        and label.count("-") < MAX_WORDS
        and label not in GENERIC_LABELS
    )


def _stems(word: str) -> set[str]:
    cut = {word.removesuffix(suffix) for suffix in SUFFIXES if word.endswith(suffix)}
    undoubled = {stem[:-1] for stem in cut - {word} if stem[-2:] == stem[-1:] * 2}
    return {stem for stem in cut | undoubled if len(stem) >= SMALLEST_STEM}
