"""
Features of the likelihood that an entry helps with a prompt or an edit.

Their models are in `likelihood.py`. Information is in nats; `ln N` singles out one entry of N. With
`L = ln max(N, 20)`, beside a prompt and after an edit:

- `closeness` is the similarity of meaning, on a scale for all models; 0 without semantic search.
- `lead` is the distance of its score (by `adaptive`) from the best entry that is not shown, over
  `L`: where many entries are about the same, none wins.
- `excess` is `ln(max(length, 60) / 60)`, of its words: a long text matches by chance.
- `breadth` is `ln N`: in a larger store more entries match by chance.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.keywords import MAX_TERMS, terms_of
from hardwon.domain.model.prompt_intent import Intent
from hardwon.domain.model.prompt_terms import (
    Identifier,
    Sentence,
    count_quoted,
    held_by_one,
    identifiers,
    informative_words,
    max_information,
    quotes,
    shared,
    stem,
    weighed,
)
from hardwon.domain.model.ranking.adaptive import word_score

MIN_SEARCHED = 20
"""
Entries.

The frequencies of a smaller store do not show how rare a word is.
"""

MAX_COUNTED = 300
"""Entries. The weight of `salience` was fitted on stores up to this size."""

FREE_LENGTH = 60.0
"""Words. A longer entry is penalised."""

MAX_INFORMATION = 2.0
"""
Upper bound of the information of a sentence, as a multiple of `L`.

A long sentence matches words by chance.
"""

MAX_NAMED = 3


class EntryWords(NamedTuple):
    """
    The texts of an entry that are compared.

    Attributes:
        text: All of them, with the words of its references.
        names: All of them, with its references as they are written.
    """

    name: str
    text: str
    names: str

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return frozenset(map(stem, terms_of(self.text)))


def information_unit(size: int) -> float:
    """Return `L` for *size* entries."""
    return math.log(max(size, MIN_SEARCHED))


def lead(score: float, rival: float, size: int) -> float:
    """Return how far *score* is above that of a *rival*, at least 0."""
    return max(score - max(rival, 0.0), 0.0) / information_unit(size)


def salience(bm25: float, deviation: float, size: int) -> float:
    """
    Return the score for words over `L`.

    Above `MAX_COUNTED` entries, the deviation is that of as many: alone it falls as the store grows.
    """
    counted = min(size, MAX_COUNTED)
    return word_score(bm25, deviation * math.sqrt(size / max(counted, 1))) / information_unit(
        counted
    )


def excess(length: float) -> float:
    """Return the logarithm of a *length* in words over that of a short entry."""
    return math.log(max(length, FREE_LENGTH) / FREE_LENGTH)


def breadth(size: int) -> float:
    """Return the logarithm of the number of entries searched."""
    return math.log(max(size, 2))


def matched_words(sentences: Sequence[Sentence], text: str, size: int) -> float:
    """
    Return the root of coverage times information / `L` of the best sentence.

    Coverage is the share of the sentence's information that its words in *text* have: an entry that
    has one rare word of many was found by chance.
    """
    overlap = shared(sentences, text)
    return _strength(overlap.coverage, overlap.information, size)


def _strength(coverage: float, information: float, size: int) -> float:
    return math.sqrt(coverage * min(information / information_unit(size), MAX_INFORMATION))


class PromptTerms(NamedTuple):
    """
    The words of a prompt, and its intent.

    Attributes:
        sentences: The information of the words of each sentence.
        identifiers: Those of the prompt, or those of them that only one entry holds.
        intent: None of a task that an agent was given.
    """

    sentences: tuple[Sentence, ...]
    identifiers: tuple[Identifier, ...]
    size: int
    intent: Intent = Intent()

    def among(self, entries: Sequence[EntryWords]) -> "PromptTerms":
        """Return these with the identifiers that only one of *entries* holds."""
        only = held_by_one(self.identifiers, [entry.names for entry in entries])
        return self._replace(identifiers=only)

    def features(self, entry: EntryWords) -> Mapping[str, float]:
        """
        Return what prompt and *entry* have in common, and the intent.

        `quoted` is 1 for an entry that alone holds an identifier of the prompt, else 0.
        """
        return {
            "words": matched_words(self.sentences, entry.text, self.size),
            "quoted": float(quotes(entry.names, self.identifiers)),
            **self.intent._asdict(),
        }

    @property
    def upper_bounds(self) -> Mapping[str, float]:
        """The features of the best entry that there can be."""
        return {
            "words": _strength(1.0, max_information(self.sentences), self.size),
            "quoted": float(bool(self.identifiers)),
            **self.intent._asdict(),
        }


class EditTerms:
    """
    The words of an edit: path, old and new text.

    Args:
        text: All of them.
        frequencies: The number of entries that contain each of `terms_to_count`.
        size: The number of entries.

    """

    MAX_INFORMATION = 6.0
    """Upper bound of `information`: a long edit matches words by chance."""

    def __init__(self, text: str, frequencies: Mapping[str, int], size: int) -> None:
        self._words = weighed(frequencies, frequencies, size)
        self._text = text
        self._unit = information_unit(size)

    def features(self, entry: EntryWords) -> Mapping[str, float]:
        """
        Return what edit and *entry* have in common.

        - `information` is that of the edit's words in the entry, over `L`, at most 6.
        - `name` is that of the edit's words in its name.
        - `named` is how many identifiers of the entry the edit has, at most 3. In code they are
          glued to others, as in `self.file.sync_all()?`; in an entry they are words of their own.
        """
        named = count_quoted(self._text, identifiers(entry.names)[:MAX_TERMS])
        information = self._information(entry.stems)
        return {
            "information": min(information, self.MAX_INFORMATION),
            "name": min(self._information(map(stem, terms_of(entry.name))), MAX_NAMED),
            "named": float(min(named, MAX_NAMED)),
        }

    def _information(self, stems: Iterable[str]) -> float:
        return math.fsum(self._words.get(word, 0.0) for word in {*stems}) / self._unit


def terms_to_count(terms: Iterable[str], entries: Iterable[EntryWords]) -> tuple[str, ...]:
    """Return the informative ones of *terms* that one of *entries* has, by their stems."""
    held = frozenset[str]().union(*(entry.stems for entry in entries))
    distinct = informative_words(dict.fromkeys(terms))
    return tuple(term for term in distinct if stem(term) in held)
