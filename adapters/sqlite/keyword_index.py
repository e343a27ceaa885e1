"""
The keyword index: two FTS5 tables with their own copy of the text, of whole entries and of their passages.

The row id of a passage is made of its entry's number and its position, so that no join is needed.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.sqlite.database import Database, Row, in_list
from hardwon.adapters.sqlite.query import in_tie_order, where
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entries
from hardwon.adapters.sqlite.tallies import count_ranked
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, KeywordIndexUnavailableError, StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.identity import title_to_search
from hardwon.domain.model.keywords import inverse_document_frequency
from hardwon.domain.model.ranking.adaptive import passage_score
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.keyword_index import KeywordIndex, Mode
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

SELECT_CATEGORIES = "SELECT e.seq, e.category FROM json_each(?) found JOIN entry e ON e.seq = found.value"


class FtsMatches(Matches):
    """
    The matches of one search.

    Args:
        database: The store.
        scores: The score of every match, by number.
        categories: The categories of the matches, None to look them up.
        full: The minimum score of a full match, 0 if unknown.

    """

    def __init__(
        self,
        database: Database,
        scores: Mapping[int, float],
        categories: Mapping[int, Category | None] | None = None,
        full: float = 0.0,
    ) -> None:
        self._database = database
        self._scores = scores
        self._categories = categories
        self._full = full
        self._rankings: dict[Category | None, list[int]] = {}

    @override
    def count(self) -> int:
        return len(self._scores)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        best = self._best(self._ranked(category), k)
        ordered = sorted(in_tie_order(self._database, best), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in ordered[:k]]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    @override
    def statistics(self) -> ScoreStatistics:
        return ScoreStatistics.of(self._scores.values())._replace(full=self._full)

    def _ranked(self, category: Category | None) -> list[int]:
        """Return all matches, or those of a category, best first; cached."""
        if category not in self._rankings:
            self._rankings[category] = sorted(self._of(category), key=self._scores.__getitem__, reverse=True)
        return self._rankings[category]

    def _of(self, category: Category | None) -> Iterable[int]:
        if category is None:
            return self._scores
        if self._categories is None:
            self._categories = dict(self._database.rows(SELECT_CATEGORIES, (in_list(self._scores),)))
        return (seq for seq in self._scores if self._categories[seq] == category)

    def _best(self, group: list[int], k: int) -> list[int]:
        """Return the *k* best of *group*, and all that tie with the last of them."""
        end = k
        while 0 < end < len(group) and self._scores[group[end]] == self._scores[group[k - 1]]:
            end += 1
        return group[:end]


def quoted(term: str) -> str:
    """Quote *term* as a phrase of FTS5, so that nothing in it is syntax."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def frequencies(database: Database, table: str, terms: Sequence[str]) -> Mapping[str, int]:
    """Count the rows of the FTS5 table *table* that contain a term, for at most 64 terms."""
    if not terms:
        return {}
    counts = ", ".join([f"(SELECT count(*) FROM {table} WHERE {table} MATCH ?)"] * len(terms))
    return dict(zip(terms, database.rows(f"SELECT {counts}", list(map(quoted, terms)))[0], strict=True))


CREATE_PASSAGES = "CREATE VIRTUAL TABLE passages_fts USING fts5(text, tokenize = 'porter unicode61')"
PLACE_BITS = 20
MAX_PASSAGES = 1 << PLACE_BITS
MAX_HITS = 6_000
"""Upper bound of the hits that an unfiltered query reads, its rarest words first: about 1 microsecond a hit."""

FILTERED = 5
"""Factor of the bound for a filtered query: a term that is frequent elsewhere may be rare there."""

SELECT_HITS = "SELECT rowid, -bm25(passages_fts) FROM passages_fts WHERE passages_fts MATCH ?"
SELECT_FILTERED = "SELECT e.seq FROM json_each(?) found CROSS JOIN entry e ON e.seq = found.value WHERE {within}"


def index_passages(database: Database, seq: int, texts: Sequence[str]) -> None:
    """
    Add the passages of an entry.

    Args:
        database: The store.
        seq: The entry's number.
        texts: Its title, then all other searched texts; the title precedes every passage.

    """
    from hardwon.domain.model.text import identifier_words, passages  # noqa: PLC0415  # for writers only

    title, *others = texts
    parts = passages(title, "\n".join(others))[:MAX_PASSAGES]
    database.run_many(
        "INSERT INTO passages_fts (rowid, text) VALUES (?, ?)",
        ((seq << PLACE_BITS | at, "\n".join((part, *identifier_words(part)))) for at, part in enumerate(parts)),
    )


def drop_passages(database: Database, seq: int) -> None:
    """Remove the passages of an entry."""
    database.rows(
        "DELETE FROM passages_fts WHERE rowid BETWEEN ? AND ?",
        (seq << PLACE_BITS, (seq + 1 << PLACE_BITS) - 1),
    )


class Weighed(NamedTuple):
    """
    Entries found by their passages.

    Attributes:
        scores: Of the best passage of an entry, by number.
        asked: The sum of the inverse document frequencies of the terms.

    """

    scores: dict[int, float]
    asked: float


def weigh(database: Database, terms: Sequence[str], only: EntryFilter) -> Weighed:
    """Score the entries of *only* that contain any of *terms* by their best passage."""
    most = MAX_HITS if only == EVERYTHING else FILTERED * MAX_HITS
    size = int(database.value("SELECT count(*) FROM passages_fts_docsize"))
    idf = {term: inverse_document_frequency(size, count) for term, count in _rarest(database, terms, most)}
    asked = sum(idf.values())
    bm25s, matched = dict[int, float](), dict[int, float]()
    for term, weight in idf.items():
        for rowid, bm25 in database.rows(SELECT_HITS, (quoted(term),)):
            bm25s[rowid] = bm25s.get(rowid, 0.0) + bm25
            matched[rowid] = matched.get(rowid, 0.0) + weight
    best = dict[int, float]()
    for rowid, bm25 in bm25s.items():
        score, seq = passage_score(bm25, matched[rowid], asked), rowid >> PLACE_BITS
        if score > best.get(seq, 0.0):
            best[seq] = score
    return Weighed(_within(database, best, only), asked)


def _within(database: Database, scores: dict[int, float], only: EntryFilter) -> dict[int, float]:
    if only == EVERYTHING:
        return scores
    within = where(only)
    rows = database.rows(SELECT_FILTERED.format(within=within.sql), (in_list(scores), *within.parameters))
    return {seq: scores[seq] for (seq,) in rows}


def _rarest(database: Database, terms: Sequence[str], most: int) -> Iterator[tuple[str, int]]:
    """Yield *terms* with the number of passages that contain them, the rarest first, up to *most* hits."""
    counts = frequencies(database, "passages_fts", terms)
    hits = 0
    for term in sorted(terms, key=lambda term: (counts[term], term)):
        if hits and hits + counts[term] > most:
            return
        hits += counts[term]
        yield term, counts[term]


COLUMNS = "name, description, notes, keywords, reasoning"
TEXT_COLUMNS = "name description notes reasoning"
CREATE = f"CREATE VIRTUAL TABLE entries_fts USING fts5({COLUMNS}, tokenize = 'porter unicode61')"
INSERT = f"INSERT INTO entries_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
ENTRY_TABLES = ("entries_fts", "entries_fts_docsize")
PASSAGE_TABLES = ("passages_fts", "passages_fts_docsize")
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


def is_intact(database: Database) -> bool:
    """Return whether the index exists, has a row for every entry, and is not stale."""
    if not _exists(database, ENTRY_TABLES):
        return False
    [(rows, stale)] = database.rows(
        "SELECT (SELECT count(*) FROM entries_fts_docsize), (SELECT count(*) FROM _metadata WHERE key = ?)", (STALE,)
    )
    return rows == count_ranked(database) and not stale


def _exists(database: Database, tables: Sequence[str]) -> bool:
    names = json.dumps(tables)
    found = database.value(
        "SELECT count(*) FROM sqlite_master WHERE name IN (SELECT value FROM json_each(?))", (names,)
    )
    return bool(found == len(tables))


def _has_passages(database: Database) -> bool:
    """Return whether the index of passages exists and has at least as many rows as there are entries."""
    if not _exists(database, PASSAGE_TABLES):
        return False
    return bool(database.value("SELECT count(*) FROM passages_fts_docsize") >= count_ranked(database))


def _is_complete(database: Database) -> bool:
    return is_intact(database) and _has_passages(database)


def ensure_index(database: Database, *, repair: bool) -> None:
    """
    Create the index of a new store; with *repair*, also rebuild one that does not match the entries.

    Does nothing without FTS5: search and writes work without the index.
    """
    if not is_available() or _is_complete(database):
        return
    if repair or not database.value("SELECT 1 FROM entry"):
        with database.transaction():
            if not _is_complete(database):  # another process may have done it meanwhile
                rebuild_index(database)


UNREADABLE_WORDS = ("",) * 5


def rebuild_index(database: Database) -> None:
    """Rebuild the index from the entries."""
    with database.transaction():
        for name in NAMES:
            _drop(database, name)
        database.rows(CREATE)
        database.rows(CREATE_PASSAGES)
        if CAN_DELETE_SECURELY:
            for name in NAMES:
                database.rows(f"INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1)")
        for row in database.stream(f"{SELECT_ENTRY} WHERE e.retired = 0"):
            entry = next(to_entries(database, [row]), None)
            _insert(database, row[0], _words(entry) if entry else UNREADABLE_WORDS)  # each entry has its row
        database.rows("DELETE FROM _metadata WHERE key IN (?, ?)", (STALE, UNTIDY))


CAN_DELETE_SECURELY = sqlite3.sqlite_version_info >= (3, 42)
"""Whether FTS5 can remove the words of a deleted row at once; else they stay until the index is tidied."""

UNTIDY = "keyword_index_untidy"
NAMES = ("entries_fts", "passages_fts")


def tidy_index(database: Database) -> None:
    """
    Remove the words of deleted rows from the index, where this build of SQLite has left them.

    Raises:
        StorageError: the store can't be written now.
    """
    if not database.value("SELECT 1 FROM _metadata WHERE key = ?", (UNTIDY,)):
        return
    with database.transaction():
        for name in NAMES:
            database.rows(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        database.rows("DELETE FROM _metadata WHERE key = ?", (UNTIDY,))


def _drop(database: Database, name: str) -> None:
    try:
        database.rows(f"DROP TABLE IF EXISTS {name}")
    except (
        CorruptStoreError
    ):  # too damaged to be dropped: removed from the schema first, so that its tables are ordinary ones
        database.rows("PRAGMA writable_schema = ON")
        database.rows("DELETE FROM sqlite_master WHERE name = ?", (name,))
        database.rows("PRAGMA writable_schema = RESET")
        for (table,) in database.rows("SELECT name FROM sqlite_master WHERE name GLOB ?", (f"{name}_*",)):
            database.rows(f"DROP TABLE {table}")


def index_entry(database: Database, seq: int, entry: "Entry") -> None:
    """Update an entry in the index; nothing is written when its words are unchanged."""
    if not (is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES)):
        _note(database, STALE)
        return
    words = _words(entry)
    if database.rows(f"SELECT {COLUMNS} FROM entries_fts WHERE rowid = ?", (seq,)) == [words]:
        return
    _remove(database, seq)
    _insert(database, seq, words)


def drop_from_index(database: Database, seq: int) -> None:
    """Remove an entry from the index."""
    if is_available() and _exists(database, ENTRY_TABLES + PASSAGE_TABLES):
        _remove(database, seq)
    else:
        _note(database, STALE)


def _words(entry: "Entry") -> Row:
    """Return the texts of the columns."""
    title = title_to_search(entry.name, entry.description)
    return (title, entry.description, entry.notes, " ".join(entry.labels), entry.reasoning)


def _insert(database: Database, seq: int, words: Row) -> None:
    database.rows(INSERT, (seq, *words))
    index_passages(database, seq, words)


def _remove(database: Database, seq: int) -> None:
    if not database.value("SELECT count(*) FROM entries_fts WHERE rowid = ?", (seq,)):
        return
    database.rows("DELETE FROM entries_fts WHERE rowid = ?", (seq,))
    drop_passages(database, seq)
    if not CAN_DELETE_SECURELY:
        _note(database, UNTIDY)


def _note(database: Database, key: str) -> None:
    database.rows("INSERT OR IGNORE INTO _metadata (key, value) VALUES (?, '1')", (key,))


class FtsKeywordIndex(KeywordIndex):
    """
    Keyword search by BM25.

    Args:
        database: The store.
        enabled: False behaves like an SQLite without FTS5.

    """

    def __init__(self, database: Database, *, enabled: bool = True) -> None:
        self._database = database
        self._enabled = enabled
        self._checked = False

    @override
    def size(self) -> int:
        self._ensure_usable()
        return int(self._database.value("SELECT count(*) FROM entries_fts_docsize"))

    @override
    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            return frequencies(self._database, "entries_fts", terms)

    @override
    def match(self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline) -> FtsMatches:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            rows = self._found(_expression(terms, mode), only)
            scores = {seq: score for seq, score, _ in rows}
            return FtsMatches(self._database, scores, {seq: category for seq, _, category in rows})

    @override
    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> FtsMatches:
        with _bounded(self._database, deadline):
            self._ensure_usable()
            if not _has_passages(self._database):
                raise KeywordIndexUnavailableError("the index of passages is incomplete, run: hardwon doctor --repair")
            weighed = weigh(self._database, terms, only)
            return FtsMatches(self._database, weighed.scores, full=weighed.asked)

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
    """Bound a search by *deadline*; a failure becomes `KeywordIndexUnavailableError` with a reason."""
    try:
        with database.until(deadline):
            yield
    except StorageError as error:
        reason = "no answer in time" if deadline.passed() else str(error)
        raise KeywordIndexUnavailableError(reason) from error
