"""Missing files and deleted sections."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from hardwon.adapters.sql.database import Database, Decoder, Role, Row, as_given
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.file_state import KEPT, AbsentFile, Standing
from hardwon.ports.file_state import MAX_ABSENT, Absences, Tombstone, Tombstones
from hardwon.ports.override import override

COUNTERS = ("access_count", "last_accessed", "validation_count", "useful_count")
FIELDS = (*(field for field in KEPT if field != "usage"), *COUNTERS)
"""The fields of a `Standing`, which are columns of the same name."""

COLUMNS = ("file_path", "anchor_id", *FIELDS)
STORED = (*COLUMNS, "departed_at")


class SqlAbsences(Role[Database], Absences):
    """
    Missing files, in the table `departed`.

    Args:
        most: Upper bound of the files kept.

    """

    INSERT: str
    DELETE_BEYOND: str
    SELECT: str
    FORGET: str
    _decode: Decoder = as_given

    def __init__(self, database: Database, most: int = MAX_ABSENT) -> None:
        super().__init__(database)
        self._most = most

    @override
    def keep(self, absent: AbsentFile, at: dt.datetime) -> None:
        file = {"file_path": absent.file_path, "departed_at": at}
        rows = [
            {**file, "anchor_id": anchor, **self._values(standing)}
            for anchor, standing in absent.standings.items()
        ]
        with self._database.transaction():
            self.forget(absent.file_path)
            self._database.run_many(self.INSERT, rows)
            self._database.rows(
                self.DELETE_BEYOND, file_path=absent.file_path, others=self._most - 1
            )

    def _values(self, standing: Standing) -> dict[str, object]:
        usage = standing.usage
        return {
            **{field: getattr(standing, field) for field in FIELDS[: -len(COUNTERS)]},
            "access_count": usage.access_count,
            "last_accessed": usage.last_accessed,
            "validation_count": usage.validations.total,
            "useful_count": usage.validations.useful,
        }

    @override
    def absent_file(self, file_path: str, file_hash: str) -> AbsentFile | None:
        rows = self._database.rows(self.SELECT, file_path=file_path, file_hash=file_hash)
        return absent_file(self._database, rows, self._decode)

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows(self.FORGET, file_path=file_path)


def absent_file(database: Database, rows: Sequence[Row], decode: Decoder) -> AbsentFile | None:
    """
    Return the file of rows of `COLUMNS`, None without rows.

    All rows have the same path.
    """

    def standing(row: Row) -> tuple[str, Standing]:
        _, anchor, *values = decode(row)
        return anchor, _to_standing(values)

    return (
        AbsentFile(rows[0][0], dict(database.readable("departed", rows, standing)))
        if rows
        else None
    )


def _to_standing(columns: Iterable[Any]) -> Standing:
    values = dict(zip(FIELDS, columns, strict=True))
    accesses, last_accessed, validations, useful = (values.pop(name) for name in COUNTERS)
    return Standing(
        usage=Usage(accesses, last_accessed, Validations(validations, useful)), **values
    )


class SqlTombstones(Role[Database], Tombstones):
    """Deleted sections in the table `tombstone`."""

    ADD: str
    DELETED: str
    FORGET: str

    @override
    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        self._database.rows(self.ADD, **tombstone._asdict(), at=at)

    @override
    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        rows = self._database.rows(self.DELETED, file_path=file_path, file_hash=file_hash)
        return frozenset(anchor for (anchor,) in rows)

    @override
    def forget(self, file_path: str) -> None:
        self._database.rows(self.FORGET, file_path=file_path)
