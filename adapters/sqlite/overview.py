"""Overviews of the whole store, by weeks since 1970."""

import datetime as dt
from typing import Any

from hardwon.adapters.sql.overview import SqlOverview, helped_from
from hardwon.adapters.sqlite.activity import JUDGED
from hardwon.ports.override import override

FIRST_MONDAY = dt.date(1970, 1, 5)
WEEK = "(({epoch}) - 345600) / 604800"
"""The number of a week since `FIRST_MONDAY`, from seconds since 1970."""

OF_ENTRY = WEEK.format(epoch="e.created_at_epoch")
OF_RECEIPT = WEEK.format(epoch="CAST(strftime('%s', r.at) AS INTEGER)")
OF_INFLUENCE = WEEK.format(epoch="CAST(strftime('%s', at) AS INTEGER)")


class SqliteOverview(SqlOverview):
    """Overviews by queries of the narrow tables."""

    LABELS = """
        SELECT e.seq, e.id, t.name, e.kind, e.category, e.project
        FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE {within} ORDER BY e.seq
    """
    CREATED = f"""
        SELECT {OF_ENTRY} AS week, e.kind, e.project, count(*) FROM entry e
        WHERE {{within}} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """
    SHOWN = f"""
        SELECT {OF_RECEIPT} AS week, count(*) FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number
        WHERE r.delivery != 'missed' AND week IS NOT NULL GROUP BY 1 ORDER BY 1
    """
    HELPED = helped_from(JUDGED, OF_RECEIPT)
    SHOWN_OF = f"""
        SELECT s.entry_id, {OF_RECEIPT} AS week, count(*)
        FROM json_each(:ids) wanted JOIN receipt_entry s ON s.entry_id = wanted.value
        JOIN receipt r ON r.number = s.receipt_number
        WHERE r.delivery != 'missed' AND week IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    """
    USED = (
        f"SELECT {OF_INFLUENCE} AS week, count(*) FROM influence WHERE week IS NOT NULL GROUP BY 1"
        " ORDER BY 1"
    )

    BY_FILE = """
        SELECT e.project, t.file_path, count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
        WHERE t.file_path IS NOT NULL AND e.project IS NOT NULL GROUP BY e.project, t.file_path
    """

    @override
    def _monday(self, week: Any) -> dt.date | None:
        return FIRST_MONDAY + dt.timedelta(weeks=week) if isinstance(week, int) else None
