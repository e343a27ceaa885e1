"""What the words of a prompt tell about which entry it asks for."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.keyword_query import words_of

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
