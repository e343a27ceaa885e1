"""The keyword index: FTS5 with its own copy of the text, row ids being entry numbers."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Database, Row
from hardwon.adapters.sqlite.fts_matches import FtsMatches
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, KeywordIndexUnavailableError, StorageError
from hardwon.ports.keyword_index import Mode

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

COLUMNS = "name, description, notes, keywords, reasoning"
CREATE = f"CREATE VIRTUAL TABLE entries_fts USING fts5({COLUMNS}, tokenize = 'porter unicode61')"
REBUILD = f"""
    INSERT INTO entries_fts (rowid, {COLUMNS})
    SELECT entry_seq, name, description, notes,
        (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(keywords)), reasoning
    FROM entry_text
"""
STALE = "keyword_index_stale"
UNAVAILABLE = "FTS5 not available, keyword search disabled"


@cache
def is_available() -> bool:
    """Tell whether this build of SQLite has FTS5."""
    probe = sqlite3.connect(":memory:")
    try:
        probe.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError:
        return False
    finally:
        probe.close()
    return True


def is_intact(database: Database) -> bool:
    """Tell whether the index is there and holds a row for every entry, none out of date."""
    if not _exists(database):
        return False
    rows, entries, stale = database.rows(
        "SELECT (SELECT count(*) FROM entries_fts_docsize), (SELECT count(*) FROM entry),"
        " (SELECT count(*) FROM _metadata WHERE key = ?)",
        (STALE,),
    )[0]
    return rows == entries and not stale


def _exists(database: Database) -> bool:
    found = database.rows("SELECT name FROM sqlite_master WHERE name IN ('entries_fts', 'entries_fts_docsize')")
    return len(found) == 2  # noqa: PLR2004  # the two that are named


def ensure_index(database: Database, *, repair: bool) -> None:
    """
    Create the index of a new store; with *repair*, also rebuild one that does not fit the entries.

    Without FTS5 nothing happens: search and writes go on without it.
    """
    if not is_available() or is_intact(database):
        return
    if repair or not database.value("SELECT 1 FROM entry"):
        rebuild_index(database)


def rebuild_index(database: Database) -> None:
    """Make the index anew from the entries."""
    with database.transaction():
        _drop(database)
        database.rows(CREATE)
        database.rows(REBUILD)
        database.rows("DELETE FROM _metadata WHERE key = ?", (STALE,))


def _drop(database: Database) -> None:
    try:
        database.rows("DROP TABLE IF EXISTS entries_fts")
    except CorruptStoreError:  # too damaged to be dropped; its tables are ordinary ones once it is forgotten
        database.rows("PRAGMA writable_schema = ON")
        database.rows("DELETE FROM sqlite_master WHERE name = 'entries_fts'")
        database.rows("PRAGMA writable_schema = RESET")
        for (table,) in database.rows("SELECT name FROM sqlite_master WHERE name GLOB 'entries_fts_*'"):
            database.rows(f"DROP TABLE {table}")


def index_entry(database: Database, seq: int, entry: "Entry") -> None:
    """Bring the index up to date with one entry; nothing is written when its words are the same."""
    if not (is_available() and _exists(database)):
        database.rows("INSERT OR IGNORE INTO _metadata VALUES (?, '1')", (STALE,))
        return
    words = (entry.name, entry.description, entry.notes, " ".join(entry.keywords), entry.reasoning)
    if database.rows(f"SELECT {COLUMNS} FROM entries_fts WHERE rowid = ?", (seq,)) == [words]:
        return
    database.rows("DELETE FROM entries_fts WHERE rowid = ?", (seq,))
    database.rows(f"INSERT INTO entries_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", (seq, *words))


class FtsKeywordIndex:
    """
    Keyword search by BM25.

    Args:
        database: The store.
        enabled: False searches as on a SQLite without FTS5.

    """

    def __init__(self, database: Database, *, enabled: bool = True) -> None:
        self._database = database
        self._enabled = enabled
        self._checked = False

    def size(self) -> int:
        """Return how many entries are indexed."""
        self._ensure_usable()
        return int(self._database.value("SELECT count(*) FROM entries_fts_docsize"))

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        """Return in how many entries each term occurs."""
        with _bounded(self._database, deadline):
            self._ensure_usable()
            return {term: self._frequency(term) for term in terms}

    def match(self, terms: Sequence[str], mode: Mode, deadline: Deadline) -> FtsMatches:
        """Run the search once."""
        with _bounded(self._database, deadline):
            self._ensure_usable()
            return FtsMatches(self._database, self._found(terms, mode))

    def _found(self, terms: Sequence[str], mode: Mode) -> list[Row]:
        """Return the number, BM25, kind and category of every match."""
        if not terms:
            return []
        return self._database.rows(
            "SELECT e.seq, -bm25(entries_fts), e.kind, e.category FROM entries_fts"
            " CROSS JOIN entry e ON e.seq = entries_fts.rowid WHERE entries_fts MATCH ?",
            (_expression(terms, mode),),
        )

    def _frequency(self, term: str) -> int:
        return int(self._database.value("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?", (_quoted(term),)))

    def _ensure_usable(self) -> None:
        if self._checked:
            return
        if not self._enabled:
            raise KeywordIndexUnavailableError("keyword search is switched off")
        if not is_available():
            raise KeywordIndexUnavailableError(UNAVAILABLE)
        if not is_intact(self._database):
            raise KeywordIndexUnavailableError("the keyword index is incomplete, run: hardwon doctor --repair")
        self._checked = True


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def _expression(terms: Sequence[str], mode: Mode) -> str:
    return (" OR " if mode == "any" else " AND ").join(map(_quoted, terms))


@contextmanager
def _bounded(database: Database, deadline: Deadline) -> Iterator[None]:
    """Bound a search by a deadline, and say what the caller can act on when it fails."""
    try:
        with database.until(deadline):
            yield
    except StorageError as error:
        reason = "no answer in time" if deadline.passed() else str(error)
        raise KeywordIndexUnavailableError(reason) from error
