from typing import NamedTuple, Protocol

from hardwon.domain.model.vocabulary import Category, Confidence


class Noted(Protocol):
    """What a note prints of an entry."""

    @property
    def name(self) -> str:
        """Short title, one line."""
        ...

    @property
    def description(self) -> str:
        """What it says."""
        ...

    @property
    def notes(self) -> str:
        """Further lines, may be empty."""
        ...


class Printable(Noted, Protocol):
    """What the block prints of an entry."""

    @property
    def category(self) -> Category | None:
        """The section it is printed in."""
        ...

    @property
    def observation_count(self) -> int:
        """In how many retrospectives it was seen."""
        ...

    @property
    def confidence(self) -> Confidence:
        """How sure its authors are."""
        ...


class PrintedEntry(NamedTuple):
    """
    An entry as the hook reads it, without what only the store needs.

    A tuple, as importing attrs alone costs a session start three times Python's own start.
    """

    seq: int
    name: str
    description: str
    notes: str
    category: Category | None
    observation_count: int
    confidence: Confidence
