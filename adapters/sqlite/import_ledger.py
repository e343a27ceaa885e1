"""The ledger of imports in the store's tables, separate from `file_state`, which imports attrs and would slow down the hook."""

import os
from collections.abc import Sequence

from hardwon.adapters.sqlite.database import Database
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.override import override


class SqliteImportLedger(ImportLedger):
    """The ledger of imports in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def headings(self, path: str) -> set[str]:
        rows = self._database.rows("SELECT heading FROM source_heading WHERE path = ?", (_key(path),))
        return {heading for (heading,) in rows if isinstance(heading, str)}

    @override
    def fingerprint(self, path: str) -> str | None:
        value = self._database.value("SELECT fingerprint FROM sources WHERE path = ?", (_key(path),))
        return None if value is None else str(value)

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        with self._database.transaction():
            self._database.rows(
                "INSERT INTO sources (path, fingerprint) VALUES (?, ?)"
                " ON CONFLICT (path) DO UPDATE SET fingerprint = excluded.fingerprint",
                (_key(path), fingerprint),
            )
            self._database.run_many(
                "INSERT OR IGNORE INTO source_heading (path, heading) VALUES (?, ?)",
                ((_key(path), heading) for heading in sorted(headings)),
            )

    @override
    def paths(self) -> Sequence[str]:
        return [path for (path,) in self._database.rows("SELECT path FROM sources ORDER BY path")]

    @override
    def withdraw(self, path: str, headings: set[str]) -> None:
        self._database.run_many(
            "DELETE FROM source_heading WHERE path = ? AND heading = ?",
            ((_key(path), heading) for heading in sorted(headings)),
        )


def _key(path: str) -> str:
    """Return *path* as text that can be stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
