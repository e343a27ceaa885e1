"""All contents of a store, for an export and for an import."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.domain.model.export import ExportedEntry, Record


class StoreContents(Protocol):
    """
    Reads a store record by record, and adds records.

    Existing records are unchanged.
    """

    def snapshot(self) -> AbstractContextManager[None]:
        """Return a context in which all reads see one consistent state."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Return the number of records, by name in `RECORD_NAMES`."""
        ...

    def records(self) -> Iterator[Record]:
        """
        Yield all records in the order of `RECORD_NAMES`, entries by number.

        Every path is absolute.
        """
        ...

    def is_unused(self) -> bool:
        """
        Return whether the store never held an entry.

        Then every number is free.
        """
        ...

    def reserve(self, number: int) -> None:
        """
        Give the next new entry that number or the next free one.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def add_activity(self, exported: ExportedEntry) -> None:
        """
        Add an entry's recorded activity to the stored entry of its id.

        Idempotent: a counter becomes the larger of both, a time the later of both. Places, aliases,
        changes and uses are added unless they are there; an id that an entry has is no alias.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def add(self, record: Record) -> None:
        """
        Add a record that is neither an entry nor a project.

        Idempotent: it is not added if there is one of its path, or number. Headings join those of
            the same
        source.

        Raises:
            StorageError: the store can't be written now.
        """
        ...


class ExportedRecords(Protocol):
    """
    The records of an export, which can be read more than once.

    Attributes:
        count: The number of records in the header.
    """

    count: int

    def records(self) -> Iterator[tuple[int, Record]]:
        """
        Yield the records, each with its line.

        Raises:
            InvalidEntryError: a line is no record, or some are missing; the message names the line.
        """
        ...
