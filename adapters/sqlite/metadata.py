from hardwon.adapters.sqlite.database import Database

AUTOMATIC_PROVIDER = "automatic_provider"


class SqliteMetadata:
    """What the store remembers about itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def automatic_provider(self) -> str | None:
        """The provider that `auto` was decided to be for this store, None before that."""
        value = self._database.value("SELECT value FROM _metadata WHERE key = ?", (AUTOMATIC_PROVIDER,))
        return None if value is None else str(value)

    def decide_provider(self, provider: str, *, anew: bool = False) -> None:
        """Remember what `auto` means here; a decision stands unless it is made *anew*."""
        on_conflict = "UPDATE SET value = excluded.value" if anew else "NOTHING"
        with self._database.transaction():
            self._database.rows(
                f"INSERT INTO _metadata VALUES (?, ?) ON CONFLICT DO {on_conflict}", (AUTOMATIC_PROVIDER, provider)
            )
