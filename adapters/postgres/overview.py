"""Overviews of the whole store, read from narrow columns; injections and uses are a member's own."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.query import where
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.overview import Created, Label, Overview

MONDAY = "date_trunc('week', {at} AT TIME ZONE 'UTC')::date"

LABELS = """
    SELECT e.number, e.id, t.name, e.kind, e.category, e.project
    FROM hardwon.entry e JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
    WHERE {within} ORDER BY e.number
"""

CREATED = f"""
    SELECT {MONDAY.format(at="e.created_at")}, e.kind, e.project, count(*) FROM hardwon.entry e
    WHERE {{within}} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 NULLS FIRST
"""

INJECTIONS = """
    hardwon.receipt r JOIN hardwon.receipt_entry s
        ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number
    WHERE r.tenant = %(tenant)s AND r.owner = current_user AND r.delivery != 'missed'
"""

SHOWN = f"SELECT {MONDAY.format(at='r.at')}, count(*) FROM {INJECTIONS} GROUP BY 1 ORDER BY 1"

SHOWN_OF = f"""
    SELECT s.entry_id, {MONDAY.format(at="r.at")}, count(*) FROM {INJECTIONS} AND s.entry_id = ANY(%(ids)s)
    GROUP BY 1, 2 ORDER BY 1, 2
"""

USED = f"""
    SELECT {MONDAY.format(at="at")}, count(*) FROM hardwon.influence WHERE tenant = %(tenant)s GROUP BY 1 ORDER BY 1
"""


BY_FILE = """
    SELECT e.project, t.file_path, count(*) FROM hardwon.entry e
    JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
    WHERE e.tenant = %(tenant)s AND t.author = current_user AND t.file_path IS NOT NULL AND e.project IS NOT NULL
    GROUP BY e.project, t.file_path
"""


class PostgresOverview(Overview):
    """Overviews by queries that read the narrow tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def labels(self, only: EntryFilter) -> Sequence[Label]:
        within = where(only)
        return [Label(*row) for row in self._database.rows(LABELS.format(within=within.sql), **within.parameters)]

    @override
    def created(self, only: EntryFilter) -> Sequence[Created]:
        within = where(only)
        return [Created(*row) for row in self._database.rows(CREATED.format(within=within.sql), **within.parameters)]

    @override
    def shown(self) -> Mapping[dt.date, int]:
        return dict(self._database.rows(SHOWN))

    @override
    def used(self) -> Mapping[dt.date, int]:
        return dict(self._database.rows(USED))

    @override
    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        weeks = defaultdict[str, dict[dt.date, int]](dict)
        for entry_id, week, count in self._database.rows(SHOWN_OF, ids=[*entry_ids]):
            weeks[entry_id][week] = count
        return weeks

    @override
    def entries_by_file(self) -> Iterator[tuple[str, str, int]]:
        yield from ((project, path, number) for project, path, number in self._database.rows(BY_FILE))
