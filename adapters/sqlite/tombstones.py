import datetime as dt

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.moments import to_text
from hardwon.ports.tombstones import Tombstone


class SqliteTombstones:
    """
    What was deleted though its file is there, in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def bury(self, tombstone: Tombstone, at: dt.datetime) -> None:
        """Remember *tombstone*."""
        self._database.rows(
            "INSERT INTO tombstone (file_path, anchor_id, file_hash, buried_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET file_hash = excluded.file_hash, buried_at = excluded.buried_at",
            (*tombstone, to_text(at)),
        )

    def buried(self, file_path: str, file_hash: str) -> frozenset[str]:
        """Return what was deleted of a file while it had that hash."""
        rows = self._database.rows(
            "SELECT anchor_id FROM tombstone WHERE file_path = ? AND file_hash = ?", (file_path, file_hash)
        )
        return frozenset(anchor for (anchor,) in rows)

    def lift(self, file_path: str) -> None:
        """Forget the tombstones of a file."""
        self._database.rows("DELETE FROM tombstone WHERE file_path = ?", (file_path,))
