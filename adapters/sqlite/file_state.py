"""Files that are gone and deleted sections, in the store's tables."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from hardwon.adapters.sqlite.database import Database, to_text
from hardwon.adapters.sqlite.decoding import Decoder, readable, text
from hardwon.adapters.sqlite.rows import encoded, taken_usage
from hardwon.domain.model.file_state import AbsentFile, Standing
from hardwon.ports.file_state import MAX_ABSENT, Absences, Tombstone, Tombstones
from hardwon.ports.override import override

COUNTERS = ("access_count", "last_accessed", "validation_count", "useful_count")
FIELDS = (*(field for field in Standing._fields if field != "usage"), *COUNTERS)
"""The fields of a `Standing`, which are columns of the same name."""

COLUMNS = ("file_path", "anchor_id", *FIELDS, "departed_at")
decode_standing = Decoder(FIELDS)

INSERT = f"INSERT INTO departed ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"


DELETE_BEYOND = """DELETE FROM departed WHERE file_path IN (SELECT file_path FROM departed WHERE file_path != ?
    GROUP BY file_path ORDER BY max(departed_at) DESC, file_path LIMIT -1 OFFSET ?)"""


class SqliteAbsences(Absences):
    """
    Files that are gone, in the store's table `departed`.

    Args:
        database: The open store.
        most: How many files are kept.

    """

    def __init__(self, database: Database, most: int = MAX_ABSENT) -> None:
        self._database = database
        self._most = most

    @override
    def keep(self, absent: AbsentFile, at: dt.datetime) -> None:
        file = {"file_path": absent.file_path, "departed_at": to_text(at)}
        rows = [{**file, "anchor_id": anchor, **_to_values(standing)} for anchor, standing in absent.standings.items()]
        with self._database.transaction():
            self.forget(absent.file_path)
            self._database.run_many(INSERT, rows)
            self._database.rows(DELETE_BEYOND, (absent.file_path, self._most - 1))

    @override
    def of(self, file_path: str, file_hash: str) -> AbsentFile | None:
        rows = self._database.rows(
            f"SELECT file_path, anchor_id, {', '.join(FIELDS)} FROM departed"
            " WHERE file_path = (SELECT file_path FROM departed WHERE file_path = ?1 OR (file_hash = ?2 AND anchor_id = '')"
            " ORDER BY file_path != ?1, departed_at DESC, file_path LIMIT 1)",
            (file_path, file_hash),
        )
        standings = readable(self._database, "departed", rows, lambda row: (text(row[1]), _to_standing(row[2:])))
        return AbsentFile(rows[0][0], dict(standings)) if rows else None

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows("DELETE FROM departed WHERE file_path = ?", (file_path,))


def _to_values(standing: Standing) -> dict[str, object]:
    usage = standing.usage
    return {
        **encoded(FIELDS[: -len(COUNTERS)], standing),
        "access_count": usage.access_count,
        "last_accessed": to_text(usage.last_accessed) if usage.last_accessed else None,
        "validation_count": usage.validations.total,
        "useful_count": usage.validations.useful,
    }


def _to_standing(row: Sequence[Any]) -> Standing:
    values = dict(zip(FIELDS, decode_standing(row), strict=True))
    return Standing(usage=taken_usage(values), **values)


class SqliteTombstones(Tombstones):
    """Deleted sections in the store's table `tombstone`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        self._database.rows(
            "INSERT INTO tombstone (file_path, anchor_id, file_hash, buried_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET file_hash = excluded.file_hash, buried_at = excluded.buried_at",
            (*tombstone, to_text(at)),
        )

    @override
    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        rows = self._database.rows(
            "SELECT anchor_id FROM tombstone WHERE file_path = ? AND file_hash = ?", (file_path, file_hash)
        )
        return frozenset(anchor for (anchor,) in rows)

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows("DELETE FROM tombstone WHERE file_path = ?", (file_path,))
