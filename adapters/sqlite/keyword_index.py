"""
The keyword index: FTS5 tables of entries and of their passages.

Both tables have their own copy of the text.
"""

import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Row, SqliteDatabase, in_list, without_secrets
from hardwon.adapters.sqlite.derived import count_ranked
from hardwon.adapters.sqlite.keyword_matches import (
    COLUMNS,
    PLACE_BITS,
    TOKENIZER,
    FilterMembers,
    KeywordMatches,
    MembersByFilter,
    TermCounts,
    any_of,
    quoted,
)
from hardwon.adapters.sqlite.postings import drop_postings
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entries
from hardwon.adapters.sqlite.scoring import (
    TABLES_OF,
    BestPassages,
    PackedPostings,
    count_texts,
    packed_passages,
    packed_scores,
    weigh,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import (
    CorruptStoreError,
    KeywordIndexUnavailableError,
    StorageError,
)
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.keywords import indexed, max_hits
from hardwon.ports.keyword_index import KeywordIndex, Mode
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.indexed_entry import IndexedEntry


CREATE_PASSAGES = f"CREATE VIRTUAL TABLE passages_fts USING fts5(text, tokenize = '{TOKENIZER}')"
MAX_PASSAGES = 1 << PLACE_BITS


def _passages(number: int, texts: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of an entry's passages, of *texts* with the title first."""
    from hardwon.domain.model.text import passages  # noqa: PLC0415  # for writers only

    title, *others = texts
    parts = passages(title, "\n".join(others))[:MAX_PASSAGES]
    return ((number << PLACE_BITS | at, indexed(part)) for at, part in enumerate(parts))


def drop_passages(database: SqliteDatabase, number: int) -> None:
    """Remove the passages of an entry."""
    database.rows(
        "DELETE FROM passages_fts WHERE rowid BETWEEN ? AND ?",
        (number << PLACE_BITS, (number + 1 << PLACE_BITS) - 1),
    )


SELECT_MATCHES = "SELECT rowid, -bm25(entries_fts) FROM entries_fts WHERE entries_fts MATCH ?"
COLUMN_LIST = ", ".join(COLUMNS)
TEXT_COLUMNS = "name description notes reasoning"
CREATE = f"CREATE VIRTUAL TABLE entries_fts USING fts5({COLUMN_LIST}, tokenize = '{TOKENIZER}')"
KNOWN = "entries_fts WHERE rowid IN (SELECT value FROM json_each(?))"
SELECT_WORDS = f"SELECT rowid, {COLUMN_LIST} FROM {KNOWN}"
INSERT = f"INSERT INTO entries_fts (rowid, {COLUMN_LIST}) VALUES (?, ?, ?, ?, ?, ?)"
INSERT_PASSAGE = "INSERT INTO passages_fts (rowid, text) VALUES (?, ?)"
ENTRY_TABLES = ("entries_fts", "entries_fts_data", "entries_fts_docsize")
PASSAGE_TABLES = ("passages_fts", "passages_fts_data", "passages_fts_docsize")
BEGINNING_WITH = "e.seq IN (SELECT rowid FROM entries_fts WHERE entries_fts MATCH :prefix)"
STALE = "keyword_index_stale"
UNAVAILABLE = "FTS5 not available, keyword search disabled"


@cache
def is_available() -> bool:
    """Return whether this build of SQLite has FTS5."""
    probe = sqlite3.connect(":memory:")
    try:
        probe.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError:
        return False
    finally:
        probe.close()
    return True


def is_intact(database: SqliteDatabase) -> bool:
    """Return whether the index is complete and not stale."""
    if not _exists(database, ENTRY_TABLES):
        return False
    stale = database.value("SELECT 1 FROM _metadata WHERE key = ?", (STALE,))
    return not stale and count_texts(database, "entries") == count_ranked(database)


def has_lengths(database: SqliteDatabase) -> bool:
    """Return whether FTS5 has the length of each text, which a search needs."""
    return all(
        database.value(f"SELECT count(*) FROM {table}_docsize") == count_texts(database, texts)
        for texts, table in TABLES_OF.items()
    )


def _exists(database: SqliteDatabase, tables: Sequence[str]) -> bool:
    names = ", ".join(f"'{table}'" for table in tables)
    found = database.value(f"SELECT count(*) FROM sqlite_master WHERE name IN ({names})")
    return bool(found == len(tables))


def _has_passages(database: SqliteDatabase) -> bool:
    if not _exists(database, PASSAGE_TABLES):
        return False
    return count_texts(database, "passages") >= count_ranked(database)


def _is_complete(database: SqliteDatabase) -> bool:
    return is_intact(database) and _has_passages(database)


def ensure_index(database: SqliteDatabase, *, repair_index: bool) -> None:
    """
    Create the index of a new store.

    With *repair_index*, also rebuild one that does not match the entries. Does nothing without
    FTS5, as search and writes work without the index.
    """
    if not repair_index and database.value("SELECT 1 FROM entry LIMIT 1"):
        return  # a search looks whether it can use the index
    if is_available() and not _is_complete(database):
        with database.transaction():
            if not _is_complete(database):  # another process may have done it meanwhile
                rebuild_index(database)


VERSION_KEY = "keyword_index_version"
VERSION = 5
"""
The version of the indexed terms.

Without a version all words are indexed as written, in version 1 only full-width ones, before
version 3 no references, before version 4 letters with their strokes, before version 5 with points.
"""

PLAIN_SINCE = 3
"""The version since which only letters beyond ASCII are indexed otherwise."""

REACHED = "keyword_index_reached"
"""The key of the entry after which an interrupted refresh goes on."""

SELECT_SOME = f"{SELECT_ENTRY} WHERE e.retired = 0 AND e.seq IN (SELECT value FROM json_each(?))"
ALL_WORDS = " || ".join(COLUMNS)
TO_REFRESH = "SELECT rowid FROM entries_fts WHERE rowid > ?"
NOT_PLAIN = f"{TO_REFRESH} AND length(CAST({ALL_WORDS} AS BLOB)) > length({ALL_WORDS})"

AT_ONCE = 200
"""Entries indexed in one transaction, so that others can write meanwhile."""


def is_outdated(database: SqliteDatabase) -> bool:
    """
    Return whether the index has an earlier version.

    It answers, but misses matches of later versions.
    """
    if not _exists(database, ENTRY_TABLES):
        return False
    return _number_at(database, VERSION_KEY) < VERSION


def _number_at(database: SqliteDatabase, key: str) -> int:
    """Return the number in the metadata, 0 without one."""
    value = str(database.value("SELECT value FROM _metadata WHERE key = ?", (key,)))
    return int(value) if value.isdecimal() else 0


def _note_number(database: SqliteDatabase, key: str, number: int) -> None:
    database.rows("INSERT OR REPLACE INTO _metadata (key, value) VALUES (?, ?)", (key, str(number)))


def refresh_index(database: SqliteDatabase) -> int:
    """
    Reindex the entries of an outdated index whose terms differ.

    An interrupted run is continued by the next one. Returns the number of entries with other terms
    than before.
    """
    if not (is_available() and is_intact(database) and is_outdated(database)):
        return 0
    is_plain = _number_at(database, VERSION_KEY) >= PLAIN_SINCE
    found = database.rows(NOT_PLAIN if is_plain else TO_REFRESH, (_number_at(database, REACHED),))
    changed, numbers = 0, sorted(number for (number,) in found)
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        with database.transaction():
            entries = to_entries(database, database.rows(SELECT_SOME, (in_list(some),)))
            texts = {entry.number or 0: texts_of(entry) for entry in entries}
            changed += index_entries(database, texts)
            _note_number(database, REACHED, some[-1])
    with database.transaction():
        _note_version(database)
        database.note_change()
    return changed


def _note_version(database: SqliteDatabase) -> None:
    _note_number(database, VERSION_KEY, VERSION)
    database.rows("DELETE FROM _metadata WHERE key = ?", (REACHED,))


def rebuild_index(database: SqliteDatabase) -> None:
    """Rebuild the index from the entries."""
    with database.transaction():
        for name in NAMES:
            _drop(database, name)
        drop_postings(database)
        database.rows(CREATE)
        database.rows(CREATE_PASSAGES)
        if CAN_DELETE_SECURELY:
            for name in NAMES:
                database.rows(f"INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1)")
        for row in database.stream(f"{SELECT_ENTRY} WHERE e.retired = 0"):
            entry = next(to_entries(database, [row]), None)
            texts = texts_of(entry)
            # Each entry has its row.
            _insert(database, {row[0]: texts.columns}, {row[0]: texts})
        database.rows("DELETE FROM _metadata WHERE key IN (?, ?)", (STALE, UNTIDY))
        _note_version(database)


CAN_DELETE_SECURELY = sqlite3.sqlite_version_info >= (3, 42)
"""
Whether FTS5 can remove the words of a deleted row at once.

Otherwise they stay until the index is tidied.
"""

UNTIDY = "keyword_index_untidy"
NAMES = ("entries_fts", "passages_fts")


def tidy_index(database: SqliteDatabase) -> None:
    """Remove words of deleted rows that SQLite has left."""
    if not database.value(f"SELECT 1 FROM _metadata WHERE key = '{UNTIDY}'"):
        return
    with database.transaction():
        for name in NAMES:
            database.rows(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        database.rows("DELETE FROM _metadata WHERE key = ?", (UNTIDY,))


def _drop(database: SqliteDatabase, name: str) -> None:
    try:
        database.rows(f"DROP TABLE IF EXISTS {name}")
    except CorruptStoreError:  # too damaged to drop: taken out of the schema first
        database.rows("PRAGMA writable_schema = ON")
        database.rows("DELETE FROM sqlite_master WHERE name = ?", (name,))
        database.rows("PRAGMA writable_schema = RESET")
        for (table,) in database.rows(
            "SELECT name FROM sqlite_master WHERE name GLOB ?", (f"{name}_*",)
        ):
            database.rows(f"DROP TABLE {table}")


def index_entries(database: SqliteDatabase, texts: "Mapping[int, IndexedEntry]") -> int:
    """
    Update the *texts* of entries, by number, in the index.

    Returns how many have other terms than before. Nothing is written of others.
    """
    if not (is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES)):
        _note(database, STALE)
        return 0
    words = {number: text.columns for number, text in texts.items()}
    known = {number: tuple(row) for number, *row in database.rows(SELECT_WORDS, (in_list(words),))}
    changed = [number for number in words if known.get(number) != words[number]]
    for number in changed:
        if number in known:
            _remove(database, number)
    _insert(database, {number: words[number] for number in changed}, texts)
    return len(changed)


def drop_from_index(database: SqliteDatabase, number: int) -> None:
    """Remove an entry from the index."""
    if is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES):
        if database.value("SELECT count(*) FROM entries_fts WHERE rowid = ?", (number,)):
            _remove(database, number)
    else:
        _note(database, STALE)


def texts_of(entry: "Entry | None") -> "IndexedEntry":
    """Return the texts of *entry*, empty ones of an unreadable one."""
    from hardwon.domain.model.indexed_entry import IndexedEntry  # noqa: PLC0415  # for writers only

    return IndexedEntry.of(entry, without_secrets) if entry else IndexedEntry()


def _insert(
    database: SqliteDatabase, words: Mapping[int, Row], texts: "Mapping[int, IndexedEntry]"
) -> None:
    drop_postings(database, words)
    database.run_many(INSERT, ((number, *row) for number, row in words.items()))
    parts = (part for number in words for part in _passages(number, texts[number].passage_texts))
    database.run_many(INSERT_PASSAGE, parts)


def _remove(database: SqliteDatabase, number: int) -> None:
    drop_postings(database, [number])
    database.rows("DELETE FROM entries_fts WHERE rowid = ?", (number,))
    drop_passages(database, number)
    if not CAN_DELETE_SECURELY:
        _note(database, UNTIDY)


def _note(database: SqliteDatabase, key: str) -> None:
    database.rows("INSERT OR IGNORE INTO _metadata (key, value) VALUES (?, '1')", (key,))


FEW = 8
"""Filters passed by fewer than one entry in so many are scored by block."""


class FtsKeywordIndex(KeywordIndex):
    """
    Keyword search by BM25.

    Args:
        enabled: False behaves like an SQLite without FTS5.

    """

    def __init__(self, database: SqliteDatabase, *, enabled: bool = True) -> None:
        self._database = database
        self._enabled = enabled
        self._checked = False
        self._has_weighed = False

    @override
    def size(self) -> int:
        self._ensure_usable()
        return count_texts(self._database, "entries")

    @override
    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            return self._entries.of(terms)

    @override
    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        from hardwon.adapters.sqlite.scan import completed  # noqa: PLC0415  # for the page only

        with _bounded(self._database, deadline):
            self._ensure_usable()
            return completed(
                self._database,
                beginning,
                only=only,
                accented=BEGINNING_WITH,
                prefix=f"{quoted(beginning)} *",
            )

    @override
    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> KeywordMatches:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            members = self._members.of(only)
            if not terms or not members.at_most:
                return KeywordMatches(self._database, {}, members)
            scores = self._with_any(terms, members) if mode == "any" else self._with_all(terms)
            return KeywordMatches(self._database, scores, members)

    @override
    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> KeywordMatches:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            if not _has_passages(self._database):
                raise KeywordIndexUnavailableError(
                    "the index of passages is incomplete, run: hardwon doctor --repair"
                )
            members = self._members.of(only)
            if not members.at_most:
                return KeywordMatches(self._database, {}, members)
            most = max_hits(is_filtered=only != EVERYTHING)
            found = weigh(self._passages, terms, most, best_passages=self._best_passages())
            return KeywordMatches(self._database, found.scores, members, full=found.asked)

    @cached_property
    def _members(self) -> MembersByFilter:
        return MembersByFilter(self._database)

    @cached_property
    def _entries(self) -> TermCounts:
        return TermCounts(self._database, "entries_fts")

    @cached_property
    def _passages(self) -> TermCounts:
        return TermCounts(self._database, "passages_fts")

    def _with_any(self, terms: Sequence[str], members: FilterMembers) -> dict[int, float]:
        """Return the BM25 of entries with any of *terms*, at least of *members*."""
        within = members.blocks if FEW * members.at_most < count_ranked(self._database) else None
        counted = self._entries.of(terms)
        scores = packed_scores(self._database, terms, counted, within=within)
        return self._found(any_of(terms)) if scores is None else scores

    def _best_passages(self) -> BestPassages:
        """Return how passages are scored: in numpy, once that is loaded."""
        is_first, self._has_weighed = not self._has_weighed, True
        is_loaded = not is_first and "numpy" in sys.modules  # another thread may be loading it
        return _in_numpy if is_loaded else packed_passages

    def _with_all(self, terms: Sequence[str]) -> dict[int, float]:
        """Return the BM25 of entries whose own texts have all *terms*, by number."""
        return self._found(f"{{{TEXT_COLUMNS}}} : ({' AND '.join(map(quoted, terms))})")

    def _found(self, query: str) -> dict[int, float]:
        return dict(self._database.rows(SELECT_MATCHES, (query,)))

    def _ensure_usable(self) -> None:
        if self._checked:
            return
        if not self._enabled:
            raise KeywordIndexUnavailableError("keyword search is switched off")
        if not is_available():
            raise KeywordIndexUnavailableError(UNAVAILABLE)
        if not is_intact(self._database):
            raise KeywordIndexUnavailableError(
                "the keyword index is incomplete, run: hardwon doctor --repair"
            )
        self._checked = True


def _in_numpy(packed: PackedPostings, asked: float) -> dict[int, float]:
    from hardwon.adapters.sqlite.passage_arrays import best_passages  # noqa: PLC0415  # numpy

    return best_passages(packed, asked)


@contextmanager
def _bounded(database: SqliteDatabase, deadline: Deadline) -> Iterator[None]:
    """
    Bound a search by *deadline*.

    A failure becomes `KeywordIndexUnavailableError` with a reason.
    """
    try:
        with database.until(deadline):
            yield
    except StorageError as error:
        reason = "no answer in time" if deadline.passed() else str(error)
        raise KeywordIndexUnavailableError(reason) from error
