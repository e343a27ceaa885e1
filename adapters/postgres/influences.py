"""Usage signals in the table `influence`, which are a member's own."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.named import entry_named, number_of
from hardwon.adapters.postgres.query import Where, all_of, where
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.injection.usage_signals import LONGEST_SHOWN, ShownText
from hardwon.ports.activity import Influences
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.filters import EntryFilter

INSERT_INFLUENCE = f"""
    INSERT INTO hardwon.influence (tenant, number, session_id, how, phrase, at)
    SELECT e.tenant, e.number, %(session_id)s, %(how)s, %(phrase)s, %(at)s FROM hardwon.entry e
    WHERE e.tenant = %(tenant)s AND e.number = {number_of("entry_id")}
    ON CONFLICT DO NOTHING RETURNING 1
"""

SELECT_SHOWN_TEXTS = f"""
    SELECT e.id, t.name,
        CASE WHEN shown.is_whole THEN left(t.description, {LONGEST_SHOWN}) ELSE '' END,
        CASE WHEN shown.is_whole THEN left(t.notes, {LONGEST_SHOWN}) ELSE '' END,
        EXISTS (SELECT 1 FROM hardwon.influence i
            WHERE i.tenant = %(tenant)s AND i.number = e.number AND i.session_id = %(session_id)s)
    FROM (
        SELECT s.entry_id, bool_or(s.form != 'conversation') AS is_whole, max(r.number) AS last
        FROM hardwon.receipt r
        JOIN hardwon.receipt_entry s ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number
        WHERE r.tenant = %(tenant)s AND r.owner = current_user AND r.session_id = %(session_id)s
            AND r.delivery != 'missed'
        GROUP BY s.entry_id
    ) shown
    {entry_named("shown.entry_id")}
    JOIN hardwon.entry_text t ON t.tenant = %(tenant)s AND t.number = e.number
    ORDER BY shown.last DESC, e.id LIMIT %(most)s
"""

USES = "hardwon.influence i JOIN hardwon.entry e ON e.tenant = i.tenant AND e.number = i.number"

COUNT_INFLUENCES = f"""
    SELECT e.id, count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND e.id = ANY(%(ids)s) GROUP BY e.id
"""

FIND_INFLUENCES = f"""
    SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM {USES}
    WHERE i.tenant = %(tenant)s AND {{asked}} ORDER BY i.at DESC, e.id, i.session_id LIMIT %(most)s
"""

RANK_BY_USE = f"""
    SELECT e.id, count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND {{within}}
    GROUP BY e.number, e.id ORDER BY 2 DESC, e.id LIMIT %(most)s
"""


class PostgresInfluences(Influences):
    """Usage signals: the sessions that used an entry, in the table `influence`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record(self, influence: Influence) -> bool:
        with self._database.counting():
            return bool(self._database.rows(INSERT_INFLUENCE, **influence._asdict()))

    @override
    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        rows = self._database.rows(SELECT_SHOWN_TEXTS, session_id=session_id, most=limit)
        return [ShownText(*row) for row in rows]

    @override
    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        return dict(self._database.rows(COUNT_INFLUENCES, ids=sorted({*entry_ids})))

    @override
    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> list[Influence]:
        asked = all_of(
            {
                "i.session_id = %(session_id)s": ("session_id", session_id),
                "e.id = %(entry_id)s": ("entry_id", entry_id),
            }
        )
        rows = self._database.rows(FIND_INFLUENCES.format(asked=asked.sql), **asked.parameters, most=limit)
        return [Influence(*row) for row in rows]

    @override
    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> list[tuple[str, int]]:
        within = _within(only)
        rows = self._database.rows(RANK_BY_USE.format(within=within.sql), **within.parameters, most=limit)
        return [(entry_id, times) for entry_id, times in rows]

    @override
    def total(self, only: "EntryFilter | None" = None) -> int:
        within = _within(only)
        sql = f"SELECT count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND {within.sql}"
        return int(self._database.value(sql, **within.parameters))


def _within(only: "EntryFilter | None") -> Where:
    return where(only) if only else Where("true", {})
