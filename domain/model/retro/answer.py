"""The answer of the retro-facilitator: its lessons, and its problems."""

from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category


class RetroItem(NamedTuple):
    """
    A lesson as the agent wrote it.

    Attributes:
        place: Its position in the answer, for messages: `act.patterns[0]`.
        category: By the list it is in.
        text: The lesson with its conclusion.
        name: Its heading; empty to make one of the text.
        provenance: Where it was observed; may be empty.
        confidence: `high`, `medium` or `low`.
        keywords: As written.
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
    def all_text(self) -> str:
        """All its texts, in which mentioned files are looked for."""
        return f"{self.text}\n{self.name}\n{self.provenance}\n{self.reasoning}"


class Answer(NamedTuple):
    """
    A parsed answer.

    Attributes:
        items: In its order, without those that have problems.
        problems: One line each; an answer with a problem is not stored.
        unknown: Names of unknown fields, as JSON; they are ignored.
    """

    items: tuple[RetroItem, ...]
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
