"""Vector search: stored vectors, their index, and matches."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics
from hardwon.domain.model.vocabulary import Category, Kind


class Matches(Protocol):
    """
    All matches of one query in one index.

    The search ran once, reading is cheap. The index defines the scores; higher is better.
    """

    def count(self) -> int:
        """
        Return the number of all matches.

        An index may estimate it where there are more than 20,000.
        """
        ...

    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        """
        Return the *k* best matches, best first.

        Ties go to the newest `updated_at`, then to the smallest id.

        Args:
            k: At least 1.
            category: Only learnings of this category; None for all matches.
        """
        ...

    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of the matches among *numbers*, as `top` gives them."""
        ...

    def statistics(self) -> ScoreStatistics:
        """
        Return the statistics of all scores, independent of the storage order.

        An index may round the scores for it: each may be off by 0.02, but not the best.
        """
        ...


class VectorIndex(Protocol):
    """Exact nearest-neighbour search over the stored vectors of one space."""

    def ensure_usable(self) -> None:
        """
        Check, without loading anything, that vectors can be compared in this process.

        Raises:
            NumpyMissingError: numpy is not installed.
            VectorIndexUnavailableError: the process may not use the memory that it takes.
        """
        ...

    def cpu_seconds(self) -> float:
        """Return about how long this process will compute to compare a query."""
        ...

    def compare(self, query: Vector, only: EntryFilter, likely: Sequence[int] = ()) -> Matches:
        """
        Return every embedded entry of *only*, scored by cosine, `[-1, 1]`.

        Scores are computed row by row in float64 and rounded to 1e-6.

        Args:
            query: L2-normalised, of the space's width.
            only: The entries searched.
            likely: Numbers whose scores are asked for next, with as many of the best: a server
                answers both at once.

        Raises:
            VectorIndexUnavailableError: its library can't be loaded.
            StorageError: the vectors can't be read.
        """
        ...


class VectorBlock(NamedTuple):
    """
    Vectors in one contiguous block.

    Attributes:
        numbers: The entry number of each row.
        values: `len(numbers) * dimensions` float32 values, row by row.

    """

    numbers: Sequence[int]
    values: Vector


class VectorSource(Protocol):
    """The stored vectors of one space, loaded by an index."""

    @property
    def dimensions(self) -> int:
        """Width of every vector."""
        ...

    def version(self) -> int:
        """Return a number that differs whenever `members` or `load` may differ."""
        ...

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        """
        Return the numbers of the entries of *only*, joined by commas, by category.

        Some may have no vector. They are one text, as an index parses that ten times as fast as it
        reads rows.
        """
        ...

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        """
        Return the vectors of *numbers* that have one, in no order.

        Vectors of another width are skipped with a warning.
        """
        ...

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        """Return *numbers* ordered by the newest `updated_at`, then by id."""
        ...


MAX_BLOCK_VECTORS = 1024
"""A block has no more vectors."""


class BlockState(NamedTuple):
    """
    A block of vectors as it is stored now.

    Attributes:
        stamp: Differs whenever a vector of the block may differ, also from stamps of other stores;
            None if the store does not know it.
        is_packed: Whether the block can be read packed.
    """

    stamp: int | None
    is_packed: bool


class BlockSource(VectorSource, Protocol):
    """
    The stored vectors of one space in blocks.

    So an index reads only those that changed, and packed ones where it can.
    """

    def blocks(self) -> Mapping[int, BlockState]:
        """
        Return the blocks with vectors, by number.

        A higher one holds higher numbers of entries.
        """
        ...

    def load_block(self, number: int) -> VectorBlock:
        """
        Return the vectors of a block, by entry number.

        See `load`.
        """
        ...

    def admits_all(self, only: EntryFilter) -> bool:
        """Return whether *only* admits every entry with a vector. False is no promise."""
        ...

    def packed(self, number: int, most: int | None = None) -> bytes | None:
        """
        Return a packed block under its stamp, None without one.

        Args:
            number: The block.
            most: At most so many bytes from its beginning; None for all.
        """
        ...

    def unpack(self, number: int) -> None:
        """
        Drop the damaged packed form of a block.

        The next write packs it again.
        """
        ...


class PendingText(NamedTuple):
    """
    The text of an entry that is to be embedded.

    Attributes:
        number: The store's number of the entry.
        text: The text to embed.
        text_hash: Identifies this text; see `VectorStore.put`.
    """

    number: int
    text: str
    text_hash: str


class VectorStore(VectorSource, Protocol):
    """The vectors of one space, and entries without one."""

    @property
    def space(self) -> Space:
        """The space of these vectors."""
        ...

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entries with vectors in this space."""
        ...

    def has_any(self, only: EntryFilter) -> bool:
        """Return whether an entry of *only* has a vector."""
        ...

    def count(self, only: EntryFilter) -> int:
        """Return the number of entries of *only* with a vector."""
        ...

    def count_pending(self, only: EntryFilter) -> int:
        """Return the number of entries of *only* without a vector, among `kinds`."""
        ...

    def vectors_of(self, entry_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Return the vectors of those entries that have one, by id."""
        ...

    def pending(self, limit: int) -> list[PendingText]:
        """
        Return at most *limit* entries of `kinds` without a vector.

        The newest `updated_at` is first, then by id.
        """
        ...

    def texts(
        self, limit: int, after: int = 0, only: EntryFilter = EVERYTHING
    ) -> list[PendingText]:
        """
        Return at most *limit* texts of *only* above number *after*, by number.

        They are those of `kinds`, with a vector or without.
        """
        ...

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        """
        Store unit vectors, atomically.

        A vector whose text has changed meanwhile is dropped.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
