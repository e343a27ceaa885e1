"""The records of an export: everything that a store has."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import NamedTuple, TypeAlias, TypeVar

import attrs

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_state import AbsentFile
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.project import Project

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class ExportedEntry:
    """
    An entry with everything that is recorded about it.

    Attributes:
        entry_id: Its id in the exporting store, which can differ from that of *entry*: the path of
            its file decides it.
        below: The id of the project whose root its `file_path` is relative to; None for an absolute
            path, or no file.
        history: The changes of its fields, oldest first.
    """

    entry_id: str
    entry: Entry
    below: str | None = None
    places: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    history: tuple[PastChange, ...] = ()
    influences: tuple[Influence, ...] = ()


class DeletedEntry(NamedTuple):
    """The history of a deleted entry, oldest change first."""

    number: int
    history: tuple[PastChange, ...]


class ImportedSource(NamedTuple):
    """
    A file that was imported before.

    Its headings are not imported again.
    """

    path: str
    below: str | None
    fingerprint: str
    headings: tuple[str, ...]


class Absence(NamedTuple):
    """
    The state kept of a file that is gone since *at*.

    Its path is relative to the root of *below*, if given.
    """

    file: AbsentFile
    below: str | None
    at: dt.datetime


class DeletedSection(NamedTuple):
    """
    A section deleted from the store, but not from its file.

    The file had that sha256.
    """

    path: str
    below: str | None
    anchor_id: str
    file_hash: str
    at: dt.datetime


Record: TypeAlias = (
    Project | ExportedEntry | DeletedEntry | ImportedSource | Absence | DeletedSection
)

RECORD_NAMES: Mapping[type[Record], str] = {
    Project: "project",
    ExportedEntry: "entry",
    DeletedEntry: "deleted-entry",
    ImportedSource: "source",
    Absence: "absent-file",
    DeletedSection: "deleted-section",
}
"""The names of the record types, in the order of an export."""


ENTRIES_AT_ONCE, OTHERS_AT_ONCE = 100, 10
"""
Records that are added in one transaction.

Adding another record than an entry reads from the store.
"""


def in_batches(records: Iterable[T], type_of: Callable[[T], type]) -> Iterator[list[T]]:
    """
    Yield *records* in batches of one type, each small enough for one transaction.

    Others can write between two batches.
    """
    for kind, alike in groupby(records, type_of):
        size = ENTRIES_AT_ONCE if kind is ExportedEntry else OTHERS_AT_ONCE
        while batch := list(islice(alike, size)):
            yield batch


class Location(NamedTuple):
    """
    A path in a record.

    Attributes:
        path: Absolute; relative if *below* is given; the name of a captured section that is in no
            known file begins with `#`.
    """

    path: str
    below: str | None = None


def location_of(record: Record) -> Location | None:
    """Return the path in *record*, if any."""
    match record:
        case ExportedEntry(entry=entry, below=below):
            return Location(entry.file_path, below) if entry.file_path else None
        case Absence(file=file, below=below):
            return Location(file.file_path, below)
        case ImportedSource(path=path, below=below) | DeletedSection(path=path, below=below):
            return Location(path, below)
        case _:
            return None


def relocated(record: Record, location: Location) -> Record:
    """Replace the path of *record*."""
    path, below = location
    match record:
        case ExportedEntry(entry=entry):
            return attrs.evolve(record, entry=attrs.evolve(entry, file_path=path), below=below)
        case Absence(file=file):
            return record._replace(file=file._replace(file_path=path), below=below)
        case ImportedSource() | DeletedSection():
            return record._replace(path=path, below=below)
        case _:
            return record
