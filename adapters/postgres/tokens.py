"""The terms of texts, as FTS5 makes them: by the SQLite that Python brings, in memory, so that both stores find the same."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing

from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.text import without_marks

TOKENIZER = "porter unicode61"

MAX_TERM = 256
"""Bytes of a term; an index of the server takes no long ones, so that the rest of a long one is represented by its hash."""


def count_terms(texts: Iterable[str]) -> list[Counter[str]]:
    """
    Return how often each term is in each of *texts*.

    Raises:
        KeywordIndexUnavailableError: Python's SQLite lacks FTS5.
    """
    given = list(texts)
    with closing(_tokenized(given)) as connection:
        counts = [Counter[str]() for _ in given]
        for place, term, times in connection.execute("SELECT doc, term, count(*) FROM token GROUP BY doc, term"):
            counts[place - 1][_short(term)] += times
        return counts


def _short(term: str) -> str:
    if len(text := term.encode()) <= MAX_TERM:
        return term
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    digest = hashlib.sha256(text).hexdigest()
    return f"{text[: MAX_TERM - len(digest)].decode(errors='ignore')}{digest}"


def stems(words: Sequence[str]) -> list[str]:
    """
    Return the term of each of *words*; empty for one that is not a single term, which nothing contains.

    Raises:
        KeywordIndexUnavailableError: Python's SQLite lacks FTS5.
    """
    counted = count_terms(map(without_marks, words))
    return [next(iter(terms)) if len(terms) == 1 else "" for terms in counted]


def _tokenized(texts: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = '{TOKENIZER}')")
    except sqlite3.OperationalError as error:
        connection.close()
        raise KeywordIndexUnavailableError("FTS5 not available, keyword search disabled") from error
    connection.execute("CREATE VIRTUAL TABLE token USING fts5vocab(texts, instance)")
    connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(texts, 1))
    return connection
