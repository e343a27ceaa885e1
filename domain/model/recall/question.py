from typing import NamedTuple

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.recall.collection import PolicyName
from hardwon.domain.model.recall.workplace import Workplace


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
