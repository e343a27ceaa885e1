"""Decisions of a tenant, and a member's ledger of imports."""

from hardwon.adapters.sql.database import Database
from hardwon.adapters.sql.metadata import SqlImportLedger, SqlMetadata, stored_path
from hardwon.ports.override import override

INSERT = "INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, %(key)s, %(value)s)"


class PostgresMetadata(SqlMetadata):
    """Decisions in the table `metadata`."""

    SELECT = "SELECT value FROM hardwon.metadata WHERE tenant = %(tenant)s AND key = %(key)s"
    ADD = f"{INSERT} ON CONFLICT (tenant, key) DO NOTHING"
    SET = f"{INSERT} ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value"
    # The last transaction that changed the contents tells a restored server from itself.
    STATE = """
        SELECT s.version || ' ' || s.xmin || ' ' || coalesce(m.value, ''), EXISTS (
            SELECT FROM hardwon.entry e WHERE e.tenant = s.tenant AND NOT e.retired AND e.expires_at <= %(now)s
        )
        FROM hardwon.state s LEFT JOIN hardwon.metadata m ON m.tenant = s.tenant AND m.key = %(provider)s
        WHERE s.tenant = %(tenant)s
    """


class PostgresImportLedger(SqlImportLedger):
    """A member's ledger of imports in `source` and `source_heading`."""

    HEADINGS = (
        "SELECT heading FROM hardwon.source_heading WHERE tenant = %(tenant)s AND path = %(path)s"
    )
    FINGERPRINTS = (
        "SELECT path, fingerprint FROM hardwon.source WHERE tenant = %(tenant)s AND owner ="
        " current_user"
    )
    SET_FINGERPRINT = """
        INSERT INTO hardwon.source (tenant, path, fingerprint) VALUES (%(tenant)s, %(path)s, %(fingerprint)s)
        ON CONFLICT (tenant, owner, path) DO UPDATE SET fingerprint = excluded.fingerprint
    """
    ADD_HEADING = """
        INSERT INTO hardwon.source_heading (tenant, path, heading) VALUES (%(tenant)s, %(path)s, %(heading)s)
        ON CONFLICT DO NOTHING
    """
    WITHDRAW_HEADING = """
        DELETE FROM hardwon.source_heading
        WHERE tenant = %(tenant)s AND owner = current_user AND path = %(path)s AND heading = %(heading)s
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._fingerprints: dict[str, str] | None = None

    @override
    def fingerprint(self, path: str) -> str | None:
        if self._fingerprints is None:  # all at once: files come in series
            self._fingerprints = dict(self._database.rows(self.FINGERPRINTS))
        return self._fingerprints.get(stored_path(path))

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        self._fingerprints = None
        super().record(path, headings, fingerprint)
