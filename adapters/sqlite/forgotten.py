"""Keyed hashes of forgotten texts, in the table `forgotten`."""

from collections.abc import Collection, Iterable

from hardwon.adapters.sql.forgotten import SqlForgottenTexts
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import RowDecoder, timestamp
from hardwon.ports.erasure import ForgottenTexts
from hardwon.ports.override import override

KNOWN = "SELECT 1 FROM forgotten WHERE tag = :tag LIMIT 1"
LIFT = (
    "DELETE FROM forgotten WHERE tag IN (SELECT tag FROM forgotten WHERE owner = :owner)"
    " RETURNING 1"
)


SELECT_TEXTS = (
    "SELECT entry_seq, description, reasoning, notes, iif(kind = 'learning', id, '')"
    " FROM entry_text JOIN entry ON seq = entry_seq"
)


class SqliteForgottenTexts(SqlForgottenTexts):
    """Forgotten texts in the table `forgotten`."""

    SELECT_SECRET = "SELECT value FROM _metadata WHERE key = :key"  # noqa: S105  # a query
    SELECT_USED_SECRET = f"{SELECT_SECRET} AND EXISTS (SELECT 1 FROM forgotten)"
    SET_SECRET = "INSERT OR REPLACE INTO _metadata (key, value) VALUES (:key, :value)"  # noqa: S105  # a query
    ADD = "INSERT OR IGNORE INTO forgotten (tag, owner, at) VALUES (:tag, :owner, :at)"
    SELECT = "SELECT tag, owner, at FROM forgotten ORDER BY tag, owner"
    _decode = RowDecoder(("tag", "owner", "at"), {"tag": bytes, "owner": bytes, "at": timestamp})

    @override
    def _lift(self, owners: Collection[bytes]) -> bool:
        lifted = [self._database.rows(LIFT, owner=owner) for owner in owners]
        return any(lifted)

    @override
    def _among(self, tags: Collection[bytes]) -> Iterable[bytes]:
        return (tag for tag in tags if self._database.value(KNOWN, tag=tag))


def drop_forgotten(copy: SqliteDatabase, forgotten: ForgottenTexts) -> None:
    """
    Delete the entries of *copy* that this store has forgotten.

    The copy is of another store or of an earlier time.

    Raises:
        StorageError: the copy can't be read.
    """
    rows = copy.stream(SELECT_TEXTS)
    gone = [number for number, *texts in rows if forgotten.holds(map(str, texts))]
    for table, column in (("entry", "seq"), ("history", "memory_id")):
        copy.run_many(f"DELETE FROM {table} WHERE {column} = ?", ((number,) for number in gone))
