import sys
from array import array
from collections.abc import Callable, Iterable, Sequence

from hardwon.adapters.sqlite.database import Database, Row, in_list
from hardwon.adapters.sqlite.tie_order import in_tie_order
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.ports.vector_source import VectorBlock
from hardwon.ports.vector_store import PendingText

VALUE_BYTES = 4

SELECT_VECTORS = """
    SELECT v.entry_seq, e.category, v.vec FROM vector v {path} JOIN entry e ON e.seq = v.entry_seq
    WHERE v.space_id = ? AND e.kind = 'learning'
"""
# Nearly every row is wanted: reading the table from end to end takes half as long as an index.
SELECT_ALL_VECTORS = SELECT_VECTORS.format(path="NOT INDEXED CROSS")
SELECT_SOME_VECTORS = SELECT_VECTORS.format(path="") + "AND v.entry_seq IN (SELECT value FROM json_each(?))"

COUNT_EMBEDDED = """
    SELECT count(*) FROM vector v JOIN entry e ON e.seq = v.entry_seq WHERE v.space_id = ? AND e.kind = 'learning'
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
        is_active: Whether the store's metadata and the view `entries` speak of this space.

    """

    def __init__(
        self, database: Database, space: Space, warn: Callable[[str], None], *, is_active: bool = True
    ) -> None:
        self._database = database
        self._space = space
        self._warn = warn
        self._is_active = is_active

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
        return int(self._database.value(COUNT_EMBEDDED, (self._space_id(),)))

    def count_pending(self) -> int:
        """Return how many learnings have none."""
        learnings = "SELECT count(*) FROM entry WHERE kind = 'learning'"
        return int(self._database.value(f"SELECT ({learnings}) - ({COUNT_EMBEDDED})", (self._space_id(),)))

    def pending(self, limit: int) -> list[PendingText]:
        """Return entries without a vector, newest first."""
        rows = self._database.rows(
            "SELECT e.seq, t.name, t.description, t.notes, t.reasoning, t.text_hash"
            f" {SELECT_PENDING} ORDER BY e.updated_at DESC, e.id LIMIT ?",
            (self._space_id(), max(0, limit)),
        )
        return [PendingText(seq, "\n".join(filter(None, texts)), text_hash) for seq, *texts, text_hash in rows]

    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        """Store vectors of texts that are still what they were."""
        with self._database.transaction():
            space_id = self._register()
            self._database.run_many(
                "INSERT INTO vector (space_id, entry_seq, text_hash, vec)"
                " SELECT ?1, entry_seq, text_hash, ?4 FROM entry_text WHERE entry_seq = ?2 AND text_hash = ?3"
                " ON CONFLICT (space_id, entry_seq) DO UPDATE SET text_hash = excluded.text_hash, vec = excluded.vec",
                ((space_id, text.seq, text.text_hash, _to_blob(vector)) for text, vector in vectors),
            )

    def activate(self) -> None:
        """Let the store's metadata and the view `entries` speak of this space."""
        with self._database.transaction():
            self._note_as_active(self._register())

    def clear(self) -> None:
        """Drop every vector of the space."""
        with self._database.transaction():
            self._database.rows("DELETE FROM vector WHERE space_id = ?", (self._space_id(),))

    def load(self) -> VectorBlock:
        """Return the vectors of all learnings."""
        return self._block(self._database.stream(SELECT_ALL_VECTORS, (self._space_id(),)))

    def fetch(self, seqs: Sequence[int]) -> VectorBlock:
        """Return the vectors of those of *seqs* that have one."""
        return self._block(self._database.stream(SELECT_SOME_VECTORS, (self._space_id(), in_list(seqs))))

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        """Return *seqs*, the newest first, then by id."""
        return in_tie_order(self._database, seqs)

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

    def _register(self) -> int:
        """Return the number of the space, given to it now if need be; the active one is noted in the metadata."""
        self._database.rows(
            "INSERT OR IGNORE INTO space (provider, model, dimensions, task_scheme, weights_hash) VALUES (?, ?, ?, ?, ?)",
            self._key(),
        )
        space_id = self._space_id()
        if self._is_active:
            self._note_as_active(space_id)
        return space_id

    def _note_as_active(self, space_id: int) -> None:
        self._database.run_many(
            "INSERT INTO _metadata VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (
                ("active_space", str(space_id)),
                ("embedding_provider", self._space.provider),
                ("embedding_model", self._space.model),
                ("embedding_dimensions", str(self._space.dimensions)),
            ),
        )

    def _key(self) -> tuple[object, ...]:
        space = self._space
        return (space.provider, space.model, space.dimensions, space.task_scheme, space.weights_hash)


SPACE_KEY = "(provider, model, dimensions, task_scheme, weights_hash) = (?, ?, ?, ?, ?)"


def _to_blob(vector: Vector) -> bytes:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector.tobytes()
