import datetime as dt
from collections.abc import Sequence

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.moments import from_text, to_text
from hardwon.domain.model.importance.history import FieldChange, PastChange


class SqliteHistory:
    """The history in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        """Add *changes* of an entry."""
        with self._database.transaction():
            self._database.run_many(
                "INSERT INTO history (memory_id, field_changed, old_value, new_value, changed_at) VALUES (?, ?, ?, ?, ?)",
                ((number, *change, to_text(at)) for change in changes),
            )

    def of(self, number: int, limit: int) -> list[PastChange]:
        """Return the changes of an entry, the last one first."""
        rows = self._database.rows(
            "SELECT memory_id, field_changed, old_value, new_value, changed_at FROM history"
            " WHERE memory_id = ? ORDER BY id DESC LIMIT ?",
            (number, limit),
        )
        return [PastChange(entry, field, old, new, from_text(at)) for entry, field, old, new, at in rows]
