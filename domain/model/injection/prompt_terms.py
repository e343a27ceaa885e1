"""
Which prompts are worth a search.

What stands in a prompt as it stands in code: names with marks in them, error codes, options, paths.

What the agent is told anyway, so that memory need not say it again.

What each part of a prompt asks.

What the words of a prompt tell about which entry it asks for.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.conversation.sentences import split_sentences
from hardwon.domain.model.keywords import STOP_WORDS, search_terms, words_of

MIN_TERMS = 3
"""Words that carry meaning; "yes, go on" and "fix it" have none or one."""

LONGEST_PROMPT = 2_000
"""Characters that are searched with: far more than 64 terms, and redacted in a few milliseconds."""

_COMMANDS = ("/", "!", "#")
"""What the host takes for itself: its commands, the shell's, a note to its own memory."""


def is_worth_asking(prompt: str) -> bool:
    """Return whether *prompt* is said to the agent and says enough to be searched with."""
    beginning = prompt[:LONGEST_PROMPT].lstrip()
    return not beginning.startswith(_COMMANDS) and len(search_terms(beginning)) >= MIN_TERMS


Identifier: TypeAlias = tuple[str, ...]
"""Its words, lower case."""

SHORTEST = 5
"""Letters and digits of one that is a single word, such as `cp1252`."""

_TOKEN = re.compile(r"[^\s`(),;]+")
_AROUND = ".:!?'\"[]{}<>"
_JOINED = re.compile(r"[^\W_][_.=:/\\\"'@-]+[^\W_]")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_PROSE = re.compile(r"[^\W\d_]+(?:['\u2019/-][^\W\d_]+)+|[\d.:/-]+")
"""Words with a hyphen or an apostrophe in them, dates and versions."""


def identifiers(prompt: str) -> tuple[Identifier, ...]:
    """Return the words of each identifier in *prompt*, in order, without repeats."""
    tokens = (token.strip(_AROUND) for token in _TOKEN.findall(prompt))
    return tuple(dict.fromkeys(tuple(words_of(token)) for token in tokens if _is_identifier(token)))


def held_by_one(asked: Sequence[Identifier], texts: Sequence[str]) -> tuple[Identifier, ...]:
    """Return those of *asked* that stand, word for word, in exactly one of *texts*."""
    words = [words_of(text) for text in texts] if asked else []
    return tuple(each for each in asked if sum(_stands_in(each, held) for held in words) == 1)


def quotes(text: str, asked: Sequence[Identifier]) -> bool:
    """Return whether *text* holds one of *asked*."""
    words = words_of(text) if asked else []
    return any(_stands_in(each, words) for each in asked)


def _is_identifier(token: str) -> bool:
    words = words_of(token)
    if _PROSE.fullmatch(token) or STOP_WORDS.issuperset(words):
        return False
    if len(words) == 1:
        return len(token) >= SHORTEST and bool(_MIXED.search(token))
    return bool(_JOINED.search(token))


def _stands_in(identifier: Identifier, words: Sequence[str]) -> bool:
    first, length = identifier[0], len(identifier)
    return any(word == first and tuple(words[at : at + length]) == identifier for at, word in enumerate(words))


_SPACE = re.compile(r"\s+")
_MARKS = dict.fromkeys(map(ord, "*_`#>-+~|\\[]()"))
"""What markdown emphasises, quotes, lists and links with."""


def plain(text: str) -> str:
    """Return *text* without letter case, without markdown's marks, and with one space for every run of white space."""
    return _SPACE.sub(" ", text.casefold().translate(_MARKS)).strip()


def says(told: str, lesson: str) -> bool:
    """
    Return whether a text says all of *lesson*.

    Args:
        told: The text, as `plain` returns it.
        lesson: As it was written; one that is nothing but marks is said nowhere.

    """
    wanted = plain(lesson)
    return bool(wanted) and wanted in told


def asked_by(prompt: str) -> tuple[tuple[str, ...], ...]:
    """
    Return the words of each sentence of *prompt* that says enough to be searched with.

    Where none does, those of the whole stand for it.
    """
    sentences = (sentence for line in prompt.splitlines() for sentence in split_sentences(line))
    terms = tuple(terms for each in sentences if len(terms := search_terms(each)) >= MIN_TERMS)
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
"""What agents are told all day: a small store can't know how common these are."""

ENDINGS = ("ing", "ed", "es", "e", "s")
SHORTEST_STEM = 3
"""Letters that are left of a word when its ending falls."""

Sentence: TypeAlias = Mapping[str, float]
"""The stems of a sentence's telling words, and what each tells, in nats."""


class Shared(NamedTuple):
    """
    What an entry shares with the sentence of a prompt that it answers best.

    Attributes:
        coverage: The share of what the sentence's words tell that is told by those in the entry, `[0, 1]`.
        told: What those words tell, in nats.

    """

    coverage: float = 0.0
    told: float = 0.0


def telling_words(terms: Iterable[str]) -> tuple[str, ...]:
    """Return *terms* without what agents are told all day."""
    return tuple(term for term in terms if stem(term) not in _EVERYDAY_STEMS)


def weighed(terms: Iterable[str], frequencies: Mapping[str, int], size: int) -> Sentence:
    """
    Return what each telling word of a sentence tells: `ln((N + 0.5) / (n + 0.5))`, never below 0.

    A word that no entry holds counts as one that a single entry holds: it tells that something else is asked for.

    Args:
        terms: The sentence's words.
        frequencies: In how many entries each occurs.
        size: How many entries there are.

    """
    held = dict[str, int]()
    for term in telling_words(terms):
        held[stem(term)] = max(held.get(stem(term), 1), frequencies.get(term, 1))
    return {word: max(0.0, math.log((size + 0.5) / (count + 0.5))) for word, count in held.items()}


def shared(sentences: Sequence[Sentence], text: str) -> Shared:
    """Return what *text* shares with the one of *sentences* where coverage times what is told is greatest."""
    held = {stem(word) for word in words_of(text)}
    return max(
        (_shared(each, held) for each in sentences), key=lambda each: each.coverage * each.told, default=Shared()
    )


def most_told(sentences: Sequence[Sentence]) -> float:
    """Return what an entry is told by that holds all of a sentence, the sentence that tells most."""
    return max((sum(each.values()) for each in sentences), default=0.0)


def stem(word: str) -> str:
    """Return *word* without its ending, unless too little would be left."""
    fitting = (each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= SHORTEST_STEM)
    return word.removesuffix(next(fitting, ""))


def _shared(sentence: Sentence, held: set[str]) -> Shared:
    asked = math.fsum(sentence.values())
    told = math.fsum(weight for word, weight in sentence.items() if word in held)
    return Shared(told / asked, told) if asked > 0 else Shared()


_EVERYDAY_STEMS = frozenset(map(stem, EVERYDAY))
