"""The keyword index: FTS5's terms, frequencies and text lengths."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase, public
from hardwon.adapters.postgres.server import Column
from hardwon.adapters.postgres.session import Statement
from hardwon.adapters.sql.entries import fields_without
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.keywords import index_term

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.indexed_entry import IndexedEntry

import sqlite3
import threading
from functools import lru_cache

WHOLE = 0
"""The passage number of a whole entry, whose passages are numbered from 1."""

ADD_POSTINGS = """
    INSERT INTO hardwon.posting
        (tenant, number, owner, words, term, passage, passage_words, times, own_times, passage_times)
    SELECT %(tenant)s, e.number, e.owner, e.words, term, passage, passage_words, times, own_times, passage_times
    FROM unnest(%(of)s::bigint[], %(term)s::text[], %(passage)s::int[], %(passage_words)s::int[], %(times)s::int[],
        %(own_times)s::int[], %(passage_times)s::int[])
        AS p (number, term, passage, passage_words, times, own_times, passage_times)
    JOIN unnest(%(number)s::bigint[], %(owner)s::text[], %(words)s::int[]) AS e (number, owner, words) USING (number)
"""
ADD_DOCUMENTS = """
    INSERT INTO hardwon.document (tenant, number, passage, owner, words)
    SELECT %(tenant)s, *
    FROM unnest(%(number)s::bigint[], %(passage)s::int[], %(owner)s::text[], %(words)s::int[])
"""
COUNT = """
    INSERT INTO hardwon.corpus AS c (tenant, owner, entries, entry_words, passages, passage_words)
    SELECT %(tenant)s, owner, count(*), sum(words), sum(passages), sum(passage_words)
    FROM unnest(%(owner)s::text[], %(words)s::int[], %(passages)s::int[], %(passage_words)s::int[])
        AS e (owner, words, passages, passage_words) GROUP BY owner ORDER BY owner
    ON CONFLICT (tenant, owner) DO UPDATE SET entries = c.entries + excluded.entries,
        entry_words = c.entry_words + excluded.entry_words, passages = c.passages + excluded.passages,
        passage_words = c.passage_words + excluded.passage_words
"""
DROP_POSTINGS = (
    "DELETE FROM hardwon.posting WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)"
)
DROP_DOCUMENTS = """
    WITH gone AS (
        DELETE FROM hardwon.document WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)
        RETURNING owner, passage, words
    ), figures AS (
        SELECT owner, count(*) FILTER (WHERE passage = 0) AS entries, sum(words) FILTER (WHERE passage = 0) AS entry_words,
            count(*) FILTER (WHERE passage > 0) AS passages, sum(words) FILTER (WHERE passage > 0) AS passage_words
        FROM gone GROUP BY owner
    )
    UPDATE hardwon.corpus c SET entries = c.entries - f.entries, entry_words = c.entry_words - coalesce(f.entry_words, 0),
        passages = c.passages - f.passages, passage_words = c.passage_words - coalesce(f.passage_words, 0)
    FROM figures f WHERE c.tenant = %(tenant)s AND c.owner = f.owner
"""

EMPTY_INDEX = tuple(
    f"DELETE FROM hardwon.{table} WHERE tenant = %(tenant)s"
    for table in ("posting", "document", "corpus")
)
"""Deletes the index rows that this member may see, not others' personal ones."""

VERSION_KEY = "keyword_index_version "
"""Prefix of the metadata key of a member's version: members index separately."""

VERSION = 5
"""
The version of indexed contents.

An unversioned index (0) has words as they stand, version 1 full-width ones too, version 2 no
references, version 3 letters with their strokes, version 4 with points.
"""

PLAIN_SINCE = 3
"""The version since which only letters beyond ASCII are indexed otherwise."""

FIRST_VERSION = f"""
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM hardwon.corpus WHERE tenant = %(tenant)s AND entries > 0) THEN '{VERSION}'
        WHEN EXISTS (SELECT 1 FROM hardwon.corpus WHERE tenant = %(tenant)s AND owner <> '' AND entries > 0) THEN '0'
        ELSE coalesce((
            SELECT max(value::int)::text FROM hardwon.metadata WHERE tenant = %(tenant)s AND starts_with(key, '{VERSION_KEY}')
        ), '0')
    END
"""
"""
The version of a member who stored none.

It is the newest of other members if all indexed entries are shared, since all members index these.
"""

SELECT_VERSION = f"""
    SELECT coalesce((
        SELECT value FROM hardwon.metadata WHERE tenant = %(tenant)s AND key = '{VERSION_KEY}' || current_user
    ), {FIRST_VERSION})
"""
NOTE_FIRST_VERSION = f"""
    INSERT INTO hardwon.metadata (tenant, key, value) SELECT %(tenant)s, '{VERSION_KEY}' || current_user, {FIRST_VERSION}
    ON CONFLICT (tenant, key) DO NOTHING
"""
NOTE_VERSION = f"""
    INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, '{VERSION_KEY}' || current_user, '{VERSION}')
    ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value
"""

MAX_TIMES = 32_767
"""Upper bound of a frequency: that of a smallint."""


class _Posting(NamedTuple):
    """
    A term in a passage.

    Frequencies in the whole entry, *times* and *own_times*, are in one of the term's rows, 0 in the
    others.
    """

    term: str
    passage: int
    passage_words: int
    times: int
    own_times: int
    passage_times: int


def is_outdated(database: PostgresDatabase) -> bool:
    """
    Return whether this member's index has an earlier version.

    Searches work, but miss what a newer index would find. It is asked until it is up to date.
    """
    if database.index_version < VERSION:
        database.index_version = int(database.value(SELECT_VERSION) or 0)
    return database.index_version < VERSION


def note_version(database: PostgresDatabase) -> None:
    """Store the present version for this member's share of the index."""
    database.rows(NOTE_VERSION)


def index_entry(database: PostgresDatabase, number: int, owner: str, entry: "Entry") -> None:
    """Index an entry, replacing its earlier rows."""
    database.together((*dropping([number]), *indexing(number, owner, entry)))


def drop_from_index(database: PostgresDatabase, numbers: Iterable[int]) -> None:
    """Remove entries from the index."""
    database.together(dropping(numbers))


def dropping(numbers: Iterable[int]) -> list[Statement]:
    """Return the statements that remove entries from the index."""
    gone = {"numbers": [*numbers]}
    return [(DROP_POSTINGS, gone), (DROP_DOCUMENTS, gone)]


def indexing(number: int, owner: str, entry: "Entry") -> list[Statement]:
    """
    Return the statements that index an entry without index rows.

    Their parameters are columns, as `add_rows` wants them.
    """
    from hardwon.domain.model.indexed_entry import IndexedEntry  # noqa: PLC0415  # for writers only

    indexed = IndexedEntry.of(entry, public)
    whole, own, passages = _counted(indexed)
    postings = [*_postings(whole, own, passages)]
    counts = {
        field: Column(getattr(posting, field) for posting in postings)
        for field in fields_without("term", _Posting._fields)
    }
    of_postings = {
        "of": Column([number] * len(postings)),
        "term": [posting.term for posting in postings],
        **counts,
    }
    lengths = [whole.total(), *(found.total() for found in passages)]
    of_documents = {
        "number": Column([number] * len(lengths)),
        "passage": Column(range(len(lengths))),
        "owner": [owner] * len(lengths),
        "words": Column(lengths),
    }
    of_entry = {"number": Column([number]), "owner": [owner], "words": Column(lengths[:1])}
    of_passages = {"passages": Column([len(passages)]), "passage_words": Column([sum(lengths[1:])])}
    return [
        (NOTE_FIRST_VERSION, {}),
        (ADD_POSTINGS, of_entry | of_postings),
        (ADD_DOCUMENTS, of_documents),
        (COUNT, of_entry | of_passages),
    ]


def _postings(
    whole: Counter[str], own: Counter[str], passages: Sequence[Counter[str]]
) -> Iterator[_Posting]:
    seen = set[str]()
    for place, terms in enumerate(passages, 1):
        words = terms.total()
        for term, times in sorted(terms.items()):
            is_first = term not in seen
            yield _Posting(
                term, place, words, *_limited(is_first * whole[term], is_first * own[term], times)
            )
        seen |= terms.keys()
    for term in sorted(whole.keys() - seen):
        yield _Posting(term, WHOLE, 0, *_limited(whole[term], own[term], 0))


def _limited(*times: int) -> Iterator[int]:
    return (min(count, MAX_TIMES) for count in times)


def ensure_counted(database: PostgresDatabase) -> None:
    """
    Check that the totals of the index match its rows.

    Raises:
        KeywordIndexUnavailableError: they differ, as after a manual restore.
    """
    [(entries, counted)] = database.rows(
        "SELECT (SELECT coalesce(sum(entries), 0) FROM hardwon.corpus WHERE tenant = %(tenant)s),"
        " (SELECT count(*) FROM hardwon.document WHERE tenant = %(tenant)s AND passage = 0)"
    )
    if counted != entries:
        raise KeywordIndexUnavailableError(
            "it does not fit the entries, run: hardwon doctor --repair"
        )


def _counted(indexed: "IndexedEntry") -> tuple[Counter[str], Counter[str], list[Counter[str]]]:
    """Return term counts of all texts, with and without labels, and of each passage."""
    columns = indexed.columns
    counts = count_terms((*columns, *_passages(indexed.passage_texts)))
    title, description, notes, labels, reasoning = counts[: len(columns)]
    own = title + description + notes + reasoning
    return own + labels, own, counts[len(columns) :]


def _passages(texts: Sequence[str]) -> list[str]:
    from hardwon.domain.model.keywords import indexed  # noqa: PLC0415  # for writers only
    from hardwon.domain.model.text import passages  # noqa: PLC0415  # likewise

    title, *others = texts
    return [indexed(part) for part in passages(title, "\n".join(others))]


TOKENIZER = "porter unicode61"

MAX_TERM = 256
"""
Most bytes of a term, bounded by the server's index.

A hash replaces the rest of a longer one.
"""


def count_terms(texts: Iterable[str]) -> list[Counter[str]]:
    """
    Return term frequencies for each of *texts*.

    Raises:
        KeywordIndexUnavailableError: Python's SQLite lacks FTS5.
    """
    given, tokenizer = list(texts), _tokenizer(threading.get_ident())
    counts = [Counter[str]() for _ in given]
    tokenizer.execute("BEGIN")
    try:
        tokenizer.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(given, 1))
        for place, term, times in tokenizer.execute(
            "SELECT doc, term, count(*) FROM token GROUP BY doc, term"
        ):
            counts[place - 1][_short(term)] += times
    finally:
        tokenizer.execute("ROLLBACK")
    return counts


def _short(term: str) -> str:
    if len(text := term.encode()) <= MAX_TERM:
        return term
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    digest = hashlib.sha256(text).hexdigest()
    return f"{text[: MAX_TERM - len(digest)].decode(errors='ignore')}{digest}"


def stems(words: Sequence[str]) -> list[str]:
    """
    Return the term of each word, empty unless exactly one.

    Nothing contains the empty term.

    Raises:
        KeywordIndexUnavailableError: Python's SQLite lacks FTS5.
    """
    counted = count_terms(map(index_term, words))
    return [next(iter(terms)) if len(terms) == 1 else "" for terms in counted]


@lru_cache(maxsize=8)
def _tokenizer(_thread: int) -> sqlite3.Connection:
    """Return a thread's empty index, which takes longer to make than to fill."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.execute(
            f"CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = '{TOKENIZER}')"
        )
    except sqlite3.OperationalError as error:
        connection.close()
        raise KeywordIndexUnavailableError("FTS5 not available, keyword search disabled") from error
    connection.execute("CREATE VIRTUAL TABLE token USING fts5vocab(texts, instance)")
    return connection
