"""What of the injected was of use, in the store's table."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.conditions import all_of
from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database
from hardwon.adapters.sqlite.moments import from_text, to_text
from hardwon.domain.model.receipts.influence import Influence
from hardwon.domain.model.receipts.shown_text import LONGEST_SHOWN, ShownText

if TYPE_CHECKING:  # a filter costs the hook a few milliseconds
    from hardwon.adapters.sqlite.where import Where
    from hardwon.domain.model.entry_filter import EntryFilter

INSERT = """
    INSERT INTO influence (entry_seq, session_id, how, phrase, at)
    SELECT e.seq, ?2, ?3, ?4, ?5 FROM entry e WHERE e.id = ?1
    ON CONFLICT DO NOTHING RETURNING 1
"""

SHOWN = f"""
    SELECT e.id, t.name,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.description, 1, {LONGEST_SHOWN}) ELSE '' END,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.notes, 1, {LONGEST_SHOWN}) ELSE '' END,
        i.entry_seq IS NOT NULL
    FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number
    JOIN entry e ON e.id = s.entry_id JOIN entry_text t ON t.entry_seq = e.seq
    LEFT JOIN influence i ON i.entry_seq = e.seq AND i.session_id = r.session_id
    WHERE r.session_id = ? GROUP BY e.seq ORDER BY max(r.number) DESC, e.id LIMIT ?
"""

COUNTS = """
    SELECT e.id, count(*) FROM json_each(?) wanted
    JOIN entry e ON e.id = wanted.value JOIN influence i ON i.entry_seq = e.seq GROUP BY e.seq
"""

FIND = """
    SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM influence i JOIN entry e ON e.seq = i.entry_seq
    WHERE {asked} ORDER BY i.at DESC, e.id, i.session_id LIMIT ?
"""


class SqliteInfluences:
    """
    The sessions in which entries were of use, in the store's table.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, influence: Influence) -> bool:
        """Count that an entry was used in a session; never wait long for it."""
        row = (*influence[:-1], to_text(influence.at))
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            return bool(self._database.rows(INSERT, row))

    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        """Return the beginning of what was injected into that session."""
        rows = self._database.rows(SHOWN, (session_id, limit))
        return [ShownText(*row)._replace(is_counted=bool(row[-1])) for row in rows]

    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        """Return in how many sessions each of *entry_ids* was used; those in none are left out."""
        return dict(self._database.rows(COUNTS, (json.dumps(sorted({*entry_ids})),)))

    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> list[Influence]:
        """Return what is known of that session and entry, the newest first."""
        asked, values = all_of({"i.session_id = ?": session_id, "e.id = ?": entry_id})
        rows = self._database.rows(FIND.format(asked=asked), (*values, limit))
        return [Influence(*row)._replace(at=from_text(row[-1])) for row in rows]

    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> list[tuple[str, int]]:
        """Return entries of *only* by id, with in how many sessions each was used, the most first."""
        within = _within(only)
        rows = self._database.rows(
            "SELECT e.id, count(*) AS times FROM influence i JOIN entry e ON e.seq = i.entry_seq"
            f" WHERE {within.sql} GROUP BY e.seq ORDER BY times DESC, e.id LIMIT ?",
            (*within.parameters, limit),
        )
        return [(entry_id, times) for entry_id, times in rows]

    def total(self, only: "EntryFilter | None" = None) -> int:
        """Return how often an entry of *only* was used in a session, over all."""
        within = _within(only)
        sql = f"SELECT count(*) FROM influence i JOIN entry e ON e.seq = i.entry_seq WHERE {within.sql}"
        return int(self._database.value(sql, within.parameters))


def _within(only: "EntryFilter | None") -> "Where":
    from hardwon.adapters.sqlite.where import Where, where  # noqa: PLC0415  # only who counts needs it, not the hook

    return where(only) if only else Where("true", ())
