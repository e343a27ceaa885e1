"""Decisions in the store's metadata: the provider that `auto` means, and how far labelling came."""

from hardwon.adapters.sqlite.database import Database
from hardwon.domain.model.embedding import Space

AUTOMATIC_PROVIDER = "automatic_provider"
LABEL_CURSOR = "label_cursor"
EMBED_CURSOR = "embed_cursor"
EXPOSED = "warned_exposed"
OWN_FILES = "own_files"
MAX_OWN_FILES = 50


class SqliteMetadata:
    """Decisions in the store's metadata."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def automatic_provider(self) -> str | None:
        """The provider that `auto` stands for in this store, None before the first decision."""
        return self._value(AUTOMATIC_PROVIDER)

    def decide_provider(self, provider: str, *, force: bool = False) -> None:
        """Store what `auto` means in this store; with *force*, replace an earlier decision."""
        self._remember(AUTOMATIC_PROVIDER, provider, replace=force)

    @property
    def label_cursor(self) -> str | None:
        """The id of the imported entry whose labelling was tried last, None before the first; it may be deleted."""
        return self._value(LABEL_CURSOR)

    def move_label_cursor(self, entry_id: str) -> None:
        """Store the id of the imported entry whose labelling was tried last."""
        self._remember(LABEL_CURSOR, entry_id, replace=True)

    def embed_cursor(self, space: Space) -> int:
        """The number of the entry that embedding everything again in *space* has reached; 0 where no such run was interrupted."""
        value = self._value(_embed_cursor(space)) or ""
        return int(value) if value.isdecimal() else 0

    def move_embed_cursor(self, space: Space, seq: int) -> None:
        """Store the number of the entry that embedding everything again in *space* has reached; 0 at its end."""
        self._remember(_embed_cursor(space), str(seq), replace=True)

    @property
    def own_files(self) -> frozenset[str]:
        """The digests of versions of settings files that git said are the user's."""
        return frozenset((self._value(OWN_FILES) or "").split())

    def note_own_file(self, digest: str) -> None:
        """Store the digest of a version of a settings file that is the user's; the newest are kept."""
        with self._database.transaction():
            known = (self._value(OWN_FILES) or "").split()
            self._remember(OWN_FILES, " ".join([*known, digest][-MAX_OWN_FILES:]), replace=True)

    def is_first_warning(self, key: str) -> bool:
        """Return whether this warning was never given before, and note that it is now."""
        if self._value(key):
            return False
        self._remember(key, "1", replace=True)
        return True

    def _value(self, key: str) -> str | None:
        value = self._database.value("SELECT value FROM _metadata WHERE key = ?", (key,))
        return None if value is None else str(value)

    def _remember(self, key: str, value: str, *, replace: bool) -> None:
        on_conflict = "UPDATE SET value = excluded.value" if replace else "NOTHING"
        with self._database.transaction():
            self._database.rows(
                f"INSERT INTO _metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO {on_conflict}", (key, value)
            )


def _embed_cursor(space: Space) -> str:
    return " ".join((EMBED_CURSOR, *map(str, space)))
