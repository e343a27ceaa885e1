from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics
from hardwon.domain.model.vocabulary import Category, Kind


class Matches(Protocol):
    """
    All matches of one query in one index; the search ran once, reading is cheap.

    Scores are as the index defines them, higher is better.
    """

    def count(self) -> int:
        """Return how many entries were found, uncut."""
        ...

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """
        Return the *k* best, best first, fewer when fewer were found.

        Ties go to the newest `updated_at`, then to the smallest id.

        Args:
            k: At least 1.
            category: Only learnings of this category; None for all that was found.

        """
        ...

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that were found; the same values `top` gives."""
        ...

    def statistics(self) -> ScoreStatistics:
        """Return the statistics of all scores, whatever order the entries were stored in."""
        ...


class VectorIndex(Protocol):
    """Compares a query with the stored vectors of one space, exactly."""

    def ensure_usable(self) -> None:
        """
        Check, without loading anything, that comparing is possible here.

        Raises:
            NumpyMissingError: the library it needs is not installed.
        """
        ...

    def compare(self, query: Vector, only: EntryFilter) -> Matches:
        """
        Return every entry of *only* that has a vector, scored by cosine similarity, `[-1, 1]`.

        Scores are computed row by row in float64 and rounded to 1e-6.

        Args:
            query: L2-normalised, of the space's width.
            only: Which entries are searched.

        Raises:
            VectorIndexUnavailableError: its library can't be loaded.
            StorageError: the vectors can't be read.
        """
        ...


class VectorBlock(NamedTuple):
    """
    Vectors side by side.

    Attributes:
        seqs: The store's number of each row's entry.
        categories: The category of each row's entry, None for what is no learning.
        values: `len(seqs) * dimensions` float32 values, row by row.

    """

    seqs: Sequence[int]
    categories: Sequence[str | None]
    values: Vector


class VectorSource(Protocol):
    """The stored vectors of one space, as an index loads and keeps them."""

    @property
    def dimensions(self) -> int:
        """Width of every vector."""
        ...

    def version(self) -> int:
        """Return a number that is another one whenever `load` may return something else."""
        ...

    def load(self, only: EntryFilter) -> VectorBlock:
        """
        Return the vectors of the entries of *only*, in no particular order.

        A stored value of another width is skipped with a warning.
        """
        ...

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        """Return *seqs* ordered by the newest `updated_at`, then by id."""
        ...


class PendingText(NamedTuple):
    """
    The text of an entry that has no vector yet.

    Attributes:
        seq: The store's number of the entry.
        text: The text to embed.
        text_hash: Identifies this text; see `VectorStore.put`.

    """

    seq: int
    text: str
    text_hash: str


class VectorStore(VectorSource, Protocol):
    """The stored vectors of one space, and the entries that still lack one."""

    @property
    def space(self) -> Space:
        """The space of these vectors."""
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
