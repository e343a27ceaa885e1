from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.ports.matches import Matches

Mode = Literal["any", "all"]


class KeywordIndex(Protocol):
    """Finds entries by the words of their name, description, notes, keywords and reasoning."""

    def size(self) -> int:
        """
        Return how many entries are indexed.

        Raises:
            KeywordIndexUnavailableError: there is no usable index.
        """
        ...

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        """
        Return for each term in how many entries it occurs, 0 for none.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def match(self, terms: Sequence[str], mode: Mode, deadline: Deadline) -> Matches:
        """
        Return the entries that hold any, or all, of *terms*, scored by BM25.

        A term is text, never query syntax. The best match has the highest
        score. No terms find nothing.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...
