"""The terms of a prompt: their number, its identifiers, their information."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.keywords import (
    LONGEST_PROMPT,
    MIN_TERMS,
    STOP_WORDS,
    search_terms,
    terms_of,
    words_of,
)
from hardwon.domain.model.text import split_sentences

Identifier: TypeAlias = tuple[str, ...]
"""The words of an identifier, lower case."""

SHORTEST = 5
"""Characters of an identifier that is a single word, such as `cp1252`."""

_PIECE = r"[^\s`(),;]+"
_AROUND = ".:!?'\"[]{}<>"
_JOINED = r"[^\W_][_.=:/\\\"'@-]+[^\W_]"
_MIXED = r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]"
_PROSE = r"[^\W\d_]+(?:['\u2019/-][^\W\d_]+)+|[\d.:/-]+"
"""Words with a hyphen or an apostrophe, dates and versions: no identifiers."""


def identifiers(prompt: str) -> tuple[Identifier, ...]:
    """
    Return the words of each distinct identifier in *prompt*, in order.

    Identifiers are names in code, error codes, options and paths.
    """
    tokens = (token.strip(_AROUND) for token in re.findall(_PIECE, prompt))
    return tuple(dict.fromkeys(tuple(words_of(token)) for token in tokens if _is_identifier(token)))


def held_by_one(asked: Sequence[Identifier], texts: Sequence[str]) -> tuple[Identifier, ...]:
    """Return those of *asked* that exactly one text has."""
    words = [words_of(text) for text in texts] if asked else []
    return tuple(
        identifier
        for identifier in asked
        if sum(_stands_in(identifier, held) for held in words) == 1
    )


def quotes(text: str, asked: Sequence[Identifier]) -> bool:
    """Return whether *text* contains one of *asked*."""
    return count_quoted(text, asked) > 0


def count_quoted(text: str, asked: Sequence[Identifier]) -> int:
    """Return how many of *asked* are in *text*."""
    words = words_of(text) if asked else []
    return sum(_stands_in(identifier, words) for identifier in asked)


def _is_identifier(token: str) -> bool:
    words = words_of(token)
    if re.fullmatch(_PROSE, token) or STOP_WORDS.issuperset(words):
        return False
    if len(words) == 1:
        return len(token) >= SHORTEST and bool(re.search(_MIXED, token))
    return bool(re.search(_JOINED, token))


def _stands_in(identifier: Identifier, words: Sequence[str]) -> bool:
    first, length = identifier[0], len(identifier)
    return any(
        word == first and tuple(words[at : at + length]) == identifier
        for at, word in enumerate(words)
    )


_MARKS = dict.fromkeys(map(ord, "*_`#>-+~|\\[]()"))
"""Characters that markdown uses for emphasis, quotes, lists and links."""


def plain(text: str) -> str:
    """Return *text* in lower case, without marks of markdown, on one line."""
    return re.sub(r"\s+", " ", text.casefold().translate(_MARKS)).strip()


def holds_lesson(text: str, lesson: str) -> bool:
    """
    Return whether *text* contains all of *lesson*.

    Args:
        text: As `plain` returns it.
        lesson: As it was written; one of marks alone is contained in no text.
    """
    wanted = plain(lesson)
    return bool(wanted) and wanted in text


def asked_by(prompt: str) -> tuple[tuple[str, ...], ...]:
    """
    Return the terms of each sentence with at least 3.

    Without one, return those of the whole prompt.
    """
    sentences = (sentence for line in prompt.splitlines() for sentence in split_sentences(line))
    terms = tuple(terms for text in sentences if len(terms := search_terms(text)) >= MIN_TERMS)
    return terms or (search_terms(prompt),)


EVERYDAY = frozenset(
    """
    add again already always app application ask back bad better break broken bug build call change check class clean
    code command commit create data delete different directory do done edit error example existing explain fail
    feature file find first fix folder function get getting give go good handle happen help implement improve instead
    issue keep know last latest let line like list ll look make me method missing module move much name need new next
    number old one open option page please problem program project pull push put question re read really refactor
    remove rename repo repository request return review right run save say script second see sentence set show simple
    simpler something start still stop sure take tell test thank thing think three time try two type understand unit
    update use user value variable ve version want way work would write wrong yes
    """.split()
)
"""Words common in prompts. The frequencies of a small store do not show it."""

ENDINGS = ("ing", "ed", "es", "e", "s")
SHORTEST_STEM = 3
"""Minimum letters of a stem."""

Sentence: TypeAlias = Mapping[str, float]
"""The stems of a sentence's informative words, with the information of each in nats."""


class SharedTerms(NamedTuple):
    """
    The overlap of an entry with its best sentence of the prompt.

    Attributes:
        coverage: The share of the sentence's information that its words in the entry have, `[0,
            1]`.
        information: The information of these words, in nats.
    """

    coverage: float = 0.0
    information: float = 0.0


def informative_words(terms: Iterable[str]) -> tuple[str, ...]:
    """Drop everyday words."""
    return tuple(term for term in terms if stem(term) not in _EVERYDAY_STEMS)


MIN_DECISIVE = 2


def decisive_terms(question: str, terms: Sequence[str]) -> tuple[str, ...]:
    """
    Return the *terms* that an entry must contain to answer *question* surely.

    None for a question that is not precise. A question is precise with two informative words or an
    identifier: all of these count.
    """
    of_identifiers = {
        word for identifier in identifiers(question[:LONGEST_PROMPT]) for word in identifier
    }
    informative = informative_words(terms)
    precise = of_identifiers or len({*map(stem, informative)}) >= MIN_DECISIVE
    return (
        tuple(term for term in terms if term in of_identifiers or term in informative)
        if precise
        else ()
    )


def weighed(terms: Iterable[str], frequencies: Mapping[str, int], size: int) -> Sentence:
    """
    Return the information of each informative word of a sentence.

    It is `ln((N + 0.5) / (n + 0.5))`, never below 0. A word that no entry contains counts as in
    one: it shows that something else is asked for.
    """
    held = dict[str, int]()
    for term in informative_words(terms):
        held[stem(term)] = max(held.get(stem(term), 1), frequencies.get(term, 1))
    return {word: max(0.0, math.log((size + 0.5) / (count + 0.5))) for word, count in held.items()}


def shared(sentences: Sequence[Sentence], text: str) -> SharedTerms:
    """Return the best overlap of *text* with a sentence."""
    held = {stem(word) for word in terms_of(text)}
    return max(
        (_shared(sentence, held) for sentence in sentences),
        key=lambda overlap: overlap.coverage * overlap.information,
        default=SharedTerms(),
    )


def max_information(sentences: Sequence[Sentence]) -> float:
    """Return the information of the sentence that has most."""
    return max((sum(sentence.values()) for sentence in sentences), default=0.0)


def stem(word: str) -> str:
    """Return *word* without its ending, unless too little would be left."""
    for ending in ENDINGS if word.endswith(ENDINGS) else ():
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _shared(sentence: Sentence, held: set[str]) -> SharedTerms:
    asked = math.fsum(sentence.values())
    information = math.fsum(weight for word, weight in sentence.items() if word in held)
    return SharedTerms(information / asked, information) if asked > 0 else SharedTerms()


_EVERYDAY_STEMS = frozenset(map(stem, EVERYDAY))
