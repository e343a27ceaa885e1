from collections.abc import Iterable
from typing import NamedTuple, Protocol

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.domain.model.vocabulary import Kind


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

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entries that get their vector in this space."""
        ...

    def has_any(self, only: EntryFilter) -> bool:
        """Tell whether an entry of *only* has a vector."""
        ...

    def count(self, only: EntryFilter) -> int:
        """Return how many entries of *only* have a vector."""
        ...

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many entries of *only*, among `kinds`, have none."""
        ...

    def vector_of(self, entry_id: str) -> Vector | None:
        """Return the vector of the entry of that id, None when it has none."""
        ...

    def pending(self, limit: int) -> list[PendingText]:
        """Return at most *limit* entries of `kinds` without a vector, the newest `updated_at` first, then by id."""
        ...

    def clear(self, only: EntryFilter) -> None:
        """Drop the vectors of all entries of *only*, among `kinds`, so that they are pending."""
        ...

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        """
        Store unit vectors, all or none; one whose text has changed meanwhile is dropped.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
