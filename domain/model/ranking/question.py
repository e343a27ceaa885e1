from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.filters import EntryFilter, PolicyName
from hardwon.domain.model.ranking.policy import Parts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class Question(NamedTuple):
    """
    What is asked, of what, and what counts as an answer.

    Attributes:
        text: The user's words.
        only: Which entries may answer.
        policy: How answers are ranked.
        limit: How many answers; 0 and less ask for none.
        minimum: The lowest relevance of an answer, which is its score where the policy is not calibrated; None takes any.
        workplace: Where it is asked.
        decays: Whether age tells on entries where the policy goes by it.
        distinct: Whether of several entries that say the same only the best answers, a file and a section of it included.
        keyword_text: The text to search by keyword, None for *text*.

    """

    text: str
    only: EntryFilter
    policy: PolicyName
    limit: int
    minimum: float | None
    workplace: Workplace
    decays: bool = True
    distinct: bool = True
    keyword_text: str | None = None

    @property
    def by_passage(self) -> bool:
        """Whether words are weighed by passage, or by whole entry."""
        return self.policy == "adaptive"


class Answer(NamedTuple):
    """
    An entry that answers.

    Attributes:
        entry: What is remembered.
        score: How well it answers, as the policy measures it.
        parts: What the score is made of.
        vector: Its cosine similarity; None when it has no vector, or none was searched.
        keyword: Its keyword score (BM25, higher is better); None when no word matches.
        relevance: How likely it answers, `[0, 1]`; None where the policy is not calibrated.

    """

    entry: "Entry"
    score: float
    parts: Parts
    vector: float | None = None
    keyword: float | None = None
    relevance: float | None = None

    @property
    def shown(self) -> float:
        """The number that people and scripts are shown: its relevance, or else its score."""
        return self.score if self.relevance is None else self.relevance

    @property
    def by_keyword_only(self) -> bool:
        """Whether words alone found it."""
        return self.vector is None and self.keyword is not None
