"""The ledger of imports, separate from `file_state`, which imports attrs and would slow down the hook."""

import os
from collections.abc import Sequence

from hardwon.adapters.sql.database import Role
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.override import override


class SqlImportLedger(Role, ImportLedger):
    """The ledger of imports in two tables: of files, and of their headings."""

    HEADINGS: str
    FINGERPRINTS: str
    SET_FINGERPRINT: str
    ADD_HEADING: str
    WITHDRAW_HEADING: str

    @override
    def headings(self, path: str) -> set[str]:
        rows = self._database.rows(self.HEADINGS, path=stored_path(path))
        return {heading for (heading,) in rows if isinstance(heading, str)}

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        with self._database.transaction():
            self._database.rows(self.SET_FINGERPRINT, path=stored_path(path), fingerprint=fingerprint)
            self._change(self.ADD_HEADING, path, headings)

    @override
    def paths(self) -> Sequence[str]:
        return sorted(path for path, _ in self._database.rows(self.FINGERPRINTS))

    @override
    def withdraw(self, path: str, headings: set[str]) -> None:
        self._change(self.WITHDRAW_HEADING, path, headings)

    def _change(self, statement: str, path: str, headings: set[str]) -> None:
        rows = ({"path": stored_path(path), "heading": heading} for heading in sorted(headings))
        self._database.run_many(statement, rows)


def stored_path(path: str) -> str:
    """Return *path* as text that can be stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
