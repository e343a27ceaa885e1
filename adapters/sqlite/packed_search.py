"""BM25 from packed postings: what FTS5's `bm25()` computes, to the last bit, in a fifth of the time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import compress, count

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.fts import any_of, frequencies
from hardwon.adapters.sqlite.postings import PackedTerm, packed_lengths, packed_terms, tokenized, varints
from hardwon.domain.model.keywords import inverse_document_frequency
from hardwon.domain.model.text import without_marks

K1, B = 1.2, 0.75
"""The parameters of FTS5's `bm25()`."""

SELECT_TAIL = "SELECT rowid, -bm25(entries_fts) FROM entries_fts WHERE entries_fts MATCH ? AND rowid >= ?"


def packed_scores(database: Database, terms: Sequence[str], counted: Mapping[str, int]) -> dict[int, float] | None:
    """
    Return the BM25 of every entry that contains any of *terms*, by number; None where FTS5 has to search.

    Entries after the packed blocks are searched by FTS5. Packed postings count only if they have each term as often as FTS5.

    Args:
        database: The store.
        terms: The words to find.
        counted: How many entries contain each, as FTS5 counts them.

    Raises:
        StorageError: the store can't be read.
    """
    blocks = packed_lengths(database)
    if not blocks or not computes_as_sqlite() or not (stems := _stems(terms)):
        return None
    end = max(blocks) + 1 << SHIFT
    packed = packed_terms(database, stems, max(blocks))
    found = Counter[str]()
    for terms_of_block in packed.values():
        found.update({stem: len(term.places) for stem, term in terms_of_block.items()})
    after = frequencies(database, "entries_fts", terms, end)
    if any(found[stem] + after[term] != counted[term] for term, stem in zip(terms, stems, strict=True)):
        return None
    size, *totals = varints(database.value("SELECT block FROM entries_fts_data WHERE id = 1"))
    weights = [(stem, inverse_document_frequency(size, counted[term])) for term, stem in zip(terms, stems, strict=True)]
    scores = dict[int, float]()
    for block, terms_of_block in packed.items():
        holding = [(weight, terms_of_block[stem]) for stem, weight in weights if stem in terms_of_block]
        of_places = bm25(holding, blocks[block], sum(totals) / size)
        scores.update(zip(compress(count(block << SHIFT), of_places), filter(None, of_places), strict=True))
    scores.update(database.rows(SELECT_TAIL, (any_of(terms), end)))
    return scores


def bm25(holding: Sequence[tuple[float, PackedTerm]], lengths: Sequence[int], average: float) -> list[float]:
    """
    Return the BM25 of every place of a block, 0 where no term is.

    Args:
        holding: The terms of the query that the block holds, in the query's order, each after its inverse document frequency.
        lengths: The number of words of each place.
        average: The mean number of words of all entries.

    """
    scores = [0.0] * len(lengths)
    saturation = {length: K1 * (1 - B + B * length / average) for length in {*lengths}}
    of_place = [saturation[length] for length in lengths]
    for weight, term in holding:
        for place, times in zip(term.places, term.counts):  # noqa: B905  # strict costs a tenth
            scores[place] += weight * ((times * (K1 + 1)) / (times + of_place[place]))
    return scores


def _stems(terms: Sequence[str]) -> list[str]:
    """Return how FTS5 stores each of *terms*; none if one of them is not one word."""
    with closing(tokenized([*enumerate(map(without_marks, terms))])) as connection:
        found = connection.execute("SELECT doc, term FROM token ORDER BY doc").fetchall()
    return [stem for _, stem in found] if [doc for doc, _ in found] == [*range(len(terms))] else []


PROBE = [(count, "found " * count + "other " * count**2) for count in range(1, 9)]


@cache
def computes_as_sqlite() -> bool:
    """Return whether this build of SQLite rounds as Python does: a compiler may join a product and a sum."""
    lengths = [count + count**2 for count, _ in PROBE]
    counts = [count for count, _ in PROBE]
    term = PackedTerm([*range(len(PROBE))], counts)
    weight = inverse_document_frequency(len(PROBE), len(PROBE))
    with closing(tokenized(PROBE)) as connection:
        theirs = connection.execute(
            "SELECT -bm25(texts) FROM texts WHERE texts MATCH 'found' ORDER BY rowid"
        ).fetchall()
    return [(score,) for score in bm25([(weight, term)], lengths, sum(lengths) / len(lengths))] == theirs
