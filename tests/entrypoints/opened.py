"""The file of SQLite behind an open memory."""

from hardwon.adapters.sqlite.database import Database
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_sqlite import SqliteEngine


def database_of(memory: Memory) -> Database:
    """Return the connection to the file of *memory*."""
    assert isinstance(memory.engine, SqliteEngine)
    return memory.engine.database
