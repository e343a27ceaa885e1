"""Decisions in the table `_metadata`, with those on files and warnings of this machine."""

from hardwon.adapters.sql.metadata import SqlMetadata

EXPOSED = "warned_exposed"
OWN_FILES = "own_files"
MAX_OWN_FILES = 50


class SqliteMetadata(SqlMetadata):
    """Decisions in the table `_metadata`."""

    SELECT = "SELECT value FROM _metadata WHERE key = :key"
    ADD = "INSERT INTO _metadata (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING"
    SET = "INSERT INTO _metadata (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

    @property
    def own_files(self) -> frozenset[str]:
        """The digests of versions of settings files that git said are the user's."""
        return frozenset((self._value(OWN_FILES) or "").split())

    def note_own_file(self, digest: str) -> None:
        """Store the digest of a version of a settings file that is the user's; the newest are kept."""
        with self._database.transaction():
            known = (self._value(OWN_FILES) or "").split()
            self._remember(OWN_FILES, " ".join([*known, digest][-MAX_OWN_FILES:]), self.SET)

    def is_first_warning(self, key: str) -> bool:
        """Return whether this warning was never given before, and note that it is now."""
        if self._value(key):
            return False
        self._remember(key, "1", self.SET)
        return True
