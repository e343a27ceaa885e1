"""The keyword index: FTS5 with its own copy of the text, by whole entries and by passages."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Database, Row
from hardwon.adapters.sqlite.entry_rows import SELECT_ENTRY, to_entry
from hardwon.adapters.sqlite.fts_matches import FtsMatches
from hardwon.adapters.sqlite.fts_query import frequencies, quoted
from hardwon.adapters.sqlite.passages import CREATE as CREATE_PASSAGES
from hardwon.adapters.sqlite.passages import drop_passages, index_passages, weigh
from hardwon.adapters.sqlite.where import where
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.errors import CorruptStoreError, KeywordIndexUnavailableError, StorageError
from hardwon.domain.model.searchable import title_to_search
from hardwon.ports.keyword_index import Mode

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

COLUMNS = "name, description, notes, keywords, reasoning"
TEXT_COLUMNS = "name description notes reasoning"
CREATE = f"CREATE VIRTUAL TABLE entries_fts USING fts5({COLUMNS}, tokenize = 'porter unicode61')"
INSERT = f"INSERT INTO entries_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
INDEXED = "(SELECT count(*) FROM entry WHERE retired = 0)"
ENTRY_TABLES = ("entries_fts", "entries_fts_docsize")
PASSAGE_TABLES = ("passages_fts", "passages_fts_docsize")
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
    if not _exists(database, ENTRY_TABLES):
        return False
    rows, entries, stale = database.rows(
        f"SELECT (SELECT count(*) FROM entries_fts_docsize), {INDEXED}, (SELECT count(*) FROM _metadata WHERE key = ?)",
        (STALE,),
    )[0]
    return rows == entries and not stale


def _exists(database: Database, tables: Sequence[str]) -> bool:
    names = json.dumps(tables)
    found = database.value(
        "SELECT count(*) FROM sqlite_master WHERE name IN (SELECT value FROM json_each(?))", (names,)
    )
    return bool(found == len(tables))


def _has_passages(database: Database) -> bool:
    """Tell whether the index of passages is there and holds at least one for each entry."""
    if not _exists(database, PASSAGE_TABLES):
        return False
    return bool(database.value(f"SELECT (SELECT count(*) FROM passages_fts_docsize) >= {INDEXED}"))


def _fits(database: Database) -> bool:
    return is_intact(database) and _has_passages(database)


def ensure_index(database: Database, *, repair: bool) -> None:
    """
    Create the index of a new store; with *repair*, also rebuild one that does not fit the entries.

    Without FTS5 nothing happens: search and writes go on without it.
    """
    if not is_available() or _fits(database):
        return
    if repair or not database.value("SELECT 1 FROM entry"):
        with database.transaction():
            if not _fits(database):  # another process may have been faster
                rebuild_index(database)


def rebuild_index(database: Database) -> None:
    """Make the index anew from the entries."""
    with database.transaction():
        for name in ("entries_fts", "passages_fts"):
            _drop(database, name)
        database.rows(CREATE)
        database.rows(CREATE_PASSAGES)
        for *row, seq in database.stream(f"{SELECT_ENTRY} WHERE e.retired = 0"):
            _insert(database, seq, _words(to_entry((*row, seq))))
        database.rows("DELETE FROM _metadata WHERE key = ?", (STALE,))


def _drop(database: Database, name: str) -> None:
    try:
        database.rows(f"DROP TABLE IF EXISTS {name}")
    except CorruptStoreError:  # too damaged to be dropped; its tables are ordinary ones once it is forgotten
        database.rows("PRAGMA writable_schema = ON")
        database.rows("DELETE FROM sqlite_master WHERE name = ?", (name,))
        database.rows("PRAGMA writable_schema = RESET")
        for (table,) in database.rows("SELECT name FROM sqlite_master WHERE name GLOB ?", (f"{name}_*",)):
            database.rows(f"DROP TABLE {table}")


def index_entry(database: Database, seq: int, entry: "Entry") -> None:
    """Bring the index up to date with one entry; nothing is written when its words are the same."""
    if not (is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES)):
        _note_stale(database)
        return
    words = _words(entry)
    if database.rows(f"SELECT {COLUMNS} FROM entries_fts WHERE rowid = ?", (seq,)) == [words]:
        return
    _remove(database, seq)
    _insert(database, seq, words)


def drop_from_index(database: Database, seq: int) -> None:
    """Take one entry out of the index."""
    if is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES):
        _remove(database, seq)
    else:
        _note_stale(database)


def _words(entry: "Entry") -> Row:
    """Return the texts of the columns."""
    title = title_to_search(entry.name, entry.description)
    return (title, entry.description, entry.notes, " ".join(entry.labels), entry.reasoning)


def _insert(database: Database, seq: int, words: Row) -> None:
    database.rows(INSERT, (seq, *words))
    index_passages(database, seq, words)


def _remove(database: Database, seq: int) -> None:
    database.rows("DELETE FROM entries_fts WHERE rowid = ?", (seq,))
    drop_passages(database, seq)


def _note_stale(database: Database) -> None:
    database.rows("INSERT OR IGNORE INTO _metadata VALUES (?, '1')", (STALE,))


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
            return frequencies(self._database, "entries_fts", terms)

    def match(self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline) -> FtsMatches:
        """Run the search once."""
        with _bounded(self._database, deadline):
            self._ensure_usable()
            rows = self._found(_expression(terms, mode), only)
            scores = {seq: score for seq, score, _ in rows}
            return FtsMatches(self._database, scores, {seq: category for seq, _, category in rows})

    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> FtsMatches:
        """Run the search once for each term, over passages."""
        with _bounded(self._database, deadline):
            self._ensure_usable()
            if not _has_passages(self._database):
                raise KeywordIndexUnavailableError("the index of passages is incomplete, run: hardwon doctor --repair")
            weighed = weigh(self._database, terms, only)
            return FtsMatches(self._database, weighed.evidence, full=weighed.asked)

    def _found(self, expression: str, only: EntryFilter) -> list[Row]:
        """Return the number, BM25 and category of every match."""
        if not expression:
            return []
        within = where(only)
        return self._database.rows(
            "SELECT e.seq, -bm25(entries_fts), e.category FROM entries_fts"
            f" CROSS JOIN entry e ON e.seq = entries_fts.rowid WHERE entries_fts MATCH ? AND {within.sql}",
            (expression, *within.parameters),
        )

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


def _expression(terms: Sequence[str], mode: Mode) -> str:
    phrases = [*map(quoted, terms)]
    if mode == "any" or not phrases:
        return " OR ".join(phrases)
    return f"{{{TEXT_COLUMNS}}} : ({' AND '.join(phrases)})"


@contextmanager
def _bounded(database: Database, deadline: Deadline) -> Iterator[None]:
    """Bound a search by a deadline, and say what the caller can act on when it fails."""
    try:
        with database.until(deadline):
            yield
    except StorageError as error:
        reason = "no answer in time" if deadline.passed() else str(error)
        raise KeywordIndexUnavailableError(reason) from error
