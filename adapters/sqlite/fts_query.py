"""Terms as FTS5 takes them: as text, never as syntax."""

from collections.abc import Mapping, Sequence

from hardwon.adapters.sqlite.database import Database


def quoted(term: str) -> str:
    """Return *term* as a phrase."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def frequencies(database: Database, table: str, terms: Sequence[str]) -> Mapping[str, int]:
    """Return in how many rows of the FTS5 table *table* each of at most 64 terms occurs."""
    if not terms:
        return {}
    counts = ", ".join([f"(SELECT count(*) FROM {table} WHERE {table} MATCH ?)"] * len(terms))
    return dict(zip(terms, database.rows(f"SELECT {counts}", list(map(quoted, terms)))[0], strict=True))
