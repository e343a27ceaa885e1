"""Pairs of learnings of which the newer one probably takes the place of the older one, for the user to review."""

from typing import NamedTuple, Protocol


class Proposal(NamedTuple):
    """
    A pair to review.

    Attributes:
        older: The id of the earlier learning.
        newer: The id of the later one.
        probability: That the later one takes the place of the earlier one.
    """

    older: str
    newer: str
    probability: float


class Proposals(Protocol):
    """The pairs that were found."""

    def propose(self, proposal: Proposal) -> None:
        """
        Add *proposal*; a pair that is known, or of which an entry is gone, stays as it is.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def open(self, limit: int) -> list[Proposal]:
        """Return at most *limit* pairs that were not decided, the most probable first, then by id."""
        ...

    def reject(self, older: str, newer: str) -> bool:
        """
        Keep both entries of a pair from now on; return whether the pair was open.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
