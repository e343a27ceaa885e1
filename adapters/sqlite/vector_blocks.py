"""
Blocks of vectors: which of them changed, and each packed into one value that is scanned quickly.

A block is a range of 1,024 numbers of entries in one space. Triggers give it a new stamp with every change of a vector and drop its
packed value in the same transaction, in every process; the next write of vectors packs it again. Nothing here is needed for a right
answer: a block that is not listed, not packed or does not fit its stamp is read vector by vector.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.derived import LAST_PLACE, SHIFT, bounds, remake
from hardwon.domain.model.errors import StorageError
from hardwon.ports.vectors import BlockState, VectorBlock

MAX_AT_ONCE = 16
"""Blocks that one write packs: a third of a second of CPU."""

TABLE = "vector_block"
TRIGGERS = ("vector_block_inserted", "vector_block_updated", "vector_block_deleted")

Pack: TypeAlias = Callable[[VectorBlock, int], bytes | None]
"""Packs a block under its stamp; None where that is not possible."""

STATES = f"""
    WITH RECURSIVE found (block) AS (
        SELECT min(entry_seq) >> {SHIFT} FROM vector WHERE space_id = ?1
        UNION
        SELECT (SELECT min(entry_seq) >> {SHIFT} FROM vector WHERE space_id = ?1 AND entry_seq > block << {SHIFT} | {LAST_PLACE})
        FROM found WHERE block IS NOT NULL
    )
    SELECT found.block, {{state}} FROM found {{joined}} WHERE found.block IS NOT NULL ORDER BY found.block
"""
"""A lookup for each block in the index of vectors, not a scan of it. By UNION a damaged number ends it: no block comes twice."""

LISTED = STATES.format(
    state="listed.stamp, typeof(listed.packed) = 'blob'",  # IS NOT NULL would read it
    joined="LEFT JOIN vector_block listed ON listed.space_id = ?1 AND listed.block = found.block",
)
UNLISTED = STATES.format(state="NULL, 0", joined="")

KEEP = """
    INSERT INTO vector_block (space_id, block, stamp, packed) VALUES (?, ?, ?, ?)
    ON CONFLICT (space_id, block) DO UPDATE SET stamp = excluded.stamp, packed = excluded.packed
"""


def ensure_blocks(database: Database) -> None:
    """Make the table and its triggers again where one was dropped; a store that can't be written stays as it is."""
    from hardwon.adapters.sqlite.migrations import VECTOR_BLOCKS  # noqa: PLC0415  # rarely needed

    remake(database, (TABLE,), TRIGGERS, VECTOR_BLOCKS)


def states(database: Database, space_id: int) -> Mapping[int, BlockState]:
    """Return the blocks of a space, by number; without stamps if the table is missing."""
    try:
        rows = database.rows(LISTED, (space_id,))
    except StorageError:
        rows = database.rows(UNLISTED, (space_id,))
    return {number: BlockState(stamp, bool(is_packed)) for number, stamp, is_packed in rows}


def packed(database: Database, space_id: int, number: int) -> bytes | None:
    """Return a block as it was packed."""
    blob = database.value("SELECT packed FROM vector_block WHERE space_id = ? AND block = ?", (space_id, number))
    return blob if isinstance(blob, bytes) else None


def drop_packed(database: Database, space_id: int, number: int | None = None) -> None:
    """Drop the packed form of a block, or of all blocks of a space."""
    database.rows(
        "UPDATE vector_block SET packed = NULL WHERE space_id = ?1 AND block = coalesce(?2, block)", (space_id, number)
    )


def pack_blocks(
    database: Database, space_id: int, load: Callable[[int], VectorBlock], pack: Pack, most: int | None = MAX_AT_ONCE
) -> None:
    """
    Pack at most *most* blocks of a space that are not, but for the newest, which still grows; each in a transaction of its own.

    A block with a vector that can't be used stays as it is: the reader of a block warns of that vector.

    Args:
        database: The store.
        space_id: The id of the space.
        load: Returns the usable vectors of a block.
        pack: Packs them.
        most: None for all.

    Raises:
        StorageError: the store can't be written now.

    """
    found = states(database, space_id)
    complete = [number for number, state in found.items() if not state.is_packed and number != max(found)]
    for number in complete[:most]:
        with database.transaction():
            _pack_block(database, space_id, number, load, pack)


def _pack_block(database: Database, space_id: int, number: int, load: Callable[[int], VectorBlock], pack: Pack) -> None:
    state = states(database, space_id).get(number)
    if state is None or state.is_packed:  # another process was faster
        return
    stamp = database.value("SELECT random()") if state.stamp is None else state.stamp
    block = load(number)
    if len(block.seqs) == _count(database, space_id, number) and (value := pack(block, stamp)):
        database.rows(KEEP, (space_id, number, stamp, value))


def _count(database: Database, space_id: int, number: int) -> int:
    within = "SELECT count(*) FROM vector WHERE space_id = ? AND entry_seq BETWEEN ? AND ?"
    return int(database.value(within, (space_id, *bounds(number))))
