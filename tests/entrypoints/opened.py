"""The file of SQLite behind an open memory."""

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.store import SqliteStore
from hardwon.entrypoints.bootstrap import Memory


def database_of(memory: Memory) -> SqliteDatabase:
    """Return the connection to the file of *memory*."""
    assert isinstance(memory.store, SqliteStore)
    return memory.store.database
