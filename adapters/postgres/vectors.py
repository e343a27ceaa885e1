"""The vectors of an embedding space in the tables of a server."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.query import in_tie_order, where
from hardwon.adapters.postgres.rows import TEXT
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.identity import searchable_text
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.ports.override import override
from hardwon.ports.vectors import PendingText, VectorBlock, VectorStore

FROM_VECTORS = """
    FROM hardwon.vector v JOIN hardwon.entry e ON e.tenant = v.tenant AND e.number = v.number
    WHERE v.tenant = %(tenant)s AND v.space = %(space)s AND
"""
LOAD = """
    SELECT number, vec::float4[] FROM hardwon.vector
    WHERE tenant = %(tenant)s AND space = %(space)s AND number = ANY(%(numbers)s)
"""
PENDING_TEXT = f"SELECT e.number, t.name, t.description, t.notes, t.reasoning, t.text_hash FROM hardwon.entry e {TEXT}"
HAS_NO_VECTOR = """
    NOT EXISTS (SELECT 1 FROM hardwon.vector v
        WHERE v.tenant = %(tenant)s AND v.space = %(space)s AND v.number = e.number)
"""
# The entry is locked as the repository does it, so that no text changes meanwhile.
PUT = """
    INSERT INTO hardwon.vector (tenant, space, number, owner, text_hash, vec)
    SELECT t.tenant, %(space)s, t.number, t.owner, t.text_hash, %(vec)s::vector
    FROM hardwon.entry_text t JOIN hardwon.entry e ON e.tenant = t.tenant AND e.number = t.number AND NOT e.retired
    WHERE t.tenant = %(tenant)s AND t.number = %(number)s AND t.text_hash = %(text_hash)s
    ON CONFLICT (tenant, space, number) DO UPDATE SET text_hash = excluded.text_hash, vec = excluded.vec
"""
SPACE_COLUMNS = "provider, model, dimensions, task_scheme, weights_hash"
REGISTER = f"""
    INSERT INTO hardwon.space (tenant, space, {SPACE_COLUMNS})
    SELECT %(tenant)s, coalesce(max(space), 0) + 1, %(provider)s, %(model)s, %(dimensions)s, %(task_scheme)s, %(weights_hash)s
    FROM hardwon.space WHERE tenant = %(tenant)s
    ON CONFLICT (tenant, {SPACE_COLUMNS}) DO NOTHING
"""
COUNT_STORED = """
    UPDATE hardwon.space SET stored = stored + %(vectors)s WHERE tenant = %(tenant)s AND space = %(space)s
"""
NOTE_ACTIVE = """
    INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, 'active_space', %(space)s)
    ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value
"""


class PostgresVectorStore(VectorStore):
    """
    The vectors of one embedding space.

    Args:
        database: The store.
        space: The embedding space.
        kinds: The kinds of entries that are embedded in this space.
        is_active: Whether the store's metadata names this space.

    """

    def __init__(
        self, database: Database, space: Space, *, kinds: tuple[Kind, ...] = KINDS, is_active: bool = True
    ) -> None:
        self.database = database
        self._space = space
        self._served = EntryFilter(kinds=kinds, ranked=True)
        self._is_active = is_active
        self._number = 0

    @property
    @override
    def space(self) -> Space:
        return self._space

    @property
    @override
    def dimensions(self) -> int:
        return self._space.dimensions

    @property
    @override
    def kinds(self) -> tuple[Kind, ...]:
        return self._served.kinds

    @property
    def number(self) -> int:
        """The tenant's number of the space, 0 before anything is stored in it."""
        self._number = self._number or read_spaces(self.database).get(self._space, 0)
        return self._number

    @override
    def has_any(self, only: EntryFilter) -> bool:
        within = where(only)
        sql = f"SELECT EXISTS (SELECT 1 {FROM_VECTORS} {within.sql})"
        return bool(self.database.value(sql, **within.parameters, space=self.number))

    @override
    def count(self, only: EntryFilter) -> int:
        within = where(only)
        sql = f"SELECT count(*) {FROM_VECTORS} {within.sql}"
        return int(self.database.value(sql, **within.parameters, space=self.number))

    @override
    def count_pending(self, only: EntryFilter) -> int:
        within = where(self._served_of(only))
        sql = f"SELECT count(*) FROM hardwon.entry e WHERE {within.sql} AND {HAS_NO_VECTOR}"
        return int(self.database.value(sql, **within.parameters, space=self.number))

    @override
    def vectors_of(self, entry_ids: Sequence[str]) -> Mapping[str, Vector]:
        rows = self.database.rows(
            f"SELECT DISTINCT ON (e.id) e.id, v.vec::float4[] {FROM_VECTORS} e.tenant = %(tenant)s AND e.id = ANY(%(ids)s)"
            " ORDER BY e.id, e.owner DESC",
            ids=[*entry_ids],
            space=self.number,
        )
        return {entry_id: array("f", values) for entry_id, values in rows}

    @override
    def pending(self, limit: int) -> list[PendingText]:
        within = where(self._served)
        return self._texts(
            f"{PENDING_TEXT} WHERE {within.sql} AND {HAS_NO_VECTOR} ORDER BY e.updated_at DESC, e.id LIMIT %(most)s",
            {**within.parameters, "space": self.number, "most": max(0, limit)},
        )

    @override
    def texts(self, limit: int, after: int = 0, only: EntryFilter = EVERYTHING) -> list[PendingText]:
        within = where(self._served_of(only))
        return self._texts(
            f"{PENDING_TEXT} WHERE {within.sql} AND e.number > %(after)s ORDER BY e.number LIMIT %(most)s",
            {**within.parameters, "after": after, "most": max(0, limit)},
        )

    def _texts(self, sql: str, parameters: Mapping[str, object]) -> list[PendingText]:
        rows = self.database.rows(sql, **parameters)
        return [PendingText(number, searchable_text(*texts), text_hash) for number, *texts, text_hash in rows]

    @override
    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        given = [*vectors]
        with self.database.transaction():
            space = self._register()
            self.database.run_many(
                PUT,
                (
                    {"space": space, "number": text.seq, "text_hash": text.text_hash, "vec": literal(vector)}
                    for text, vector in given
                ),
            )
            self.database.together(((COUNT_STORED, {"space": space, "vectors": len(given)}), self.database.change()))

    def activate(self) -> None:
        """Let the store's metadata name this space."""
        with self.database.transaction():
            self.database.rows(NOTE_ACTIVE, space=str(self._register()))

    def _register(self) -> int:
        """Return the number of the space, created if missing; the active space is noted in the metadata."""
        if not self.number:
            self.database.rows(REGISTER, **self._space._asdict())
            if self._is_active:
                self.database.rows(NOTE_ACTIVE, space=str(self.number))
        return self.number

    @override
    def version(self) -> int:
        return self.database.version()

    @override
    def load(self, seqs: Sequence[int]) -> VectorBlock:
        rows = self.database.rows(LOAD, numbers=[*seqs], space=self.number)
        usable = {number: values for number, values in rows if len(values) == self.dimensions}
        for number, values in rows:
            if number not in usable:
                self.database.warn(
                    f"the vector of entry {number} has {len(values)} values: skipped, run: hardwon embed --all"
                )
        return VectorBlock(list(usable), array("f", chain.from_iterable(usable.values())))

    @override
    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        within = where(only._replace(ranked=True))
        rows = self.database.rows(
            f"SELECT e.category, string_agg(e.number::text, ',') FROM hardwon.entry e WHERE {within.sql} GROUP BY 1",
            **within.parameters,
        )
        return dict(rows)

    @override
    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        return in_tie_order(self.database, seqs)

    def _served_of(self, only: EntryFilter) -> EntryFilter:
        return only._replace(kinds=tuple(kind for kind in only.kinds if kind in self.kinds), ranked=True)


def read_spaces(database: Database) -> dict[Space, int]:
    """Return the numbers of the tenant's embedding spaces."""
    rows = database.rows(f"SELECT space, {SPACE_COLUMNS} FROM hardwon.space WHERE tenant = %(tenant)s")
    return {Space(*columns): number for number, *columns in rows}


def literal(vector: Vector) -> str:
    """Return *vector* as pgvector reads it; nine digits are all of a float32."""
    return f"[{','.join(f'{value:.9g}' for value in vector)}]"
