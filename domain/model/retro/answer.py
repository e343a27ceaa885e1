"""The retro-facilitator's answer: its lessons, and everything that is wrong with it."""

from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category


class RetroItem(NamedTuple):
    """
    One lesson as the agent wrote it.

    Attributes:
        place: Where it stands in the answer, for messages: `act.patterns[0]`.
        category: Which list it stands in.
        text: The lesson with its conclusion.
        name: Its heading; empty for one made of the text.
        provenance: Where it was observed; may be empty.
        confidence: `high`, `medium` or `low`.
        keywords: As written; none when the agent gave none.
        reasoning: Why it matters and how it was found; may be empty.
        universal: Whether it holds in every project.

    """

    place: str
    category: Category
    text: str
    name: str = ""
    provenance: str = ""
    confidence: str = "medium"
    keywords: tuple[str, ...] = ()
    reasoning: str = ""
    universal: bool = False

    @property
    def said(self) -> str:
        """All that it says of the lesson, for finding the files it mentions."""
        return f"{self.text}\n{self.name}\n{self.provenance}\n{self.reasoning}"


class Answer(NamedTuple):
    """
    What was read from an answer.

    Attributes:
        items: In its order; without what the troubles are about.
        troubles: What is wrong with it, one line each: nothing of an answer that has one is to be kept.
        unknown: Names of fields that no item has, as JSON; they are left out.

    """

    items: tuple[RetroItem, ...]
    troubles: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
