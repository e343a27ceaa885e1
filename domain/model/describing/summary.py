"""A chunk in two or three of its own sentences (requirement C-T3.7)."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from hardwon.domain.model.chunking.salience import salient_words, stem
from hardwon.domain.model.chunking.sentence_ends import ENDS
from hardwon.domain.model.recall.excerpt import shortened

FEWEST_SENTENCES, MOST_SENTENCES = 2, 3
MOST_DECISIONS = 2
LONGEST_SENTENCE = 132
"""Characters; three of them stay near 400."""

NEAR = (1, 2)
"""Sentences after one of which is on its subject, mostly: it is answered there."""

CONSIDERED = 2_000
"""Sentences; the beginning of a long talk tells enough."""

_EXAMPLES = re.compile(r"\b([ei]\.[ge]\.)(?=\s)", re.IGNORECASE)
_INNER_END = re.compile(r"(?<![.!?])[.!?]++(?=\s)")
_OPEN_END = " ,;:-\u2013\u2014\u2026*_/\\|"
_QUOTES = "\"'\u201c\u201d"
_OTHER_ENDS = str.maketrans("\u3002\uff01\uff1f", ENDS)


def summarised(request: str, decisions: Sequence[str], spoken: Sequence[str]) -> str:
    """
    Return two or three sentences of what was said, on one line; fewer where there are no more.

    Args:
        request: What the user asked for; empty when they said nothing.
        decisions: Sentences that decide.
        spoken: All sentences in order, with those.

    """
    known = list(dict.fromkeys(islice((line for each in spoken if (line := as_sentence(each))), CONSIDERED)))
    first = [line for line in (as_sentence(request),) if line in known]
    decided = [line for line in map(as_sentence, decisions) if line in known and line not in first]
    chosen = [*first, *decided[:MOST_DECISIONS]]
    chosen += _Telling(known).beside(chosen, min(MOST_SENTENCES - len(chosen), 1 if decisions else MOST_SENTENCES))
    return " ".join(sorted(chosen, key=known.index))


def as_sentence(text: str) -> str:
    """Return *text* as one sentence of at most 132 characters: it ends with `.`, `!` or `?`, and none ends within it."""
    line = " ".join(text.translate(_OTHER_ENDS).split()).strip(_QUOTES)
    whole = _INNER_END.sub("", _EXAMPLES.sub(r"\1,", line))
    short = shortened(whole, LONGEST_SENTENCE).rstrip(_OPEN_END)
    if not short.strip(ENDS):
        return ""
    return short if short.endswith(tuple(ENDS)) else f"{short}."


class _Telling:
    """Ranks sentences: those first that carry most of what is said again and again."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._stems = {line: frozenset(map(stem, salient_words(line))) for line in lines}
        self._frequencies = Counter(each for stems in self._stems.values() for each in stems)
        self._places = {line: place for place, line in enumerate(lines)}

    def beside(self, chosen: Sequence[str], most: int) -> list[str]:
        """Return at most *most* sentences on the subject of *chosen*; without any, what it takes to make two."""
        subject = frozenset[str]().union(*(self._stems[line] for line in chosen))
        near = {self._places[line] + step for line in chosen for step in NEAR}
        others = sorted(self._stems.keys() - set(chosen), key=self._rank)
        same = [
            line for line in others if self._stems[line] & subject or (self._stems[line] and self._places[line] in near)
        ]
        return same[:most] if same else others[: max(FEWEST_SENTENCES - len(chosen), 0)]

    def _rank(self, line: str) -> tuple[float, int]:
        weight = sum(math.log1p(self._frequencies[each]) for each in self._stems[line])
        return -weight, self._places[line]
