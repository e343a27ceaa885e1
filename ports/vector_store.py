from collections.abc import Iterable
from typing import NamedTuple, Protocol

from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector


class PendingText(NamedTuple):
    """
    The text of an entry that has no vector yet.

    Attributes:
        seq: The store's number of the entry.
        text: What is to be embedded.
        text_hash: Identifies this text; see `VectorStore.put`.

    """

    seq: int
    text: str
    text_hash: str


class VectorStore(Protocol):
    """The stored vectors of one space, and the entries that still lack one."""

    @property
    def space(self) -> Space:
        """The space all of this is about."""
        ...

    def count(self) -> int:
        """Return how many learnings have a vector."""
        ...

    def count_pending(self) -> int:
        """Return how many learnings have none."""
        ...

    def pending(self, limit: int) -> list[PendingText]:
        """Return at most *limit* entries without a vector, the newest `updated_at` first, then by id."""
        ...

    def clear(self) -> None:
        """Drop every vector of the space, so that all entries are pending."""
        ...

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        """
        Store unit vectors, all or none; one whose text has changed meanwhile is dropped.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
