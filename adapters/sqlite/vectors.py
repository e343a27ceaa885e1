"""The vectors of an embedding space in the store's tables."""

import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from hardwon.adapters.sql.vectors import SqlVectorStore
from hardwon.adapters.sqlite.database import Row, SqliteDatabase, in_list
from hardwon.adapters.sqlite.derived import (
    LAST_PLACE,
    SHIFT,
    admits_all,
    bounds,
    count_ranked,
    remake,
)
from hardwon.adapters.sqlite.query import IN_TIE_ORDER, where
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockSource, BlockState, PendingText, VectorBlock

MAX_AT_ONCE = 16
"""Blocks that one write packs: a third of a second of CPU."""

BLOCK_TABLE = "vector_block"
BLOCK_TRIGGERS = ("vector_block_inserted", "vector_block_updated", "vector_block_deleted")

Pack: TypeAlias = Callable[[VectorBlock, int], bytes | None]
"""Packs a block under its stamp, or returns None where that is not possible."""

STATES = f"""
    WITH RECURSIVE found (block) AS (
        SELECT min(entry_seq) >> {SHIFT} FROM vector WHERE space_id = ?1
        UNION
        SELECT (SELECT min(entry_seq) >> {SHIFT} FROM vector WHERE space_id = ?1 AND entry_seq > block << {SHIFT} | {LAST_PLACE})
        FROM found WHERE block IS NOT NULL
    )
    SELECT found.block, {{state}} FROM found {{joined}} WHERE found.block IS NOT NULL ORDER BY found.block
"""
"""
Looks up each block in the index of vectors, without a scan.

UNION ends the recursion at a damaged number, as no block comes twice.
"""

LISTED = STATES.format(
    state="listed.stamp, typeof(listed.packed) = 'blob'",  # IS NOT NULL would read it
    joined="LEFT JOIN vector_block listed ON listed.space_id = ?1 AND listed.block = found.block",
)
UNLISTED = STATES.format(state="NULL, 0", joined="")

KEEP = """
    INSERT INTO vector_block (space_id, block, stamp, packed) VALUES (?, ?, ?, ?)
    ON CONFLICT (space_id, block) DO UPDATE SET stamp = excluded.stamp, packed = excluded.packed
"""


def ensure_blocks(database: SqliteDatabase) -> None:
    """
    Make the table and its triggers again if one was dropped.

    A store that can't be written is left as it is.
    """
    from hardwon.adapters.sqlite.migrations import VECTOR_BLOCKS  # noqa: PLC0415  # rarely needed

    remake(database, (BLOCK_TABLE,), triggers=BLOCK_TRIGGERS, script=VECTOR_BLOCKS)


def states(database: SqliteDatabase, space_id: int) -> Mapping[int, BlockState]:
    """
    Return the blocks of a space, by number.

    They have no stamps if the table is missing.
    """
    try:
        rows = database.rows(LISTED, (space_id,))
    except StorageError:
        rows = database.rows(UNLISTED, (space_id,))
    return {number: BlockState(stamp, bool(is_packed)) for number, stamp, is_packed in rows}


def drop_packed(database: SqliteDatabase, space_id: int, number: int | None = None) -> None:
    """Drop a packed block, or all of a space."""
    database.rows(
        "UPDATE vector_block SET packed = NULL WHERE space_id = ?1 AND block = coalesce(?2, block)",
        (space_id, number),
    )


def pack_blocks(
    database: SqliteDatabase,
    space_id: int,
    load: Callable[[int], VectorBlock],
    pack: Pack,
    most: int | None = MAX_AT_ONCE,
) -> None:
    """
    Pack at most *most* complete blocks, each in its own transaction.

    The newest block still grows and is not packed. Nor is a block with an unusable vector: its
    reader warns of that vector.

    Args:
        database: The store.
        space_id: The id of the space.
        load: Returns the usable vectors of a block.
        pack: Packs them.
        most: None for all.
    """
    found = states(database, space_id)
    complete = [
        number for number, state in found.items() if not state.is_packed and number != max(found)
    ]
    for number in complete[:most]:
        with database.transaction():
            _pack_block(database, space_id, number=number, load=load, pack=pack)


def _pack_block(
    database: SqliteDatabase,
    space_id: int,
    number: int,
    load: Callable[[int], VectorBlock],
    pack: Pack,
) -> None:
    state = states(database, space_id).get(number)
    if state is None or state.is_packed:  # another process was faster
        return
    stamp = database.value("SELECT random()") if state.stamp is None else state.stamp
    block = load(number)
    if len(block.numbers) == _count(database, space_id, number) and (value := pack(block, stamp)):
        database.rows(KEEP, (space_id, number, stamp, value))


def _count(database: SqliteDatabase, space_id: int, number: int) -> int:
    within = "SELECT count(*) FROM vector WHERE space_id = ? AND entry_seq BETWEEN ? AND ?"
    return int(database.value(within, (space_id, *bounds(number))))


SPACE_KEY = "(provider, model, dimensions, task_scheme, weights_hash) = (?, ?, ?, ?, ?)"

PACKED = (
    "SELECT b.rowid FROM space JOIN vector_block b ON b.space_id = space.id"
    f" WHERE {SPACE_KEY} AND b.block = ? AND typeof(b.packed) = 'blob'"
)

VALUE_BYTES = 4

SELECT_SOME = """
    SELECT v.entry_seq, v.vec FROM json_each(?) wanted CROSS JOIN vector v ON v.space_id = ? AND v.entry_seq = wanted.value
"""

SELECT_BLOCK = """
    SELECT entry_seq, vec FROM vector WHERE space_id = ? AND entry_seq BETWEEN ? AND ? ORDER BY entry_seq
"""

PENDING_TEXT = """
    SELECT e.seq, t.name, t.description, t.notes, t.reasoning, t.text_hash
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
"""
FROM_VECTORS = (
    "FROM vector v JOIN entry e ON e.seq = v.entry_seq WHERE v.space_id = :space AND {within}"
)


class SqliteVectorStore(SqlVectorStore[SqliteDatabase], BlockSource):
    """
    The vectors of one embedding space, and blocks of them for an index.

    Args:
        warn: Called with one line about a stored vector that can't be used.
        kinds: The kinds of entries that are embedded in this space.
        is_active: Whether the store's metadata and its views refer to this space.
        pack: Packs complete blocks of vectors. None packs none.

    """

    HAS_ANY = f"SELECT 1 {FROM_VECTORS} LIMIT 1"
    COUNT = f"SELECT count(*) {FROM_VECTORS}"
    # The newest numbers mostly are those that wait: the search ends with the last one.
    PENDING = f"""
        {PENDING_TEXT} WHERE e.seq IN (
            SELECT e.seq FROM entry e WHERE {{within}}
                AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.space_id = :space AND v.entry_seq = e.seq)
            ORDER BY e.seq DESC LIMIT :waiting
        )
        ORDER BY e.updated_at DESC, e.id LIMIT :limit
    """
    TEXTS = f"{PENDING_TEXT} WHERE e.seq > :after AND {{within}} ORDER BY e.seq LIMIT :limit"
    PUT = """
        INSERT INTO vector (space_id, entry_seq, text_hash, vec) SELECT :space, entry_seq, text_hash, :vec
        FROM entry_text JOIN entry ON seq = entry_seq AND retired = 0 WHERE entry_seq = :number AND text_hash = :text_hash
        ON CONFLICT (space_id, entry_seq) DO UPDATE SET text_hash = excluded.text_hash, vec = excluded.vec
    """
    # Grouped by kind first, as an index of track records is ordered.
    MEMBERS = """
        SELECT category, group_concat(numbers) FROM (
            SELECT e.category, group_concat(e.seq) AS numbers FROM entry e WHERE {within}
            GROUP BY e.kind, e.category
        ) GROUP BY category
    """
    IN_TIE_ORDER = IN_TIE_ORDER

    def __init__(
        self,
        database: SqliteDatabase,
        space: Space,
        warn: Callable[[str], None],
        *,
        kinds: tuple[Kind, ...] = KINDS,
        is_active: bool = True,
        pack: Pack | None = None,
    ) -> None:
        super().__init__(database, space, kinds=kinds, is_active=is_active)
        self._warn = warn
        self._pack = pack

    @property
    @override
    def number(self) -> int:
        return int(
            self._database.value(f"SELECT id FROM space WHERE {SPACE_KEY}", self._key()) or 0
        )

    @override
    def count(self, only: EntryFilter) -> int:
        return self._count_all() if only == EVERYTHING else super().count(only)

    @override
    def count_pending(self, only: EntryFilter) -> int:
        if self.kinds == KINDS:
            waiting = count_ranked(self._database) - self._count_all()
            if not waiting or (only == EVERYTHING and waiting > 0):
                return waiting
        served = self._served_of(only)
        within = where(served)
        total = self._database.value(
            f"SELECT count(*) FROM entry e WHERE {within.sql}", **within.parameters
        )
        return int(total) - self.count(served)

    @override
    def pending(self, limit: int) -> list[PendingText]:
        waiting = self.count_pending(EVERYTHING)
        return self._texts(self.PENDING, self._served, limit, space=self.number, waiting=waiting)

    @override
    def vectors_of(self, entry_ids: Sequence[str]) -> Mapping[str, Vector]:
        marks = ", ".join("?" * len(entry_ids))
        rows = self._database.rows(
            "SELECT e.id, v.vec FROM vector v JOIN entry e ON e.seq = v.entry_seq WHERE v.space_id"
            f" = ? AND e.id IN ({marks})",
            (self.number, *entry_ids),
        )
        return {entry_id: _from_blob(blob) for entry_id, blob in rows}

    @override
    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        super().put(vectors)
        with suppress(StorageError):  # the next write packs them
            self._pack_blocks()

    @override
    def load(self, numbers: Sequence[int]) -> VectorBlock:
        return self._block(self._database.rows(SELECT_SOME, (in_list(numbers), self.number)))

    @override
    def blocks(self) -> Mapping[int, BlockState]:
        number = self.number
        return self._database.kept(f"blocks of {number}", lambda: states(self._database, number))

    @override
    def load_block(self, number: int) -> VectorBlock:
        return self._block(self._database.rows(SELECT_BLOCK, (self.number, *bounds(number))))

    @override
    def admits_all(self, only: EntryFilter) -> bool:
        return admits_all(self._database, only)

    @override
    def packed(self, number: int, most: int | None = None) -> bytes | None:
        row = self._database.value(PACKED, (*self._key(), number))
        if row is None:
            return None
        # Read as a stream: reading the column takes four times as long.
        with (
            self._database.translated(),
            self._database.connection.blobopen(BLOCK_TABLE, "packed", row, readonly=True) as blob,
        ):
            return blob.read(-1 if most is None else most)

    @override
    def unpack(self, number: int) -> None:
        with suppress(StorageError), self._database.waiting(0):  # a busy store keeps it
            drop_packed(self._database, self.number, number)

    def rebuild_blocks(self) -> None:
        """Drop all packed blocks and pack the complete ones again."""
        drop_packed(self._database, self.number)
        self._pack_blocks(most=None)

    def _pack_blocks(self, most: int | None = MAX_AT_ONCE) -> None:
        if self._pack:
            pack_blocks(
                self._database, self.number, load=self.load_block, pack=self._pack, most=most
            )

    def _block(self, rows: Sequence[Row]) -> VectorBlock:
        size = self._space.dimensions * VALUE_BYTES
        usable = {
            number: blob for number, blob in rows if isinstance(blob, bytes) and len(blob) == size
        }
        for number, blob in rows:
            if number not in usable:
                found = f"{len(blob)} bytes" if isinstance(blob, bytes) else "no bytes"
                self._warn(
                    f"the vector of entry {number} has {found}: skipped, run: hardwon embed --all"
                )
        return VectorBlock(list(usable), _from_blob(b"".join(usable.values())))

    def _count_all(self) -> int:
        """Return the number of vectors, by the keys of an index."""
        sql, number = "SELECT count(*) FROM vector WHERE space_id = ?", self.number
        return self._database.kept(
            f"vectors of {number}", lambda: int(self._database.value(sql, (number,)))
        )

    @override
    def _register(self) -> int:
        self._database.rows(
            "INSERT OR IGNORE INTO space (provider, model, dimensions, task_scheme, weights_hash)"
            " VALUES (?, ?, ?, ?, ?)",
            self._key(),
        )
        number = self.number
        if self._is_active:
            self._note_as_active(number)
        return number

    @override
    def _note_as_active(self, number: int) -> None:
        self._database.run_many(
            "INSERT INTO _metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value"
            " = excluded.value",
            (
                ("active_space", str(number)),
                ("embedding_provider", self._space.provider),
                ("embedding_model", self._space.model),
                ("embedding_dimensions", str(self._space.dimensions)),
            ),
        )

    @override
    def _insert(self, space: int, given: Sequence[tuple[PendingText, Vector]]) -> None:
        self._database.run_many(
            self.PUT,
            (
                {
                    "space": space,
                    "number": text.number,
                    "text_hash": text.text_hash,
                    "vec": _to_blob(vector),
                }
                for text, vector in given
            ),
        )

    def _key(self) -> tuple[object, ...]:
        space = self._space
        return (
            space.provider,
            space.model,
            space.dimensions,
            space.task_scheme,
            space.weights_hash,
        )


def _from_blob(blob: bytes) -> Vector:
    vector = array("f")
    vector.frombytes(blob[: len(blob) // VALUE_BYTES * VALUE_BYTES])
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def _to_blob(vector: Vector) -> bytes:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector.tobytes()
