"""The ledger of imports in the tables `sources` and `source_heading`. The hooks import this."""

from hardwon.adapters.sql.import_ledger import SqlImportLedger, stored_path
from hardwon.ports.override import override

FINGERPRINT = "SELECT fingerprint FROM sources WHERE path = :path"


class SqliteImportLedger(SqlImportLedger):
    """The ledger of imports in the tables `sources` and `source_heading`."""

    HEADINGS = "SELECT heading FROM source_heading WHERE path = :path"
    FINGERPRINTS = "SELECT path, fingerprint FROM sources"
    SET_FINGERPRINT = """
        INSERT INTO sources (path, fingerprint) VALUES (:path, :fingerprint)
        ON CONFLICT (path) DO UPDATE SET fingerprint = excluded.fingerprint
    """
    ADD_HEADING = "INSERT OR IGNORE INTO source_heading (path, heading) VALUES (:path, :heading)"
    WITHDRAW_HEADING = "DELETE FROM source_heading WHERE path = :path AND heading = :heading"

    @override
    def fingerprint(self, path: str) -> str | None:
        value = self._database.value(FINGERPRINT, path=stored_path(path))
        return None if value is None else str(value)
