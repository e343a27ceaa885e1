"""Find and replace secrets by the table of rules."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from operator import add

from hardwon.domain.model.secrets import (
    commands,
    keys,
    named_tokens,
    places,
    requests,
    tokens_cloud,
    tokens_code,
    tokens_services,
    values,
)
from hardwon.domain.model.secrets.rule import Rule

REDACTED = "[REDACTED]"

RULES = (
    *tokens_code.RULES,
    *tokens_cloud.RULES,
    *tokens_services.RULES,
    *named_tokens.RULES,
    *keys.RULES,
    *requests.RULES,
    *commands.RULES,
    *values.RULES,
    *places.RULES,
)

LONGEST_REMEMBERED = 120
"""Characters of a token that is remembered, as of a path."""

MAX_PLAIN = 32_768
"""Tokens without a word of a rule that are remembered."""

_BY_FREQUENCY = "zqxjkvbpygfwmucldrhsnioate"
"""The letters, rare ones first."""

_plain = set[str]()

LONGEST_BACKWARDS = 12_000
"""Characters before a word that a rule reads backwards."""

_AFTER_ESCAPE = r"(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=\[[0-9];[0-9]{2}m)"
"""A place outside of a word, though a letter or digit precedes it."""


def without_secrets(text: str) -> str:
    """Replace each secret that a rule finds by `[REDACTED]`."""
    parts, copied = list[str](), 0
    for start, end in _spans(text):
        if start > copied or not parts:
            parts += text[copied:start], REDACTED
        copied = max(copied, end)
    return "".join(parts) + text[copied:]


def has_word_of_a_rule(text: str) -> bool:
    """Return whether a rule may find a secret in *text*."""
    return bool(words_in(_lowered(text)))


def _spans(text: str) -> list[tuple[int, int]]:
    spans, ends = set[tuple[int, int]](), dict[str, int]()
    groups, heads = _rules_by_word_and_head(), _Heads(text)
    for at, word in words_in(_lowered(text)):
        heads.clear()
        for head, rules in groups[word]:
            if not head or heads.end(head, at) >= 0:
                for rule in rules:
                    if at >= ends.get(rule.name, 0) and (
                        span := _match(rule, text, at=at, heads=heads)
                    ):
                        spans.add(span)
                        ends[rule.name] = span[1]
    return sorted(spans)


def _lowered(text: str) -> str:
    """Lower-case *text* without changing its length: `İ` alone would become two."""
    return text.replace("İ", "i").lower()


class _Heads(dict[tuple[str, int], int]):
    """
    A cache of where heads end, -1 for no match.

    Its keys are pattern and beginning. Rules share heads, and each is tried once at a place.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def end(self, head: str, begin: int) -> int:
        if (end := self.get((head, begin))) is None:
            found = _compiled(head).match(self._text, begin)
            end = self[head, begin] = found.end() if found else -1
        return end


def _match(rule: Rule, text: str, at: int, heads: _Heads) -> tuple[int, int] | None:
    begin = at - rule.before
    if begin < 0 or not (rule.inside or _begins_a_word(text, begin)):
        return None
    if rule.backwards:
        found = _compiled(rule.pattern).match(text[max(0, at - LONGEST_BACKWARDS) : at][::-1])
        return (at - found.end(), at) if found else None
    for step in rule.head:
        if (begin := heads.end(step, begin)) < 0:
            return None
    if rule.behind and not _compiled(rule.behind).match(text, at):
        return None
    found = _compiled(rule.pattern).match(text, begin)
    if not found or (rule.unless and _compiled(rule.unless).match(text, begin)):
        return None
    return found.span(found.lastindex or 0)


def _begins_a_word(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    return (
        not (before.isascii() and before.isalnum())
        or _compiled(_AFTER_ESCAPE).match(text, at) is not None
    )


@lru_cache(maxsize=2)  # the net of the store asks for them first, then redacts
def words_in(small: str) -> list[tuple[int, str]]:
    """
    Return the occurrences of words in *small*, in order.

    Words that begin no match of a rule anywhere in it are left out.
    """
    if _plain.issuperset(tokens := small.split()):
        return []
    words = frozenset[str]().union(*map(_words_of, set(tokens) - _plain))
    return sorted((at, word) for word in words for at in _places(word, small))


def _words_of(token: str) -> frozenset[str]:
    """Return the words whose part before a blank may begin a match in *token*."""
    return _found_in(token) if len(token) > LONGEST_REMEMBERED else _remembered(token)


@lru_cache(maxsize=32_768)
def _remembered(token: str) -> frozenset[str]:
    if not (words := _found_in(token)):
        if len(_plain) >= MAX_PLAIN:
            _plain.clear()
        _plain.add(token)
    return words


def _found_in(token: str) -> frozenset[str]:
    by_pair = _words_by_pair()
    return frozenset(
        word
        for pair in by_pair.keys() & set(map(add, token, token[1:]))
        for part, word in by_pair[pair]
        if part in token and _may_match_at(word, part, token)
    )


def _may_match_at(word: str, part: str, token: str) -> bool:
    """Return whether a rule may match where *part* of its *word* is in *token*."""
    if (shortest := _shortest_of_words().get(word)) is None:
        return True
    # `İ` and the Kelvin sign, which are no letters of ASCII, were made `i` and `k`.
    return any(
        at + shortest <= len(token) and (_begins_a_word(token, at) or token[at - 1] in "ik")
        for at in _places(part, token)
    )


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
def _shortest_of_words() -> dict[str, int]:
    """Return the shortest match of each word that must begin a word."""
    return {
        word: min(rule.shortest for rule in rules)
        for word, rules in _rules_by_word().items()
        if not any(rule.inside or rule.before for rule in rules)
    }


@cache
def _rules_by_word_and_head() -> dict[str, list[tuple[str, list[Rule]]]]:
    """
    Group the rules of each word by the first part of their heads.

    Empty for rules without a head.
    """
    grouped = dict[str, dict[str, list[Rule]]]()
    for word, rules in _rules_by_word().items():
        for rule in rules:
            grouped.setdefault(word, {}).setdefault(rule.head[0] if rule.head else "", []).append(
                rule
            )
    return {word: [*heads.items()] for word, heads in grouped.items()}


@cache
def _words_by_pair() -> dict[str, list[tuple[str, str]]]:
    """Return each word and its part before a blank, by the rarest pair."""
    words = dict[str, list[tuple[str, str]]]()
    for word in _rules_by_word():
        part = word.partition(" ")[0]
        words.setdefault(min(map(add, part, part[1:]), key=_frequency), []).append((part, word))
    return words


def _frequency(pair: str) -> int:
    """Return how frequent the two letters are in prose, lowest for other characters."""
    return sum(map(_BY_FREQUENCY.find, pair))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
