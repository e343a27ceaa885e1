"""Overviews of visible entries, with the member's own injections and uses."""

import datetime as dt
from typing import Any

from hardwon.adapters.postgres.activity import JUDGED, OWN
from hardwon.adapters.sql.overview import SqlOverview, helped_from
from hardwon.ports.override import override

MONDAY = "date_trunc('week', {at} AT TIME ZONE 'UTC')::date"

INJECTIONS = """
    hardwon.receipt r JOIN hardwon.receipt_entry s
        ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number
    WHERE r.tenant = %(tenant)s AND r.owner = current_user AND r.delivery != 'missed'
"""


class PostgresOverview(SqlOverview):
    """Overviews by queries of the tables of a server."""

    LABELS = """
        SELECT e.number, e.id, t.name, e.kind, e.category, e.project
        FROM hardwon.entry e JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
        WHERE {within} ORDER BY e.number
    """
    CREATED = f"""
        SELECT {MONDAY.format(at="e.created_at")}, e.kind, e.project, count(*) FROM hardwon.entry e
        WHERE {{within}} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 NULLS FIRST
    """
    SHOWN = f"SELECT {MONDAY.format(at='r.at')}, count(*) FROM {INJECTIONS} GROUP BY 1 ORDER BY 1"
    HELPED = helped_from(JUDGED, MONDAY.format(at="r.at"), own=OWN)
    SHOWN_OF = f"""
        SELECT s.entry_id, {MONDAY.format(at="r.at")}, count(*) FROM {INJECTIONS} AND s.entry_id = ANY(%(ids)s)
        GROUP BY 1, 2 ORDER BY 1, 2
    """
    USED = (
        f"SELECT {MONDAY.format(at='at')}, count(*) FROM hardwon.influence WHERE tenant ="
        " %(tenant)s GROUP BY 1 ORDER BY 1"
    )

    BY_FILE = """
        SELECT e.project, t.file_path, count(*) FROM hardwon.entry e
        JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
        WHERE e.tenant = %(tenant)s AND t.author = current_user AND t.file_path IS NOT NULL AND e.project IS NOT NULL
        GROUP BY e.project, t.file_path
    """

    @override
    def _monday(self, week: Any) -> dt.date | None:
        return week if isinstance(week, dt.date) else None
