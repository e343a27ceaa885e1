"""Secrets found and replaced by the table of rules."""

import re
from collections.abc import Iterable
from functools import cache

from hardwon.domain.model.secrets.rule import Rule
from hardwon.domain.model.secrets.table import RULES

REDACTED = "[REDACTED]"

LONG = 20_000
"""Characters from which one pattern of all words, which takes milliseconds to compile, finds them faster than one search a word."""

LONGEST_BACKWARDS = 12_000
"""Characters before a word that a rule reads backwards."""

_AFTER_ESCAPE = r"(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=\[[0-9];[0-9]{2}m)"
"""A place outside of a word, though a letter or digit precedes it."""


def without_secrets(text: str) -> str:
    """Return *text* with `[REDACTED]` in place of each secret that a rule finds."""
    parts, copied = list[str](), 0
    for start, end in _spans(text):
        if start > copied or not parts:
            parts += text[copied:start], REDACTED
        copied = max(copied, end)
    return "".join(parts) + text[copied:]


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where secrets begin and end, in order; some may overlap."""
    spans, ends = set[tuple[int, int]](), dict[str, int]()
    for at, word in words_in(_lowered(text)):
        for rule in _rules_by_word()[word]:
            if at >= ends.get(rule.name, 0) and (span := _match(rule, text, at)):
                spans.add(span)
                ends[rule.name] = span[1]
    return sorted(spans)


def _lowered(text: str) -> str:
    """Return *text* in lower case, each character at its place: `İ` alone would become two."""
    return text.replace("İ", "i").lower()


def _match(rule: Rule, text: str, at: int) -> tuple[int, int] | None:
    """Return where the secret is that *rule* finds by the word at *at*."""
    begin = at - rule.before
    if begin < 0 or not (rule.inside or _begins_a_word(text, begin)):
        return None
    if rule.backwards:
        found = _compiled(rule.pattern).match(text[max(0, at - LONGEST_BACKWARDS) : at][::-1])
        return (at - found.end(), at) if found else None
    for step in rule.head:
        if not (found := _compiled(step).match(text, begin)):
            return None
        begin = found.end()
    found = _compiled(rule.pattern).match(text, begin)
    if not found or (rule.unless and _compiled(rule.unless).match(text, begin)):
        return None
    return found.span(found.lastindex or 0)


def _begins_a_word(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    return not (before.isascii() and before.isalnum()) or _compiled(_AFTER_ESCAPE).match(text, at) is not None


def words_in(small: str) -> Iterable[tuple[int, str]]:
    """Return each place in *small*, in order, with a word of a rule that is there."""
    by_word = _rules_by_word()
    if len(small) < LONG and not _any_word.cache_info().currsize:
        return sorted((at, word) for word in by_word if word in small for at in _places(word, small))
    return ((found.start(), word) for found in _any_word().finditer(small) for word in _prefixes(found[1]))


def _places(word: str, text: str) -> Iterable[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


@cache
def _rules_by_word() -> dict[str, list[Rule]]:
    rules = dict[str, list[Rule]]()
    for rule in RULES:
        for word in rule.words.split():
            rules.setdefault(word.replace("·", " "), []).append(rule)
    return rules


@cache
def _prefixes(word: str) -> list[str]:
    """Return the words that *word* begins with, itself too."""
    return [word[:end] for end in range(1, len(word) + 1) if word[:end] in _rules_by_word()]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def _any_word() -> re.Pattern[str]:
    """Compile one pattern that finds the longest word at each place."""
    root: _Node = {}
    for word in _rules_by_word():
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return re.compile(f"(?=({_alternatives(root)}))")


_Node = dict[str, "_Node"]
"""The letters that follow, each with what follows on it; an empty one where a word ends."""


def _alternatives(node: "_Node") -> str:
    choices = [re.escape(letter) + _alternatives(below) for letter, below in sorted(node.items()) if letter]
    if not choices:
        return ""
    one = choices[0] if len(choices) == 1 and "" not in node else f"(?:{'|'.join(choices)})"
    return f"{one}?" if "" in node else one
