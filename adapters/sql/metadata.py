"""Decisions in the store's metadata: the provider that `auto` means, and how far labelling and embedding came."""

from hardwon.adapters.sql.database import Role
from hardwon.domain.model.embedding import Space

AUTOMATIC_PROVIDER = "automatic_provider"
LABEL_CURSOR = "label_cursor"
EMBED_CURSOR = "embed_cursor"


class SqlMetadata(Role):
    """Decisions in the store's metadata."""

    SELECT: str
    ADD: str
    SET: str

    @property
    def automatic_provider(self) -> str | None:
        """The provider that `auto` stands for in this store, None before the first decision."""
        return self._value(AUTOMATIC_PROVIDER)

    def decide_provider(self, provider: str, *, force: bool = False) -> None:
        """Store what `auto` means in this store; with *force*, replace an earlier decision."""
        self._remember(AUTOMATIC_PROVIDER, provider, self.SET if force else self.ADD)

    @property
    def label_cursor(self) -> str | None:
        """The id of the imported entry whose labelling was tried last, None before the first; it may be deleted."""
        return self._value(LABEL_CURSOR)

    def move_label_cursor(self, entry_id: str) -> None:
        """Store the id of the imported entry whose labelling was tried last."""
        self._remember(LABEL_CURSOR, entry_id, self.SET)

    def embed_cursor(self, space: Space) -> int:
        """The number of the entry that embedding everything again in *space* has reached; 0 where no such run was interrupted."""
        value = self._value(_embed_cursor(space)) or ""
        return int(value) if value.isdecimal() else 0

    def move_embed_cursor(self, space: Space, seq: int) -> None:
        """Store the number of the entry that embedding everything again in *space* has reached; 0 at its end."""
        self._remember(_embed_cursor(space), str(seq), self.SET)

    def _value(self, key: str) -> str | None:
        value = self._database.value(self.SELECT, key=key)
        return None if value is None else str(value)

    def _remember(self, key: str, value: str, statement: str) -> None:
        with self._database.transaction():
            self._database.rows(statement, key=key, value=value)


def _embed_cursor(space: Space) -> str:
    return " ".join((EMBED_CURSOR, *map(str, space)))
