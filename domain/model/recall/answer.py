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
        relevance: What people are shown: how likely it answers, `[0, 1]`, where the policy is calibrated, else the score.
        parts: What the score is made of.

    """

    entry: "Entry"
    score: float
    relevance: float
    parts: Parts
