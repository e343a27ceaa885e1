"""A question to recall, and its answers."""

from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.filters import EntryFilter, PolicyName
from hardwon.domain.model.ranking.policy import Parts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class Question(NamedTuple):
    """
    A question, the entries it is asked of, and the thresholds of its answers.

    Attributes:
        text: The user's words.
        only: The entries that may answer.
        policy: The ranking policy.
        limit: How many answers; 0 and less return none.
        minimum: The least relevance of an answer, or score where the policy is not calibrated; None for no threshold.
        workplace: Where it is asked.
        decays: Whether the policy may apply decay.
        distinct: Whether of entries with the same text only the best answers, also of a file and a section of it.
        keyword_text: The text to search by keyword, None for *text*.
        in_any_spelling: Whether its identifiers are also asked for by their parts.
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
    in_any_spelling: bool = True

    @property
    def by_passage(self) -> bool:
        """Whether keyword search scores passages, not whole entries."""
        return self.policy == "adaptive"


class Answer(NamedTuple):
    """
    An entry that answers a question.

    Attributes:
        score: Its score by the policy.
        parts: The parts of the score.
        vector: Its cosine similarity; None without a vector or semantic search.
        keyword: Its keyword score (BM25, higher is better); None when no word matches.
        relevance: The probability that it answers, `[0, 1]`; None if the policy is not calibrated.
    """

    entry: "Entry"
    score: float
    parts: Parts
    vector: float | None = None
    keyword: float | None = None
    relevance: float | None = None

    @property
    def shown(self) -> float:
        """The number that is displayed: its relevance, or else its score."""
        return self.score if self.relevance is None else self.relevance

    @property
    def by_keyword_only(self) -> bool:
        """Whether only keyword search found it."""
        return self.vector is None and self.keyword is not None
