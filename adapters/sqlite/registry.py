"""
Reads of projects from the store's tables.

Standard library only, as the hooks import it.
"""

from collections.abc import Sequence
from typing import Any

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import PROJECT_DECODERS, RowDecoder
from hardwon.domain.model.project import Identity, Project, Registry, TrustMode

COLUMNS = (
    *("id", "label", "key", "root", "is_repository", "device", "inode"),
    *("remote", "first_commit", "authorship", "trust", "joined", "conversations"),
)
decode_project = RowDecoder(COLUMNS, PROJECT_DECODERS)

SELECT = f"SELECT {', '.join(COLUMNS)} FROM project"


def read_projects(database: SqliteDatabase) -> tuple[Project, ...]:
    """Return all projects, in the order they were added."""
    return tuple(to_project(row) for row in database.rows(f"{SELECT} ORDER BY rowid"))


def read_trusted_folders(database: SqliteDatabase) -> tuple[str, ...]:
    """Return the folders below which all projects are trusted, sorted."""
    rows = database.rows("SELECT path FROM trusted_folder ORDER BY path")
    return tuple(path for (path,) in rows if isinstance(path, str))


def read_registry(database: SqliteDatabase, mode: TrustMode) -> Registry:
    """Return the store's projects and trusted folders with the trust *mode*."""
    return Registry(read_projects(database), read_trusted_folders(database), mode)


def to_project(row: Sequence[Any]) -> Project:
    """
    Return the project of a row of `SELECT`.

    Values that can't be decoded get defaults.
    """
    row = decode_project(row)
    identity = Identity(row[2], row[3], bool(row[4]), *row[5:7])
    return Project(row[0], row[1], identity, *row[7:])
