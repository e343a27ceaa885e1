"""In which sentences an agent says that something is not so."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from hardwon.domain.model.keyword_query import words_of

REJECTING = frozenset(
    """
    cannot contrary despite disagree disregard disregarded disregarding ignore ignored ignores ignoring inapplicable
    incorrect instead irrelevant misleading mistaken neither never no nor not obsolete outdated overrule overruled
    reject rejected rejecting rejects unlike unrelated wrong wrongly
    """.split()
)
_CUT = "t"
"""What is left of "n't"."""

_SENTENCE_END = re.compile(r"(?:[.!?][\"'*_)\]`\u2019\u201d]*\s|\n)\s*(?!\s|[\"'*_(\[`\u2018\u201c]*[a-z])|\n\s*\n")
"""Lower case goes on with a sentence: after "e.g.", and on the next line."""


class Spoken(NamedTuple):
    """
    A text by words.

    Attributes:
        sentences: The number of the sentence of each of its words.
        rejecting: The places of the words that reject.

    """

    sentences: Sequence[int]
    rejecting: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Spoken":
        """Read *text*, the words of which are those that `words_of` returns."""
        sentences = [words_of(each) for each in _SENTENCE_END.sub(r"\g<0>\0", text).split("\0")]
        words = [word for sentence in sentences for word in sentence]
        return cls([number for number, each in enumerate(sentences) for _ in each], [*_rejecting(words)])

    def rejected(self, quoted: AbstractSet[int]) -> frozenset[int]:
        """Return the numbers of the sentences that reject something by a word that is not at one of the places *quoted*."""
        return frozenset(self.sentences[place] for place in self.rejecting if place not in quoted)


def _rejecting(words: Sequence[str]) -> Iterator[int]:
    for place, word in enumerate(words):
        if word in REJECTING or (word == _CUT and place and words[place - 1].endswith("n")):
            yield place
