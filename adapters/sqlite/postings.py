"""
Packed postings and BM25 computed from them.

A posting says for a term, in blocks of 1,024 entries, which of them hold it and how often.
A complete block is packed when a writable store is closed, and dropped in the transaction
that changes a word in it. Answers do not depend on it: FTS5 searches blocks that are not
packed, and everything if something does not match.
"""

import sqlite3
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import compress, count, groupby, takewhile
from operator import itemgetter
from typing import Literal, NamedTuple
from zlib import crc32

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT, bounds, remake
from hardwon.adapters.sqlite.keyword_matches import COLUMNS, TOKENIZER, any_of, frequencies
from hardwon.domain.model.keywords import inverse_document_frequency
from hardwon.domain.model.text import without_marks

MAX_AT_ONCE = 16
"""
Blocks packed when a store is closed.

1.5 s of CPU, once for what was written.
"""

TABLES = ("posting_block", "posting")

BLOCKS = f"""
    WITH RECURSIVE found (block) AS (
        SELECT min(id) >> {SHIFT} FROM entries_fts_docsize
        UNION
        SELECT (SELECT min(id) >> {SHIFT} FROM entries_fts_docsize WHERE id >= (block + 1) << {SHIFT})
        FROM found WHERE block IS NOT NULL
    )
    SELECT found.block, listed.lengths FROM found LEFT JOIN posting_block listed ON listed.block = found.block
    WHERE found.block IS NOT NULL ORDER BY found.block
"""
"""
Looks up each block.

UNION ends the recursion at a damaged number, as no block comes twice.
"""

SELECT_POSTINGS = """
    SELECT listed.block, posting.term, posting.packed
    FROM posting_block listed CROSS JOIN posting ON posting.block = listed.block AND posting.term IN ({terms})
    WHERE listed.block <= ?
"""

SELECT_TEXTS = (
    f"SELECT rowid, {' || char(10) || '.join(COLUMNS)} FROM entries_fts WHERE rowid BETWEEN ? AND ?"
)


class PackedTerm(NamedTuple):
    """
    The entries of a block that hold a term.

    Attributes:
        places: Their places in the block, ascending.
        counts: How often each holds it, at least 1.

    """

    places: Sequence[int]
    counts: Sequence[int]


def ensure_postings(database: SqliteDatabase) -> None:
    """
    Make the tables again if one was dropped.

    A store that can't be written is left as it is.
    """
    from hardwon.adapters.sqlite.migrations import POSTINGS  # noqa: PLC0415  # rarely needed

    remake(database, TABLES, triggers=(), script=POSTINGS)


def packed_lengths(database: SqliteDatabase) -> dict[int, Sequence[int]]:
    """
    Return the number of words at each place, by block.

    Ends before the first block that is not packed.
    """
    read = (
        (block, _unsealed("I", block, term=b"", value=value)) for block, value in _blocks(database)
    )
    return {
        block: lengths
        for block, lengths in takewhile(itemgetter(1), read)
        if len(lengths) == 1 << SHIFT
    }


def packed_terms(
    database: SqliteDatabase, stems: Sequence[str], last: int
) -> Mapping[int, Mapping[str, PackedTerm]]:
    """
    Return the packed postings of *stems*, by block and stem.

    Damaged ones are left out.
    """
    terms = [stem.encode() for stem in dict.fromkeys(stems)]
    sql = SELECT_POSTINGS.format(terms=", ".join("?" * len(terms)))
    found = defaultdict[int, dict[str, PackedTerm]](dict)
    for block, term, value in database.rows(sql, (*terms, last)):
        if values := _unsealed("H", block, term=term, value=value):
            half = len(values) // 2
            found[block][term.decode()] = PackedTerm(values[:half], values[half:])
    return found


def drop_postings(database: SqliteDatabase, number: int | None = None) -> None:
    """Drop the packed block of an entry, or all blocks."""
    for table in TABLES:
        if number is None:
            database.rows(f"DELETE FROM {table}")
        else:
            database.rows(f"DELETE FROM {table} WHERE block = ?", (number >> SHIFT,))


def pack_postings(database: SqliteDatabase, most: int | None = MAX_AT_ONCE) -> None:
    """
    Pack at most *most* complete blocks, each in its own transaction.

    The newest block still grows and is not packed.
    """
    complete = [
        block for block, lengths in _blocks(database)[:-1] if not isinstance(lengths, bytes)
    ]
    for block in complete[:most]:
        with database.transaction():
            _pack(database, block)


def _blocks(database: SqliteDatabase) -> list[tuple[int, object]]:
    return database.rows(BLOCKS)


def _pack(database: SqliteDatabase, block: int) -> None:
    first, last = bounds(block)
    lengths = array("I", bytes(4 << SHIFT))
    for number, sizes in database.rows(
        "SELECT id, sz FROM entries_fts_docsize WHERE id BETWEEN ? AND ?", (first, last)
    ):
        lengths[number - first] = sum(varints(sizes))
    rows = []
    for term, of_term in groupby(
        _counted(database.rows(SELECT_TEXTS, (first, last))), itemgetter(0)
    ):
        _, numbers, counts = zip(*of_term, strict=True)
        if max(counts) > LARGEST_COUNT:
            return  # an entry like that is rare: FTS5 goes on searching its block
        values = array("H", (*(number - first for number in numbers), *counts))
        rows.append((block, term.encode(), _sealed(block, term.encode(), values)))
    drop_postings(database, first)
    database.run_many("INSERT INTO posting (block, term, packed) VALUES (?, ?, ?)", rows)
    database.rows(
        "INSERT INTO posting_block (block, lengths) VALUES (?, ?)",
        (block, _sealed(block, b"", lengths)),
    )


LARGEST_COUNT = (1 << 16) - 1


def _counted(texts: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """Yield terms with a text's number and their count in it, ordered by both."""
    with closing(tokenized(texts)) as connection:
        yield from connection.execute(
            "SELECT term, doc, count(*) FROM token GROUP BY term, doc ORDER BY term, doc"
        )


def tokenized(texts: Sequence[tuple[int, str]]) -> sqlite3.Connection:
    """
    Return a database in memory with the terms of numbered *texts*.

    Its table `token` has each term as FTS5 stores it, with its `doc`.
    """
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = '{TOKENIZER}')")
    connection.execute("CREATE VIRTUAL TABLE token USING fts5vocab(texts, instance)")
    connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", texts)
    return connection


def varints(blob: bytes) -> Iterator[int]:
    """
    Yield the integers of *blob*.

    They are SQLite's variable-length integers of at most eight bytes.
    """
    value = 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  # the highest bit says that more follow
            yield value
            value = 0


CHECKSUM_BYTES = 4


def _checksum(block: int, term: bytes, body: bytes | memoryview) -> bytes:
    """
    Return the checksum of numbers in this machine's byte order.

    It does not match in another byte order.
    """
    return crc32(body, crc32(term, _seed(block))).to_bytes(CHECKSUM_BYTES, "little")


@cache
def _seed(block: int) -> int:
    return crc32(f"{sys.byteorder} {block} ".encode())


def _sealed(block: int, term: bytes, values: "array[int]") -> bytes:
    return values.tobytes() + _checksum(block, term, values.tobytes())


def _unsealed(code: Literal["H", "I"], block: int, term: object, value: object) -> Sequence[int]:
    """Return the numbers in *value*, none if it is damaged."""
    if not isinstance(value, bytes) or not isinstance(term, bytes):
        return ()
    body, checksum = memoryview(value)[:-CHECKSUM_BYTES], value[-CHECKSUM_BYTES:]
    return body.cast(code) if checksum == _checksum(block, term, body) else ()


K1, B = 1.2, 0.75
"""The parameters of FTS5's `bm25()`."""

SELECT_TAIL = (
    "SELECT rowid, -bm25(entries_fts) FROM entries_fts WHERE entries_fts MATCH ? AND rowid >= ?"
)


def packed_scores(
    database: SqliteDatabase,
    terms: Sequence[str],
    counted: Mapping[str, int],
    within: Container[int] | None = None,
) -> dict[int, float] | None:
    """
    Return the BM25 of entries with any of *terms*, by number.

    None if FTS5 has to search. FTS5 searches the entries after the packed blocks. Packed postings
    are used only if they have each term as often as FTS5.

    Args:
        database: The store.
        terms: The words to find.
        counted: The number of entries with each term according to FTS5.
        within: The blocks to score, None for all.
    """
    blocks = packed_lengths(database)
    if not blocks or not computes_as_sqlite() or not (stems := _stems(terms)):
        return None
    end = max(blocks) + 1 << SHIFT
    packed = packed_terms(database, stems, max(blocks))
    found = Counter[str]()
    for terms_of_block in packed.values():
        found.update({stem: len(term.places) for stem, term in terms_of_block.items()})
    after = frequencies(database, "entries_fts", terms=terms, first=end)
    if any(
        found[stem] + after[term] != counted[term] for term, stem in zip(terms, stems, strict=True)
    ):
        return None
    size, *totals = varints(database.value("SELECT block FROM entries_fts_data WHERE id = 1"))
    weights = [
        (stem, inverse_document_frequency(size, counted[term]))
        for term, stem in zip(terms, stems, strict=True)
    ]
    scores = dict[int, float]()
    for block, terms_of_block in packed.items():
        if within is not None and block not in within:
            continue
        holding = [
            (weight, terms_of_block[stem]) for stem, weight in weights if stem in terms_of_block
        ]
        of_places = bm25(holding, blocks[block], sum(totals) / size)
        scores.update(
            zip(compress(count(block << SHIFT), of_places), filter(None, of_places), strict=True)
        )
    scores.update(database.rows(SELECT_TAIL, (any_of(terms), end)))
    return scores


def bm25(
    holding: Sequence[tuple[float, PackedTerm]], lengths: Sequence[int], average: float
) -> list[float]:
    """
    Return the BM25 of every place of a block.

    Args:
        holding: The query's terms in the block, in the query's order. Each comes after its inverse
            document frequency.
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
    """Return FTS5's form of each term, none if one is not a single word."""
    with closing(tokenized([*enumerate(map(without_marks, terms))])) as connection:
        found = connection.execute("SELECT doc, term FROM token ORDER BY doc").fetchall()
    return [stem for _, stem in found] if [doc for doc, _ in found] == [*range(len(terms))] else []


PROBE = [(count, "found " * count + "other " * count**2) for count in range(1, 9)]


@cache
def computes_as_sqlite() -> bool:
    """
    Return whether this build of SQLite rounds as Python does.

    A compiler may fuse a product and a sum.
    """
    lengths = [count + count**2 for count, _ in PROBE]
    counts = [count for count, _ in PROBE]
    term = PackedTerm([*range(len(PROBE))], counts)
    weight = inverse_document_frequency(len(PROBE), len(PROBE))
    with closing(tokenized(PROBE)) as connection:
        theirs = connection.execute(
            "SELECT -bm25(texts) FROM texts WHERE texts MATCH 'found' ORDER BY rowid"
        ).fetchall()
    return [
        (score,) for score in bm25([(weight, term)], lengths, sum(lengths) / len(lengths))
    ] == theirs
