"""Decisions in the table `_metadata`, and the ledger of imported files."""

from hardwon.adapters.sql.metadata import SqlImportLedger, SqlMetadata, stored_path
from hardwon.adapters.sqlite.database import CONTENT_VERSION
from hardwon.ports.override import override

EXPOSED = "warned_exposed"
OWN_FILES = "own_files"
MAX_OWN_FILES = 50


class SqliteMetadata(SqlMetadata):
    """Decisions in the table `_metadata`."""

    SELECT = "SELECT value FROM _metadata WHERE key = :key"
    ADD = "INSERT INTO _metadata (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING"
    SET = (
        "INSERT INTO _metadata (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET"
        " value = excluded.value"
    )

    STATE = f"""
        SELECT (SELECT value FROM _metadata WHERE key = '{CONTENT_VERSION}') || ' '
            || coalesce((SELECT value FROM _metadata WHERE key = :provider), ''),
            EXISTS (SELECT 1 FROM entry WHERE retired = 0 AND expires_at <= :now)
    """

    @property
    def own_files(self) -> frozenset[str]:
        """Digests of settings files that belong to the user according to git."""
        return frozenset((self._value(OWN_FILES) or "").split())

    def note_own_file(self, digest: str) -> None:
        """Store the digest of a settings file that belongs to the user."""
        with self._database.transaction():
            known = (self._value(OWN_FILES) or "").split()
            self._remember(OWN_FILES, " ".join([*known, digest][-MAX_OWN_FILES:]), self.SET)

    def is_first_warning(self, key: str) -> bool:
        """Return whether this warning is new, and record it."""
        if self._value(key):
            return False
        self._remember(key, "1", self.SET)
        return True


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
