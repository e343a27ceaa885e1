"""Usage signals in the store's table `influence`. The hooks import this: filters only where they are used."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, to_text
from hardwon.adapters.sqlite.decoding import Decoder, one_of, readable, text, timestamp
from hardwon.domain.model.injection.receipt import HOWS, Influence
from hardwon.domain.model.injection.usage_signals import LONGEST_SHOWN, ShownText
from hardwon.ports.activity import Influences
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.adapters.sqlite.query import Where
    from hardwon.domain.model.filters import EntryFilter

INSERT_INFLUENCE = """
    INSERT INTO influence (entry_seq, session_id, how, phrase, at)
    SELECT e.seq, ?2, ?3, ?4, ?5 FROM entry e WHERE e.id = ?1
    ON CONFLICT DO NOTHING RETURNING 1
"""

SELECT_SHOWN_TEXTS = f"""
    SELECT e.id, t.name,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.description, 1, {LONGEST_SHOWN}) ELSE '' END,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.notes, 1, {LONGEST_SHOWN}) ELSE '' END,
        i.entry_seq IS NOT NULL
    FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number
    JOIN entry e ON e.id = s.entry_id JOIN entry_text t ON t.entry_seq = e.seq
    LEFT JOIN influence i ON i.entry_seq = e.seq AND i.session_id = r.session_id
    WHERE r.session_id = ? AND r.delivery != 'missed' GROUP BY e.seq ORDER BY max(r.number) DESC, e.id LIMIT ?
"""

COUNT_INFLUENCES = """
    SELECT e.id, count(*) FROM json_each(?) wanted
    JOIN entry e ON e.id = wanted.value JOIN influence i ON i.entry_seq = e.seq GROUP BY e.seq
"""

FIND_INFLUENCES = """
    SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM influence i JOIN entry e ON e.seq = i.entry_seq
    WHERE {asked} ORDER BY i.at DESC, e.id, i.session_id LIMIT ?
"""


decode_shown_text = Decoder(
    ShownText._fields,
    {**dict.fromkeys(("entry_id", "name", "description", "notes"), text), "is_counted": bool},
)

decode_influence = Decoder(
    Influence._fields,
    {**dict.fromkeys(("entry_id", "session_id", "phrase"), text), "how": one_of(HOWS), "at": timestamp},
)


class SqliteInfluences(Influences):
    """Usage signals: the sessions that used an entry, in the table `influence`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record(self, influence: Influence) -> bool:
        row = (*influence[:-1], to_text(influence.at))
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            return bool(self._database.rows(INSERT_INFLUENCE, row))

    @override
    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        rows = self._database.rows(SELECT_SHOWN_TEXTS, (session_id, limit))
        return [*readable(self._database, "entry", rows, lambda row: ShownText(*decode_shown_text(row)))]

    @override
    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        return dict(self._database.rows(COUNT_INFLUENCES, (json.dumps(sorted({*entry_ids})),)))

    @override
    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> list[Influence]:
        from hardwon.adapters.sqlite.query import all_of  # noqa: PLC0415  # a hook that counts needs no filter

        asked, values = all_of({"i.session_id = ?": session_id, "e.id = ?": entry_id})
        rows = self._database.rows(FIND_INFLUENCES.format(asked=asked), (*values, limit))
        return [*readable(self._database, "use of entry", rows, lambda row: Influence(*decode_influence(row)))]

    @override
    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> list[tuple[str, int]]:
        within = _within(only)
        rows = self._database.rows(
            "SELECT e.id, count(*) AS times FROM influence i JOIN entry e ON e.seq = i.entry_seq"
            f" WHERE {within.sql} GROUP BY e.seq ORDER BY times DESC, e.id LIMIT ?",
            (*within.parameters, limit),
        )
        return [(entry_id, times) for entry_id, times in rows]

    @override
    def total(self, only: "EntryFilter | None" = None) -> int:
        within = _within(only)
        sql = f"SELECT count(*) FROM influence i JOIN entry e ON e.seq = i.entry_seq WHERE {within.sql}"
        return int(self._database.value(sql, within.parameters))


def _within(only: "EntryFilter | None") -> "Where":
    from hardwon.adapters.sqlite.query import Where, where  # noqa: PLC0415  # a hook that counts needs no filter

    return where(only) if only else Where("true", ())
