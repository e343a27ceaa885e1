"""
Trigger phrases: a prompt that holds one of them surfaces the entry.

Which phrases a prompt says, without any search (requirement D-T3). Standard library only.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

MAX_PHRASES = 20
"""Upper bound for one file: a prompt is compared with every phrase of the store within 50 ms."""

SHORTEST, LONGEST = 3, 100
"""In characters: a shorter phrase stands in every prompt, a longer one in none."""

_QUOTES = "\"'\u201c\u201d\u2018\u2019"


def usable_phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first 20 of *texts* that can be phrases: one line of 3 to 100 characters, unquoted, each once."""
    phrases = dict[str, str]()
    for text in texts:
        phrase = " ".join(text.split()).strip(_QUOTES).strip()
        if SHORTEST <= len(phrase) <= LONGEST:
            phrases.setdefault(phrase.casefold(), phrase)
        if len(phrases) == MAX_PHRASES:
            break
    return tuple(phrases.values())


WHOLE = 1.0
INSIDE = 0.95
SCATTERED = 0.7

_WORD = re.compile(r"\w[\w\u0300-\u036f]*")
"""Letters, digits and underscores, as code is written; accents that stand by themselves belong to their letter."""

Words: TypeAlias = tuple[str, ...]


class Trigger(NamedTuple):
    """
    A phrase that brings something up.

    Attributes:
        phrase: What a user may say; one without a word never matches.
        owner: The store's number of the entry it brings up, None for a command.

    """

    phrase: str
    owner: int | None = None


class TriggerMatch(NamedTuple):
    """
    A phrase that a prompt says.

    Attributes:
        phrase: As it was given; of several spellings the first in the order of text.
        confidence: 1.0 when it is the whole prompt, 0.95 when it stands in it, 0.7 when all its words do.
        owners: The entries it brings up, in ascending order; none for a command.

    """

    phrase: str
    confidence: float
    owners: tuple[int, ...]


class _Phrase(NamedTuple):
    """A phrase as it is shown, and whose it is."""

    text: str
    owners: tuple[int, ...]


class TriggerMatcher:
    """
    Says which of many phrases a prompt says; built once, asked often.

    Phrases are compared word by word: letter case and whatever stands between
    words do not matter, underscores do. No word is too common to count. A word
    that a phrase repeats need not be repeated to be present.

    Args:
        triggers: In any order; several may have the same phrase.

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
        Return the *limit* phrases that *prompt* says with most confidence.

        Ties go to the longer phrase, in characters, then to the first in the order of text.
        """
        said, matches = _words(prompt), dict[Words, TriggerMatch]()
        for confidence, found in ((WHOLE, self._equal), (INSIDE, self._inside), (SCATTERED, self._scattered)):
            if (room := limit - len(matches)) <= 0:
                break
            for words in nsmallest(room, found(said) - matches.keys(), key=self._places.__getitem__):
                phrase = self._phrases[words]
                matches[words] = TriggerMatch(phrase.text, confidence, phrase.owners)
        return list(matches.values())

    def _equal(self, said: Words) -> set[Words]:
        return {said} & self._phrases.keys()

    def _inside(self, said: Words) -> set[Words]:
        """Return the phrases that stand in *said*: only runs are looked up that begin and are as long as one does."""
        runs = (
            said[at : at + length] for at, start in enumerate(pairwise(said)) for length in self._lengths.get(start, ())
        )
        return self._phrases.keys() & chain(((word,) for word in said), runs)

    def _scattered(self, said: Words) -> set[Words]:
        """Return the phrases all of whose words are *said*: only those are looked at whose rarest word is."""
        present = frozenset(said)
        return {
            words
            for word in present & self._by_rarest_word.keys()
            for words in self._by_rarest_word[word]
            if present.issuperset(words)
        }


def _by_words(triggers: Iterable[Trigger]) -> Mapping[Words, _Phrase]:
    """Return each phrase once, whatever its spellings and however many own it, in the order of ties."""
    spellings = defaultdict[Words, list[Trigger]](list)
    for trigger in triggers:
        spellings[_words(trigger.phrase)].append(trigger)
    phrases = ((words, _one_phrase(same)) for words, same in spellings.items() if words)
    return dict(sorted(phrases, key=lambda each: (-len(each[1].text), each[1].text)))


def _one_phrase(same: Sequence[Trigger]) -> _Phrase:
    owners = {each.owner for each in same if each.owner is not None}
    return _Phrase(min(each.phrase for each in same), tuple(sorted(owners)))


def _words(text: str) -> Words:
    return tuple(_WORD.findall(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())))
