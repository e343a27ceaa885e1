"""
Packed postings.

A posting says for a term, in blocks of 1,024 entries, which of them, and which of their
passages, hold it and how often. A complete block is packed when a writable store is closed, and
dropped in the transaction that changes a word in it. Answers do not depend on it: FTS5 searches
blocks that are not packed, and everything if something does not match.
"""

import sqlite3
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import count
from typing import Literal, NamedTuple
from zlib import crc32

from hardwon.adapters.sqlite.database import Row, SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT, bounds, remake
from hardwon.adapters.sqlite.keyword_matches import (
    COLUMNS,
    PLACE_BITS,
    TOKENIZER,
)

MAX_AT_ONCE = 8
"""
Blocks packed when a store is closed.

2 s of CPU, once for what was written.
"""

Texts = Literal["entries", "passages"]

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


SELECT_PASSAGES = "SELECT rowid, text FROM passages_fts WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
FURTHER = (1 << PLACE_BITS) - 1
"""Mask of a passage's place in its row id."""


class PackedTerm(NamedTuple):
    """
    The texts of a block that hold a term.

    Attributes:
        places: Their places in the block, ascending.
        counts: How often each holds it, at least 1.

    """

    places: Sequence[int]
    counts: Sequence[int]


class PackedBlock(NamedTuple):
    """
    The number of words of each text of a block.

    The first passage of an entry has the entry's place, further passages follow.

    Attributes:
        entries: By place.
        passages: By place.
        owners: The place of the entry of each further passage.

    """

    entries: Sequence[int]
    passages: Sequence[int]
    owners: Sequence[int]

    @classmethod
    def of(cls, values: Sequence[int]) -> "PackedBlock | None":
        """Return the block in unsealed *values*, None if they are damaged."""
        further = (len(values) >> 1) - (1 << SHIFT)
        if further < 0:
            return None
        end = len(values) - further
        return cls(values[: 1 << SHIFT], values[1 << SHIFT : end], owners=values[end:])

    def numbers(self, first: int, places: Iterable[int]) -> Iterator[int]:
        """Yield the entries of passages, in a block that begins with entry *first*."""
        end, owners = 1 << SHIFT, self.owners
        return (first + (place if place < end else owners[place - end]) for place in places)


def ensure_postings(database: SqliteDatabase) -> None:
    """
    Make the tables again if one was dropped.

    A store that can't be written is left as it is.
    """
    from hardwon.adapters.sqlite.migrations import POSTINGS  # noqa: PLC0415  # rarely needed

    remake(database, TABLES, triggers=(), script=POSTINGS)


def packed_blocks(database: SqliteDatabase) -> Mapping[int, PackedBlock | None]:
    """Return all blocks, None for those that are not packed."""
    return database.kept(
        BLOCKS,
        lambda: {
            block: PackedBlock.of(_unsealed("I", block, term=b"", value=value))
            for block, value in database.rows(BLOCKS)
        },
    )


def packed_terms(
    database: SqliteDatabase, stems: Sequence[str], last: int, texts: Texts
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
            found[block][term.decode()] = _posting(values, texts)
    return found


def _posting(values: Sequence[int], texts: Texts) -> PackedTerm:
    """
    Return the posting of entries or of passages.

    Equal ones are kept once.
    """
    end = 1 + 2 * values[0]
    own = values[end + 1 :] if texts == "passages" and len(values) > end else values[1:end]
    half = len(own) // 2
    return PackedTerm(own[:half], own[half:])


def drop_postings(database: SqliteDatabase, numbers: Iterable[int] | None = None) -> None:
    """Drop the packed blocks of entries, or all blocks."""
    for table in TABLES:
        if numbers is None:
            database.rows(f"DELETE FROM {table}")
        else:
            blocks = {(number >> SHIFT,) for number in numbers}
            database.run_many(f"DELETE FROM {table} WHERE block = ?", blocks)


def pack_postings(database: SqliteDatabase, most: int | None = MAX_AT_ONCE) -> None:
    """
    Pack at most *most* complete blocks, each in its own transaction.

    The newest block still grows and is not packed.
    """
    complete = [
        block for block, packed in [*packed_blocks(database).items()][:-1] if packed is None
    ]
    for block in complete[:most]:
        with database.transaction():
            _pack(database, block)


def _pack(database: SqliteDatabase, block: int) -> None:
    first, last = bounds(block)
    texts = database.rows(SELECT_TEXTS, (first, last))
    passages = database.rows(SELECT_PASSAGES, (first << PLACE_BITS, (last + 1 << PLACE_BITS) - 1))
    rows = posting_rows(block, texts, passages)
    if rows is None:
        return  # an entry like that is rare: FTS5 goes on searching its block
    drop_postings(database, [first])
    database.run_many(INSERT_POSTING, rows.postings)
    database.rows(INSERT_LENGTHS, rows.lengths)


INSERT_POSTING = "INSERT INTO posting (block, term, packed) VALUES (?, ?, ?)"
INSERT_LENGTHS = "INSERT INTO posting_block (block, lengths) VALUES (?, ?)"


class PostingRows(NamedTuple):
    """The rows of a packed block in both tables."""

    postings: Sequence[Row]
    lengths: Row


def posting_rows(block: int, texts: Sequence[Row], passages: Sequence[Row]) -> PostingRows | None:
    """
    Pack the *texts* of entries and their *passages*, by row id.

    None if one holds a term too often.
    """
    first, _ = bounds(block)
    entries = _Counts.of([(number - first, text) for number, text in texts])
    owners = array("I", ((rowid >> PLACE_BITS) - first for rowid, _ in passages if rowid & FURTHER))
    further = count(1 << SHIFT)
    of_passages = _Counts.of(
        [
            (next(further) if rowid & FURTHER else (rowid >> PLACE_BITS) - first, text)
            for rowid, text in passages
        ],
        places=(1 << SHIFT) + len(owners),
    )
    try:
        rows = [
            (block, term.encode(), _sealed(block, term.encode(), values))
            for term, values in _joined(entries.terms, of_passages.terms)
        ]
    except OverflowError:
        return None
    lengths = _sealed(block, b"", entries.lengths + of_passages.lengths + owners)
    return PostingRows(rows, (block, lengths))


class _Counts(NamedTuple):
    """
    The words of some texts.

    Attributes:
        lengths: The number of words of each text, by place.
        terms: For each term the places, then how often the text there holds it.

    """

    lengths: "array[int]"
    terms: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, texts: Sequence[tuple[int, str]], places: int = 1 << SHIFT) -> "_Counts":
        lengths, terms = array("I", bytes(4 * places)), dict[str, Sequence[int]]()
        with closing(tokenized(texts)) as connection:
            for term, docs in connection.execute(HELD):
                counts = sorted(Counter(map(int, docs.split(","))).items())
                found, times = zip(*counts, strict=True)
                terms[term] = (*found, *times)
            for place, size in connection.execute("SELECT id, sz FROM texts_docsize"):
                lengths[place] = next(varints(size))
        return cls(lengths, terms)


HELD = "SELECT term, group_concat(doc) FROM token GROUP BY term"


def _joined(
    entries: Mapping[str, Sequence[int]], passages: Mapping[str, Sequence[int]]
) -> "Iterator[tuple[str, array[int]]]":
    """Yield each term with its postings, as `_posting` reads them."""
    for term in sorted(entries.keys() | passages.keys()):
        of_entries, of_passages = entries.get(term, ()), passages.get(term, ())
        further = () if of_passages == of_entries else (len(of_passages) // 2, *of_passages)
        yield term, array("H", (len(of_entries) // 2, *of_entries, *further))


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


def _checksum(block: int, term: bytes, body: bytes) -> bytes:
    """
    Return the checksum of numbers in this machine's byte order.

    It does not match in another byte order.
    """
    return crc32(body, crc32(term, _seed(block))).to_bytes(CHECKSUM_BYTES, "little")


FORMAT = 2
"""Blocks of another format are packed again. The first had no passages."""


@cache
def _seed(block: int) -> int:
    return crc32(f"{sys.byteorder} {FORMAT} {block} ".encode())


def _sealed(block: int, term: bytes, values: "array[int]") -> bytes:
    return values.tobytes() + _checksum(block, term, values.tobytes())


SOUND = crc32(bytes(CHECKSUM_BYTES))
"""The CRC of any bytes that their own CRC follows."""


def _unsealed(code: Literal["H", "I"], block: int, term: object, value: object) -> Sequence[int]:
    """Return the numbers in *value*, none if it is damaged."""
    if not isinstance(value, bytes) or not isinstance(term, bytes):
        return ()
    is_sound = crc32(value, crc32(term, _seed(block))) == SOUND
    return memoryview(value)[:-CHECKSUM_BYTES].cast(code) if is_sound else ()
