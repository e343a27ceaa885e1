"""Files that are gone and deleted sections, in the tables of a server: those of a member's own machine."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from hardwon.adapters.postgres.database import Database
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.file_state import AbsentFile, Standing
from hardwon.ports.file_state import MAX_ABSENT, Absences, Tombstone, Tombstones
from hardwon.ports.override import override

COUNTERS = ("access_count", "last_accessed", "validation_count", "useful_count")
FIELDS = (*(field for field in Standing._fields if field != "usage"), *COUNTERS)
"""The fields of a `Standing`, which are columns of the same name."""

LISTS = ("trigger_phrases", "keywords", "tags")

COLUMNS = ("file_path", "anchor_id", *FIELDS, "departed_at")

INSERT = f"""
    INSERT INTO hardwon.departed (tenant, {", ".join(COLUMNS)})
    VALUES (%(tenant)s, {", ".join(f"%({name})s" for name in COLUMNS)})
"""

SELECT_DEPARTED = f"SELECT {', '.join(COLUMNS)} FROM hardwon.departed"
"""Reads the states of sections; conditions are to follow, that of the tenant among them."""

OF_FILE = f"""
    {SELECT_DEPARTED} WHERE tenant = %(tenant)s AND file_path = (
        SELECT file_path FROM hardwon.departed WHERE tenant = %(tenant)s
            AND (file_path = %(file_path)s OR (file_hash = %(file_hash)s AND anchor_id = ''))
        ORDER BY file_path != %(file_path)s, departed_at DESC, file_path LIMIT 1
    ) ORDER BY anchor_id
"""


DELETE_BEYOND = """
    DELETE FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path IN (
        SELECT file_path FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path != %(file_path)s
        GROUP BY file_path ORDER BY max(departed_at) DESC, file_path OFFSET %(others)s
    )
"""


class PostgresAbsences(Absences):
    """
    Files that are gone, in the table `departed`.

    Args:
        database: The open store.
        most: How many files are kept.

    """

    def __init__(self, database: Database, most: int = MAX_ABSENT) -> None:
        self._database = database
        self._most = most

    @override
    def keep(self, absent: AbsentFile, at: dt.datetime) -> None:
        file = {"file_path": absent.file_path, "departed_at": at}
        rows = [{**file, "anchor_id": anchor, **_to_values(standing)} for anchor, standing in absent.standings.items()]
        with self._database.transaction():
            self.forget(absent.file_path)
            self._database.run_many(INSERT, rows)
            self._database.rows(DELETE_BEYOND, file_path=absent.file_path, others=self._most - 1)

    @override
    def of(self, file_path: str, file_hash: str) -> AbsentFile | None:
        return to_absent_file(self._database.rows(OF_FILE, file_path=file_path, file_hash=file_hash))

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows(
            "DELETE FROM hardwon.departed WHERE tenant = %(tenant)s AND file_path = %(file_path)s", file_path=file_path
        )


def to_absent_file(rows: Sequence[Sequence[Any]]) -> AbsentFile | None:
    """Return the file of rows of `SELECT_DEPARTED`, all of one path; None without any."""
    return AbsentFile(rows[0][0], {row[1]: _to_standing(row[2:-1]) for row in rows}) if rows else None


def _to_values(standing: Standing) -> dict[str, object]:
    usage = standing.usage
    return {
        **{field: getattr(standing, field) for field in FIELDS[: -len(COUNTERS)]},
        "access_count": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validation_count": usage.validations.total,
        "useful_count": usage.validations.useful,
    }


def _to_standing(row: Sequence[Any]) -> Standing:
    values = dict(zip(FIELDS, row, strict=True))
    accesses, last_accessed, validations, useful = (values.pop(name) for name in COUNTERS)
    usage = Usage(accesses, last_accessed, Validations(validations, useful))
    return Standing(usage=usage, **values | {name: tuple(values[name]) for name in LISTS})


class PostgresTombstones(Tombstones):
    """Deleted sections in the table `tombstone`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        self._database.rows(
            "INSERT INTO hardwon.tombstone (tenant, file_path, anchor_id, file_hash, buried_at)"
            " VALUES (%(tenant)s, %(file_path)s, %(anchor_id)s, %(file_hash)s, %(at)s)"
            " ON CONFLICT (tenant, owner, file_path, anchor_id)"
            " DO UPDATE SET file_hash = excluded.file_hash, buried_at = excluded.buried_at",
            **tombstone._asdict(),
            at=at,
        )

    @override
    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        rows = self._database.rows(
            "SELECT anchor_id FROM hardwon.tombstone"
            " WHERE tenant = %(tenant)s AND file_path = %(file_path)s AND file_hash = %(file_hash)s",
            file_path=file_path,
            file_hash=file_hash,
        )
        return frozenset(anchor for (anchor,) in rows)

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows(
            "DELETE FROM hardwon.tombstone WHERE tenant = %(tenant)s AND file_path = %(file_path)s", file_path=file_path
        )
