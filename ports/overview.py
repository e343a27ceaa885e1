"""Narrow reads over the whole store, for lists and pictures of it."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import Category, Kind


class Label(NamedTuple):
    """
    How an entry is listed.

    Attributes:
        seq: The store's number of the entry.
        project: The id of its project; None for none.
    """

    seq: int
    entry_id: str
    name: str
    kind: Kind
    category: Category | None
    project: str | None


class Created(NamedTuple):
    """
    The number of entries of one kind and project that were made in a week.

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
    """Reads that are fast also for 100,000 entries; rows that can't be decoded are left out."""

    def labels(self, only: EntryFilter) -> Sequence[Label]:
        """Return the labels of the entries of *only*, by number."""
        ...

    def created(self, only: EntryFilter) -> Sequence[Created]:
        """Return the numbers of the entries of *only* by the week in which they were made, then by kind and project."""
        ...

    def shown(self) -> Mapping[dt.date, int]:
        """Return how many entries were injected in each week, by its Monday, in the injections that have a receipt; not those that the model missed."""
        ...

    def used(self) -> Mapping[dt.date, int]:
        """Return how many entries were used in sessions of each week, by its Monday, in ascending order."""
        ...

    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        """Return `shown` for each of *entry_ids* that was injected."""
        ...
