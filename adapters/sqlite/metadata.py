from hardwon.adapters.sqlite.database import Database

AUTOMATIC_PROVIDER = "automatic_provider"
LABEL_CURSOR = "label_cursor"


class SqliteMetadata:
    """What the store remembers about itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def automatic_provider(self) -> str | None:
        """The provider that `auto` was decided to be for this store, None before that."""
        return self._value(AUTOMATIC_PROVIDER)

    def decide_provider(self, provider: str, *, anew: bool = False) -> None:
        """Remember what `auto` means here; a decision stands unless it is made *anew*."""
        self._remember(AUTOMATIC_PROVIDER, provider, replace=anew)

    @property
    def label_cursor(self) -> str | None:
        """The id of the imported entry that was tried to label last, None before that; the entry may be gone."""
        return self._value(LABEL_CURSOR)

    def move_label_cursor(self, entry_id: str) -> None:
        """Remember which imported entry was tried to label last."""
        self._remember(LABEL_CURSOR, entry_id, replace=True)

    def _value(self, key: str) -> str | None:
        value = self._database.value("SELECT value FROM _metadata WHERE key = ?", (key,))
        return None if value is None else str(value)

    def _remember(self, key: str, value: str, *, replace: bool) -> None:
        on_conflict = "UPDATE SET value = excluded.value" if replace else "NOTHING"
        with self._database.transaction():
            self._database.rows(f"INSERT INTO _metadata VALUES (?, ?) ON CONFLICT DO {on_conflict}", (key, value))
