"""What an agent wrote, prepared for being looked through."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self, TypeAlias

from hardwon.domain.model.receipts.agent_words import LONGEST_TEXT, REPEATED, agent_words, spoken_text
from hardwon.domain.model.receipts.rejections import Spoken

RUN = 7

Run: TypeAlias = tuple[str, ...]
"""So many words in a row."""


class Heard(NamedTuple):
    """
    The words of an agent.

    Attributes:
        text: As it wrote them.
        words: In order, without those that it only repeats.
        known: Each once.
        line: All of them on one line.
        given: What was said without it, likewise.

    """

    text: str
    words: Sequence[str]
    known: set[str]
    line: str
    given: str

    @classmethod
    def of(cls, text: str, given: Sequence[str]) -> Self:
        """Read *text*, of which the words *given* were said without the agent."""
        words = agent_words(text, given)
        return cls(text[:LONGEST_TEXT], words, {*words}, line_of(words), line_of(given))

    def without_rejections(self, phrases: Sequence[Sequence[str]], runs: AbstractSet[Run]) -> Self:
        """Return this without the sentences that reject something by a word that stands in none of *phrases* and *runs*."""
        spoken = Spoken.of(spoken_text(self.text))
        rejected = spoken.rejected({*self._places_of(phrases), *self._places_in(runs)})
        told = zip(self.words, spoken.sentences, strict=True)
        words = [REPEATED if sentence in rejected else word for word, sentence in told]
        return self._replace(words=words, known={*words}, line=line_of(words))

    def _places_of(self, phrases: Sequence[Sequence[str]]) -> Iterator[int]:
        for phrase in phrases:
            line, begin = line_of(phrase), -1
            while (begin := self.line.find(line, begin + 1)) >= 0:
                place = self.line.count(" ", 0, begin)
                yield from range(place, place + len(phrase))

    def _places_in(self, runs: AbstractSet[Run]) -> Iterator[int]:
        for place, run in enumerate(runs_in(self.words)):
            if run in runs:
                yield from range(place, place + RUN)


def line_of(words: Sequence[str]) -> str:
    """Return *words* with a space around each, so that a phrase of whole words is found in it."""
    return f" {' '.join(words)} "


def runs_in(words: Sequence[str]) -> Iterator[Run]:
    """Yield the words, seven in a row."""
    return zip(*(words[place:] for place in range(RUN)), strict=False)
