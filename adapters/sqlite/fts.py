"""Queries of FTS5, and the columns and terms of the keyword index."""

from collections.abc import Iterable, Mapping, Sequence

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.text import without_marks

TOKENIZER = "porter unicode61"

COLUMNS = ("name", "description", "notes", "keywords", "reasoning")
"""The columns of the index of entries."""


def quoted(term: str) -> str:
    """Quote *term* as a phrase of FTS5."""
    return '"' + without_marks(term).replace('"', '""').replace("\0", " ") + '"'


def any_of(terms: Iterable[str]) -> str:
    """Return the FTS5 query for any of *terms*."""
    return " OR ".join(map(quoted, terms))


def frequencies(
    database: SqliteDatabase, table: str, terms: Sequence[str], first: int = 0
) -> Mapping[str, int]:
    """
    Count the rows of an FTS5 table that contain each term.

    Counts from row *first* on, for at most 65 terms.
    """
    if not terms:
        return {}
    counts = ", ".join(
        [f"(SELECT count(*) FROM {table} WHERE {table} MATCH ? AND rowid >= {first})"] * len(terms)
    )
    return dict(
        zip(terms, database.rows(f"SELECT {counts}", list(map(quoted, terms)))[0], strict=True)
    )
