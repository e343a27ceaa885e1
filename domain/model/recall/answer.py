from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.recall.policy import Parts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


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
