"""
Identifiers in any spelling, and runs of scripts without spaces: how they are asked for, and how they are indexed.

`getAccountById` is indexed beside its parts, and `get_account_by_id` beside the whole that its parts make, so that both meet, also
in a question that says "get account by id". A run without spaces is indexed as its signs, its pairs and itself.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.domain.model.keywords import MAX_TERMS, STOP_WORDS, search_terms, without_function_words, words_of
from hardwon.domain.model.scripts import pairs, runs, share_unspaced, signs, split_at_runs, without_marks
from hardwon.domain.model.spelling import searchable
from hardwon.domain.model.text import identifier_words, split_at_humps

LONGEST_WHOLE = 64
"""Characters of an identifier that is indexed as a whole, when it is written with signs between its parts."""

LONGEST_RUN = 16
"""Signs of a run without spaces that is indexed as a whole: a longer one is a sentence."""

UNSPACED = "\U000ffffd"
"""The word under which entries are indexed that are mostly of scripts without spaces; no question holds it."""

MOSTLY = 0.5

_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?<![^\W_])[^\W_]+(?:(?:_*(?:::|->|[.:-])_*|_+)[^\W_]+)+")
_NUMBERS = re.compile(r"[\d_.:>-]+")
_INDEXED_WORD = re.compile(r"(?:[^\W_]|[\U000f0000-\U000ffffd])+")


class Asked(NamedTuple):
    """
    The terms of a question.

    Attributes:
        terms: All of them, parts and wholes.
        wholes: Those that count only where an entry holds them: their parts are terms too.
        runs: The pairs of each run without spaces, in order.
    """

    terms: tuple[str, ...]
    wholes: frozenset[str] = frozenset()
    runs: tuple[Sequence[str], ...] = ()

    @property
    def uncertain(self) -> tuple[str, ...]:
        """The terms of which `known` wants to know whether an entry holds them."""
        return tuple(sorted(self.wholes.union(*self.runs).intersection(self.terms)))

    def known(self, found: Iterable[str]) -> tuple[str, ...]:
        """Return the terms without the wholes, and the pairs that bridge two words, that are not among those *found*."""
        there = frozenset(found)
        triples = (triple for run in self.runs for triple in zip(run, run[1:], run[2:], strict=False))
        bridges = {pair for before, pair, after in triples if before in there and after in there}
        unknown = (self.wholes | bridges) - there
        return tuple(term for term in self.terms if term not in unknown)


def asked_terms(question: str, *, in_any_spelling: bool = True) -> Asked:
    """Return the terms of *question*: its words, pairs and runs, and of identifiers *in any spelling* the parts and the whole."""
    text = without_function_words(searchable(question))
    wholes = {**(_parts_by_whole(_without_runs(text)) if in_any_spelling else {}), **_pairs_by_run(text)}
    extra = (word for whole, parts in wholes.items() for word in (whole, *parts) if word not in STOP_WORDS)
    terms = tuple(dict.fromkeys((*search_terms(question), *extra)))[:MAX_TERMS]
    asked = frozenset(whole for whole, parts in wholes.items() if not STOP_WORDS.issuperset(parts))
    return Asked(terms, asked, tuple(map(pairs, runs(text))))


def _parts_by_whole(text: str) -> dict[str, Sequence[str]]:
    """Return the identifiers of *text*, as they are indexed as a whole, with their parts."""
    humped = {word: split_at_humps(word) for word in _WORD.findall(text)}
    return {
        **{_whole(joined): words_of(joined) for joined in _joined(text)},
        **{word.lower(): [part.lower() for part in parts] for word, parts in humped.items() if len(parts) > 1},
    }


def _pairs_by_run(text: str) -> dict[str, Sequence[str]]:
    """Return the runs of *text* that are indexed as a whole, with their pairs."""
    return {run: pairs(run) for run in runs(text) if _is_whole(signs(run))}


def indexed(text: str) -> str:
    """
    Return *text* as it is indexed: where it needs none of this, as it is.

    Each run is replaced by itself, its signs and its pairs; parts and wholes of identifiers follow at the end, once.
    """
    between = _without_runs(text := searchable(text))
    written = (_indexed_run(part) if at % 2 else part for at, part in enumerate(split_at_runs(text)))
    return "\n".join(("".join(written), *identifier_words(between), *dict.fromkeys(map(_whole, _joined(between)))))


def indexed_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return *texts*, those of an entry, as they are indexed; the first also under `UNSPACED`, if they are mostly so."""
    first, *others = map(indexed, texts)
    return (f"{first} {UNSPACED}" if is_mostly_unspaced("\n".join(texts)) else first, *others)


def index_words(text: str) -> list[str]:
    """Return the words under which an entry with that *text* is found, with repeats, where no index splits it."""
    return _INDEXED_WORD.findall(" ".join(indexed_texts([text])).lower())


def is_mostly_unspaced(text: str) -> bool:
    """Return whether most word pieces of *text* are of scripts without spaces: an English model can't tell it from others."""
    return share_unspaced(text) > MOSTLY


def _indexed_run(run: str) -> str:
    letters = signs(run)
    words = (*([run] if _is_whole(letters) else ()), *letters, *(pairs(run) if len(letters) > 1 else ()))
    return f" {' '.join(map(without_marks, words))} "


def _is_whole(letters: Sequence[str]) -> bool:
    """Return whether a run is indexed as a whole, beside its pairs."""
    return len("ab") < len(letters) <= LONGEST_RUN


def _without_runs(text: str) -> str:
    return " ".join(split_at_runs(text)[::2])


def _joined(text: str) -> list[str]:
    """Return the identifiers of *text* that have signs between their parts, without numbers, dates and versions."""
    return [
        found
        for found in dict.fromkeys(_JOINED.findall(text))
        if not _NUMBERS.fullmatch(found) and len(found) <= LONGEST_WHOLE
    ]


def _whole(joined: str) -> str:
    return "".join(words_of(joined))
