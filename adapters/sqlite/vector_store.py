import sys
from array import array
from collections.abc import Callable, Iterable, Sequence

from hardwon.adapters.sqlite.database import Database, Row, in_list
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.ports.vector_source import VectorBlock
from hardwon.ports.vector_store import PendingText

VALUE_BYTES = 4

SELECT_VECTORS = """
    SELECT v.entry_seq, e.category, v.vec FROM vector v JOIN entry e ON e.seq = v.entry_seq
    WHERE v.space_id = ? AND e.kind = 'learning'
"""

SELECT_PENDING = """
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
    WHERE e.kind = 'learning' AND NOT EXISTS (
        SELECT 1 FROM vector v WHERE v.space_id = ? AND v.entry_seq = e.seq
    )
"""


class SqliteVectorStore:
    """
    The vectors of one space: what is stored, what is missing, and where an index gets them.

    Args:
        database: The store.
        space: All calls are about this space.
        warn: Told in one line of a stored vector that can't be used.

    """

    def __init__(self, database: Database, space: Space, warn: Callable[[str], None]) -> None:
        self._database = database
        self._space = space
        self._warn = warn

    @property
    def space(self) -> Space:
        """The space all calls are about."""
        return self._space

    @property
    def dimensions(self) -> int:
        """Width of every vector."""
        return self._space.dimensions

    def count(self) -> int:
        """Return how many learnings have a vector."""
        return int(
            self._database.value(
                "SELECT count(*) FROM vector v JOIN entry e ON e.seq = v.entry_seq"
                " WHERE v.space_id = ? AND e.kind = 'learning'",
                (self._space_id(),),
            )
        )

    def count_pending(self) -> int:
        """Return how many learnings have none."""
        return int(self._database.value(f"SELECT count(*) {SELECT_PENDING}", (self._space_id(),)))

    def pending(self, limit: int) -> list[PendingText]:
        """Return entries without a vector, newest first."""
        rows = self._database.rows(
            "SELECT e.seq, t.name, t.description, t.notes, t.reasoning, t.text_hash"
            f" {SELECT_PENDING} ORDER BY e.updated_at DESC, e.id LIMIT ?",
            (self._space_id(), max(0, limit)),
        )
        return [PendingText(seq, "\n".join(filter(None, texts)), text_hash) for seq, *texts, text_hash in rows]

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        """Store vectors of texts that are still what they were; the space becomes the active one."""
        with self._database.transaction():
            space_id = self._activate()
            self._database.run_many(
                "INSERT INTO vector (space_id, entry_seq, text_hash, vec)"
                " SELECT ?1, entry_seq, text_hash, ?4 FROM entry_text WHERE entry_seq = ?2 AND text_hash = ?3"
                " ON CONFLICT (space_id, entry_seq) DO UPDATE SET text_hash = excluded.text_hash, vec = excluded.vec",
                ((space_id, text.seq, text.text_hash, _to_blob(vector)) for text, vector in vectors),
            )

    def clear(self) -> None:
        """Drop every vector of the space."""
        with self._database.transaction():
            self._database.rows("DELETE FROM vector WHERE space_id = ?", (self._space_id(),))

    def load(self) -> VectorBlock:
        """Return the vectors of all learnings."""
        return self._block(self._database.rows(SELECT_VECTORS, (self._space_id(),)))

    def fetch(self, seqs: Sequence[int]) -> VectorBlock:
        """Return the vectors of those of *seqs* that have one."""
        return self._block(
            self._database.rows(
                f"{SELECT_VECTORS} AND v.entry_seq IN (SELECT value FROM json_each(?))",
                (self._space_id(), in_list(seqs)),
            )
        )

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        """Return *seqs*, the newest first, then by id."""
        rows = self._database.rows(
            "SELECT e.seq FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value ORDER BY e.updated_at DESC, e.id",
            (in_list(seqs),),
        )
        return [seq for (seq,) in rows]

    def _block(self, rows: Iterable[Row]) -> VectorBlock:
        seqs, categories, values = list[int](), list[str](), array("f")
        for seq, category, blob in rows:
            if len(blob) != self._space.dimensions * VALUE_BYTES:
                self._warn(f"the vector of entry {seq} has {len(blob)} bytes: skipped, run: hardwon embed --all")
                continue
            seqs.append(seq)
            categories.append(category)
            values.frombytes(blob)
        if sys.byteorder == "big":
            values.byteswap()
        return VectorBlock(seqs, categories, values)

    def _space_id(self) -> int:
        """Return the number of the space, 0 when nothing was stored in it yet."""
        return int(self._database.value(f"SELECT id FROM space WHERE {SPACE_KEY}", self._key()) or 0)

    def _activate(self) -> int:
        self._database.rows(
            "INSERT OR IGNORE INTO space (provider, model, dimensions, task_scheme, weights_hash) VALUES (?, ?, ?, ?, ?)",
            self._key(),
        )
        space_id = self._space_id()
        self._database.run_many(
            "INSERT INTO _metadata VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (
                ("active_space", str(space_id)),
                ("embedding_provider", self._space.provider),
                ("embedding_model", self._space.model),
                ("embedding_dimensions", str(self._space.dimensions)),
            ),
        )
        return space_id

    def _key(self) -> tuple[object, ...]:
        space = self._space
        return (space.provider, space.model, space.dimensions, space.task_scheme, space.weights_hash)


SPACE_KEY = "(provider, model, dimensions, task_scheme, weights_hash) = (?, ?, ?, ?, ?)"


def _to_blob(vector: Vector) -> bytes:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector.tobytes()
