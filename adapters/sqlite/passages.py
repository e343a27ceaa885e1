"""
The index of passages: what long entries are searched by.

A passage's row id is its entry's number and its place in it, so no table has to join them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.fts_query import frequencies, quoted
from hardwon.adapters.sqlite.where import where
from hardwon.domain.model.entry_filter import EVERYTHING, EntryFilter
from hardwon.domain.model.keyword_query import inverse_document_frequency
from hardwon.domain.model.ranking.passage_evidence import passage_evidence

CREATE = "CREATE VIRTUAL TABLE passages_fts USING fts5(text, tokenize = 'porter unicode61')"
PLACE_BITS = 20
MOST_PASSAGES = 1 << PLACE_BITS
MOST_HITS = 6_000
"""A question to everything reads about so many hits at most, its rarest words first: about 1 microsecond each."""

FILTERED = 5
"""So many times as many hits a question to a part may read: what is frequent elsewhere may be rare there."""

SELECT_HITS = "SELECT rowid, -bm25(passages_fts) FROM passages_fts WHERE passages_fts MATCH ?"
SELECT_OF_THEM = "SELECT e.seq FROM json_each(?) found CROSS JOIN entry e ON e.seq = found.value WHERE {within}"


def index_passages(database: Database, seq: int, texts: Sequence[str]) -> None:
    """
    Add the passages of one entry.

    Args:
        database: The store.
        seq: The entry's number.
        texts: Its title, then all else that is searched; the title stands before every passage.

    """
    from hardwon.domain.model.passages import identifier_words, passages  # noqa: PLC0415  # for writers only

    title, *others = texts
    parts = passages(title, "\n".join(others))[:MOST_PASSAGES]
    database.run_many(
        "INSERT INTO passages_fts (rowid, text) VALUES (?, ?)",
        ((seq << PLACE_BITS | at, "\n".join((part, *identifier_words(part)))) for at, part in enumerate(parts)),
    )


def drop_passages(database: Database, seq: int) -> None:
    """Take the passages of one entry out of the index."""
    database.rows(
        "DELETE FROM passages_fts WHERE rowid BETWEEN ? AND ?",
        (seq << PLACE_BITS, (seq + 1 << PLACE_BITS) - 1),
    )


class Weighed(NamedTuple):
    """
    Entries found by their passages.

    Attributes:
        evidence: Of the best passage of each entry that holds a term, by number.
        asked: The sum of the inverse document frequencies of the terms.

    """

    evidence: dict[int, float]
    asked: float


def weigh(database: Database, terms: Sequence[str], only: EntryFilter) -> Weighed:
    """Return the entries of *only* that hold one of *terms*, by the evidence of their best passage."""
    most = MOST_HITS if only == EVERYTHING else FILTERED * MOST_HITS
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
        evidence, seq = passage_evidence(bm25, matched[rowid], asked), rowid >> PLACE_BITS
        if evidence > best.get(seq, 0.0):
            best[seq] = evidence
    return Weighed(_within(database, best, only), asked)


def _within(database: Database, scores: dict[int, float], only: EntryFilter) -> dict[int, float]:
    if only == EVERYTHING:
        return scores
    within = where(only)
    rows = database.rows(SELECT_OF_THEM.format(within=within.sql), (in_list(scores), *within.parameters))
    return {seq: scores[seq] for (seq,) in rows}


def _rarest(database: Database, terms: Sequence[str], most: int) -> Iterator[tuple[str, int]]:
    """Yield *terms* with the number of passages that hold them, the rarest first, up to *most* hits."""
    counts = frequencies(database, "passages_fts", terms)
    hits = 0
    for term in sorted(terms, key=lambda term: (counts[term], term)):
        if hits and hits + counts[term] > most:
            return
        hits += counts[term]
        yield term, counts[term]
