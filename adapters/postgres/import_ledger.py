"""The ledger of imports in the tables of a server: the files are those of a member's own machine."""

import os
from collections.abc import Sequence

from hardwon.adapters.postgres.database import Database
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.override import override

FINGERPRINTS = "SELECT path, fingerprint FROM hardwon.source WHERE tenant = %(tenant)s AND owner = current_user"

SET_FINGERPRINT = """
    INSERT INTO hardwon.source (tenant, path, fingerprint) VALUES (%(tenant)s, %(path)s, %(fingerprint)s)
    ON CONFLICT (tenant, owner, path) DO UPDATE SET fingerprint = excluded.fingerprint
"""

ADD_HEADINGS = """
    INSERT INTO hardwon.source_heading (tenant, path, heading)
    SELECT %(tenant)s, %(path)s, unnest(%(headings)s::text[]) ON CONFLICT DO NOTHING
"""

WITHDRAW_HEADINGS = """
    DELETE FROM hardwon.source_heading
    WHERE tenant = %(tenant)s AND owner = current_user AND path = %(path)s AND heading = ANY(%(headings)s::text[])
"""


class PostgresImportLedger(ImportLedger):
    """The ledger of imports in the tables of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._fingerprints: dict[str, str] | None = None

    @override
    def headings(self, path: str) -> set[str]:
        rows = self._database.rows(
            "SELECT heading FROM hardwon.source_heading WHERE tenant = %(tenant)s AND path = %(path)s", path=_key(path)
        )
        return {heading for (heading,) in rows}

    @override
    def fingerprint(self, path: str) -> str | None:
        if self._fingerprints is None:  # of all files at once: they are asked for one after the other
            self._fingerprints = dict(self._database.rows(FINGERPRINTS))
        return self._fingerprints.get(_key(path))

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        with self._database.transaction():
            self._fingerprints = None
            self._database.rows(SET_FINGERPRINT, path=_key(path), fingerprint=fingerprint)
            self._database.rows(ADD_HEADINGS, path=_key(path), headings=sorted(headings))

    @override
    def paths(self) -> Sequence[str]:
        return sorted(path for path, _ in self._database.rows(FINGERPRINTS))

    @override
    def withdraw(self, path: str, headings: set[str]) -> None:
        self._database.rows(WITHDRAW_HEADINGS, path=_key(path), headings=sorted(headings))


def _key(path: str) -> str:
    """Return *path* as text that can be stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
