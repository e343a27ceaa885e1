"""Narrow reads over the whole store, for lists and pictures of it."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import Category, Kind


class EntryLabel(NamedTuple):
    """
    An entry in a list.

    Attributes:
        number: The store's number of the entry.
        project: The id of its project; None for none.
    """

    number: int
    entry_id: str
    name: str
    kind: Kind
    category: Category | None
    project: str | None


class CreatedCount(NamedTuple):
    """
    The entries of one kind and project in a week.

    Attributes:
        week: Its Monday, in UTC.
        project: The id of their project; None for none.
        entries: At least 1.
    """

    week: dt.date
    kind: Kind
    project: str | None
    entries: int


class Overview(Protocol):
    """
    Reads that are fast also for 100,000 entries.

    Rows that can't be decoded are left out.
    """

    def labels(self, only: EntryFilter) -> Sequence[EntryLabel]:
        """Return the labels of the entries of *only*, by number."""
        ...

    def created(self, only: EntryFilter) -> Sequence[CreatedCount]:
        """Return the numbers of *only* by week, kind and project."""
        ...

    def shown(self) -> Mapping[dt.date, int]:
        """
        Return the number of injected entries in each week, by its Monday.

        Only injections with a receipt count, without those that the model missed.
        """
        ...

    def used(self) -> Mapping[dt.date, int]:
        """
        Return the number of used entries of each week, by Monday.

        The weeks are in ascending order.
        """
        ...

    def helped(self) -> Mapping[dt.date, int]:
        """
        Return the number of `shown` entries that helped, by the Monday of the injection.

        Whether an entry helped is what `Outcome.has_helped` says. Deleted entries do not count.
        """
        ...

    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        """Return `shown` for each of *entry_ids* that was injected."""
        ...

    def entries_by_file(self) -> Iterator[tuple[str, str, int]]:
        """Yield project, path and number of entries of every file."""
        ...


class Clusters(NamedTuple):
    """
    Entries that say similar things.

    Attributes:
        topics: The numbers of the entries of each topic, closest to its centre first, the largest
            topic first. Each entry with a vector is in one.
        duplicates: The numbers of entries that are near duplicates of each other, ascending, the
            largest group first; None where there are too many entries to compare.
    """

    topics: Sequence[Sequence[int]] = ()
    duplicates: Sequence[Sequence[int]] | None = ()


class Clustering(Protocol):
    """Groups of near vectors of one space."""

    def clusters(self, only: EntryFilter) -> Clusters:
        """
        Return the clusters of the entries of *only* that have a vector.

        Equal vectors give equal clusters.

        Raises:
            VectorIndexUnavailableError: vectors can't be compared in this process.
            StorageError: the vectors can't be read.
        """
        ...
