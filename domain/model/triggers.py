"""Trigger phrases, which find entries without a search."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.identity import composed
from hardwon.domain.model.text import is_unspaced, runs, signs, split_at_runs

MAX_PHRASES = 20
"""
Upper bound for a file.

A prompt is compared with every phrase of the store within 50 ms.
"""

SHORTEST, LONGEST = 3, 100
"""
In characters.

A shorter phrase is found in every prompt, a longer one in none.
"""

SHORTEST_UNSPACED = 2
"""The same in scripts without spaces, where most words have two."""

_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def usable_phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """
    Return the first 20 distinct valid phrases of *texts*.

    They are one line of 3 to 100 characters, unquoted.
    """
    phrases = dict[str, str]()
    for text in texts:
        phrase = " ".join(text.split()).strip(_QUOTES).strip()
        if _shortest(phrase) <= len(phrase) <= LONGEST:
            phrases.setdefault(phrase.casefold(), phrase)
        if len(phrases) == MAX_PHRASES:
            break
    return tuple(phrases.values())


def _shortest(phrase: str) -> int:
    return SHORTEST_UNSPACED if runs(phrase) else SHORTEST


WHOLE = 1.0
INSIDE = 0.95
SCATTERED = 0.7

_WORD = re.compile(r"\w[\w\u0300-\u036f]*")
"""Letters, digits and underscores, as in code. Combining accents belong to their letter."""

Words: TypeAlias = tuple[str, ...]


class Trigger(NamedTuple):
    """
    A trigger phrase.

    Attributes:
        owner: The store's number of the entry it brings up, None for a command.
    """

    phrase: str
    owner: int | None = None


class TriggerMatch(NamedTuple):
    """
    A phrase found in a prompt.

    Attributes:
        phrase: As it was given; of several spellings the first in alphabetical order.
        confidence: 1.0 for the whole prompt, 0.95 for a run of its words, 0.7 if all words occur in
            it.
        owners: The entries it brings up, in ascending order; none for a command.
    """

    phrase: str
    confidence: float
    owners: tuple[int, ...]


class _Phrase(NamedTuple):
    text: str
    owners: tuple[int, ...]


class TriggerMatcher:
    """
    An index of phrases that finds those in a prompt.

    Phrases are compared word by word: letter case and characters between words do not matter,
    underscores do. No word is too common to count. A word that a phrase repeats need not be
    repeated in the prompt. In scripts without spaces each letter is a word, and those that follow
    one another must do so in the prompt.
    """

    def __init__(self, triggers: Iterable[Trigger]) -> None:
        self._phrases = _by_words(triggers)
        self._places = {words: place for place, words in enumerate(self._phrases)}
        self._lengths = defaultdict[Words, set[int]](set)
        self._by_rarest_word = defaultdict[str, list[Words]](list)
        frequencies = Counter(word for words in self._phrases for word in set(words))
        for words in self._phrases:
            self._lengths[words[:2]].add(len(words))
            self._by_rarest_word[min(words, key=frequencies.__getitem__)].append(words)

    def match(self, prompt: str, limit: int) -> list[TriggerMatch]:
        """
        Return the *limit* phrases in *prompt* of the highest confidence.

        Ties go to the longer phrase, in characters, then by alphabet.
        """
        words_of_prompt, matches = _words(prompt), dict[Words, TriggerMatch]()
        for confidence, found in (
            (WHOLE, self._equal),
            (INSIDE, self._inside),
            (SCATTERED, self._scattered),
        ):
            if (room := limit - len(matches)) <= 0:
                break
            for words in nsmallest(
                room, found(words_of_prompt) - matches.keys(), key=self._places.__getitem__
            ):
                phrase = self._phrases[words]
                matches[words] = TriggerMatch(phrase.text, confidence, phrase.owners)
        return list(matches.values())

    def _equal(self, prompt: Words) -> set[Words]:
        return {prompt} & self._phrases.keys()

    def _inside(self, prompt: Words) -> set[Words]:
        """
        Return the phrases that are runs of *prompt*.

        Only runs with the start and length of a phrase are looked up.
        """
        runs = (
            prompt[at : at + length]
            for at, start in enumerate(pairwise(prompt))
            for length in self._lengths.get(start, ())
        )
        return self._phrases.keys() & chain(((word,) for word in prompt), runs)

    def _scattered(self, prompt: Words) -> set[Words]:
        """
        Return the phrases all of whose words are in *prompt*.

        Only those whose rarest word is there are checked.
        """
        present = frozenset((*prompt, *_pairs(prompt)))
        return {
            words
            for word in present & self._by_rarest_word.keys()
            for words in self._by_rarest_word[word]
            if present.issuperset((*words, *_pairs(words)))
        }


def _by_words(triggers: Iterable[Trigger]) -> Mapping[Words, _Phrase]:
    """Merge phrases of the same words, in the order of ties."""
    spellings = defaultdict[Words, list[Trigger]](list)
    for trigger in triggers:
        spellings[_words(trigger.phrase)].append(trigger)
    phrases = ((words, _merged(same)) for words, same in spellings.items() if words)
    return dict(sorted(phrases, key=lambda item: (-len(item[1].text), item[1].text)))


def _merged(same: Sequence[Trigger]) -> _Phrase:
    owners = {trigger.owner for trigger in same if trigger.owner is not None}
    return _Phrase(min(trigger.phrase for trigger in same), tuple(sorted(owners)))


def _words(text: str) -> Words:
    plain = composed(composed(text).casefold())
    parts = enumerate(split_at_runs(plain))
    return tuple(
        word for at, part in parts for word in (signs(part) if at % 2 else _WORD.findall(part))
    )


def _pairs(words: Words) -> list[str]:
    return [
        left + right for left, right in pairwise(words) if is_unspaced(left) and is_unspaced(right)
    ]
