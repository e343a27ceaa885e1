import datetime as dt
import json

from hardwon.adapters.sqlite.database import Database, Row, from_text, to_text
from hardwon.domain.model.file_state import Departed, Standing
from hardwon.domain.model.usage import Usage, Validations
from hardwon.ports.file_state import LONGEST_ABSENCE, Tombstone

COLUMNS = (
    "file_path, anchor_id, file_hash, name, tier, importance_weight, permanent, own_tier, trigger_phrases, keywords, tags,"
    " created_at, access_count, last_accessed, validation_count, useful_count, departed_at"
)
MARKS = ", ".join("?" for _ in COLUMNS.split(","))


class SqliteDepartures:
    """
    What stood for files that are gone, in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, departed: Departed, at: dt.datetime) -> None:
        """Remember *departed*, and forget what left long ago."""
        rows = [_to_row(departed.file_path, *each, at) for each in departed.standings.items()]
        with self._database.transaction():
            self._database.rows("DELETE FROM departed WHERE departed_at < ?", (to_text(at - LONGEST_ABSENCE),))
            self.forget(departed.file_path)
            self._database.run_many(f"INSERT INTO departed ({COLUMNS}) VALUES ({MARKS})", rows)

    def of(self, file_path: str, file_hash: str) -> Departed | None:
        """Return what a file that appears may have been."""
        rows = self._database.rows(
            f"SELECT {COLUMNS} FROM departed WHERE file_path = (SELECT file_path FROM departed"
            " WHERE file_path = ?1 OR (file_hash = ?2 AND anchor_id = '')"
            " ORDER BY file_path != ?1, departed_at DESC, file_path LIMIT 1)",
            (file_path, file_hash),
        )
        return Departed(rows[0][0], {row[1]: _to_standing(row) for row in rows}) if rows else None

    def forget(self, file_path: str) -> None:
        """Forget the file of that path."""
        self._database.rows("DELETE FROM departed WHERE file_path = ?", (file_path,))


def _to_row(file_path: str, anchor_id: str, standing: Standing, at: dt.datetime) -> Row:
    *facts, phrases, keywords, tags, created_at, usage = standing
    labels = (json.dumps(texts, ensure_ascii=False) for texts in (phrases, keywords, tags))
    last_accessed = to_text(usage.last_accessed) if usage.last_accessed else None
    counters = (usage.access_count, last_accessed, *usage.validations)
    return (file_path, anchor_id, *facts, *labels, to_text(created_at), *counters, to_text(at))


def _to_standing(row: Row) -> Standing:
    _, _, file_hash, name, tier, weight, permanent, own_tier, *rest = row
    *labels, created_at, accesses, last_accessed, total, useful, _ = rest
    phrases, keywords, tags = (tuple(json.loads(texts)) for texts in labels)
    usage = Usage(accesses, from_text(last_accessed) if last_accessed else None, Validations(total, useful))
    facts = (file_hash, name, tier, weight, bool(permanent), bool(own_tier))
    return Standing(*facts, phrases, keywords, tags, from_text(created_at), usage)


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
