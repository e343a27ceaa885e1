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

    """

    entry: "Entry"
    score: float
    parts: Parts
