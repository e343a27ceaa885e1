import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.importance.decay import Decay
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.recall.workplace import Workplace

CLOSE = 0.25
"""The least closeness of an entry that is found by meaning; to most other questions no entry is so close (`docs/quality.md`)."""


class Evidence(NamedTuple):
    """
    What a policy knows besides the candidate it scores.

    Attributes:
        size: How many entries were searched.
        vectors: How the cosines of all of them are spread; nothing found means that meaning was not searched.
        closest: The highest closeness to the question of an entry; 0 when meaning was not searched.
        background: The mean closeness to the question of everything searched, as `Spread.background` gives it.
        standardised: Whether several models were asked, so that these are distances from a mean, not cosines.
        keywords: How their keyword scores are spread.
        window: About how many words of a text its vector knows.
        most_observed: The largest observation count of a learning, at least 1.
        workplace: Where the question is asked.
        now: When it is asked.
        limit: How many answers are wanted.
        terms: The question's words.
        decay: How age tells on an entry.

    """

    size: int
    vectors: Spread
    closest: float
    background: float
    standardised: bool
    keywords: Spread
    window: int
    most_observed: int
    workplace: Workplace
    now: dt.datetime
    limit: int
    terms: tuple[str, ...]
    decay: Decay

    @property
    def is_empty(self) -> bool:
        """Whether no entry holds a word of the question, and none comes close to it."""
        return not self.keywords.found and self.closest < CLOSE
