"""
The outbox: what was stored on this machine while its server was away.

It is a store of its own in a folder beside the capture journal, so commands store and search in it as
in any other. Its rules:

- Each server has its own, by address without the password, so nothing is sent elsewhere. It knows as
  whom the server was last open, and nothing is sent as another one.
- What it acknowledges is on disk, readable by the user alone. It takes 10,000 entries and 64 MB.
- It refuses the texts that were forgotten on the server, as far as the worker has seen.
- The worker sends it in order and empties it (`SendOutbox`). It is never removed: other processes may
  have it open.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from hardwon.adapters.folder import OUTBOX, outbox_folders
from hardwon.adapters.sqlite.database import FILE_NAME, SqliteDatabase
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.store import BlockIndex, SqliteStore
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.ports.override import override

MAX_ENTRIES = 10_000
MAX_BYTES = 64_000_000

DESTINATION = "outbox_destination"
MEMBER = "outbox_member"
FIRST_NUMBER = 1_000_000_001
"""The first number of an entry here, which no server reaches."""

FULL = (
    "the outbox is full: {} wait for {} and nothing more is stored until it is back; the limits are"
    f" {MAX_ENTRIES:,} entries and {MAX_BYTES // 1_000_000} MB"
)
COUNT = "SELECT count(*) FROM entry"
USED = """
    SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""


class Waiting(NamedTuple):
    """
    The entries that wait in an outbox.

    Attributes:
        destination: The server, without a password.
    """

    folder: str
    destination: str
    entries: int


class OutboxEntries(SqliteEntryRepository):
    """The entries that wait, up to the limits of the outbox."""

    def __init__(self, database: SqliteDatabase, destination: str) -> None:
        super().__init__(database)
        self._outbox = database
        self._destination = destination

    @override
    def put(self, entry: Entry) -> None:
        with self._outbox.transaction():
            entries = self._outbox.value(COUNT)
            if entries >= MAX_ENTRIES or self._outbox.value(USED) >= MAX_BYTES:
                raise StorageError(FULL.format(f"{entries:,} entries", self._destination))
            super().put(entry)


class OutboxMetadata(SqliteMetadata):
    """The decisions of an outbox, and where it is sent."""

    @property
    def member(self) -> str:
        """The member as whom the server was last open, empty if unknown."""
        return self._value(MEMBER) or ""

    def note_member(self, member: str) -> None:
        """Store as whom the server is open."""
        self._remember(MEMBER, member, self.SET)

    def is_new(self, destination: str) -> bool:
        """Return whether the name of the server was not stored yet, and store it."""
        if self._value(DESTINATION):
            return False
        self._remember(DESTINATION, destination, self.ADD)
        return True


class Outbox(SqliteStore):
    """A store in a file that stands in for a server."""

    metadata: OutboxMetadata

    def __init__(
        self, database: SqliteDatabase, folder: str, blocks: BlockIndex, *, destination: str
    ) -> None:
        super().__init__(database, folder, blocks)
        self.entries = OutboxEntries(database, destination)
        self.metadata = OutboxMetadata(database)
        self.member = self.metadata.member
        if self.metadata.is_new(destination):
            self.contents.reserve(FIRST_NUMBER)

    def note_member(self, member: str) -> None:
        """Store as whom the server is open, unless another one's entries wait."""
        if member != self.member and not (self.member and self.database.value(COUNT)):
            self.metadata.note_member(member)
            self.member = member


def folder_of(store: str, destination: str) -> str:
    """Return the folder of the outbox for the server of that name."""
    return os.path.join(store, f"{OUTBOX}{text_digest(destination)[:16]}")


def open_outbox(store: str, destination: str, member: str, *, blocks: BlockIndex) -> Outbox:
    """
    Open the outbox for a server, created if missing.

    Args:
        store: The folder of what concerns this machine alone.
        destination: The name of the server, without a password.
        member: As whom the server is open, empty while it is away.
        blocks: The search of packed vectors.
    """
    folder = folder_of(store, destination)
    outbox = Outbox(open_store(folder), folder, blocks, destination=destination)
    if member:
        outbox.note_member(member)
    return outbox


def outboxes(store: str) -> Iterator[str]:
    """Return the paths of all outboxes' files."""
    paths = (os.path.join(folder, FILE_NAME) for folder in outbox_folders(store))
    return filter(os.path.isfile, paths)


def waiting_in(store: str) -> list[Waiting]:
    """Return what waits in each outbox, without those that are empty."""
    found = list[Waiting]()
    for path in outboxes(store):
        with closing(SqliteDatabase(path, read_only=True)) as database:
            entries = int(database.value(COUNT))
            destination = database.value(SqliteMetadata.SELECT, key=DESTINATION) or "a server"
        if entries:
            found.append(Waiting(os.path.dirname(path), str(destination), entries))
    return found
