"""Overviews of the whole store, read from narrow columns."""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.query import where
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import CATEGORIES, KINDS
from hardwon.ports.override import override
from hardwon.ports.overview import Created, Label, Overview

FIRST_MONDAY = dt.date(1970, 1, 5)
WEEK = "(({epoch}) - 345600) / 604800"
"""The number of a week since `FIRST_MONDAY`, of seconds since 1970."""

OF_ENTRY = WEEK.format(epoch="e.created_at_epoch")
OF_RECEIPT = WEEK.format(epoch="CAST(strftime('%s', r.at) AS INTEGER)")
OF_INFLUENCE = WEEK.format(epoch="CAST(strftime('%s', at) AS INTEGER)")

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

SHOWN_OF = f"""
    SELECT s.entry_id, {OF_RECEIPT} AS week, count(*)
    FROM json_each(?) wanted JOIN receipt_entry s ON s.entry_id = wanted.value
    JOIN receipt r ON r.number = s.receipt_number
    WHERE r.delivery != 'missed' AND week IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
"""

BY_FILE = """
    SELECT e.project, t.file_path, count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
    WHERE t.file_path IS NOT NULL AND e.project IS NOT NULL GROUP BY e.project, t.file_path
"""

USED = f"SELECT {OF_INFLUENCE} AS week, count(*) FROM influence WHERE week IS NOT NULL GROUP BY 1 ORDER BY 1"


class SqliteOverview(Overview):
    """Overviews by queries that read the narrow tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def labels(self, only: EntryFilter) -> Sequence[Label]:
        within = where(only)
        rows = self._database.rows(LABELS.format(within=within.sql), **within.parameters)
        return [label for label in map(Label._make, rows) if _is_readable(label)]

    @override
    def created(self, only: EntryFilter) -> Sequence[Created]:
        within = where(only)
        rows = self._database.rows(CREATED.format(within=within.sql), **within.parameters)
        return [
            Created(_monday(week), kind, project, count)
            for week, kind, project, count in rows
            if isinstance(week, int) and kind in KINDS
        ]

    @override
    def shown(self) -> Mapping[dt.date, int]:
        return {_monday(week): count for week, count in self._database.rows(SHOWN)}

    @override
    def used(self) -> Mapping[dt.date, int]:
        return {_monday(week): count for week, count in self._database.rows(USED)}

    @override
    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        weeks = defaultdict[str, dict[dt.date, int]](dict)
        for entry_id, week, count in self._database.rows(SHOWN_OF, (json.dumps([*entry_ids]),)):
            weeks[entry_id][_monday(week)] = count
        return weeks

    @override
    def entries_by_file(self) -> Iterator[tuple[str, str, int]]:
        return self._database.stream(BY_FILE)


def _monday(week: int) -> dt.date:
    return FIRST_MONDAY + dt.timedelta(weeks=week)


def _is_readable(label: Label) -> bool:
    return isinstance(label.name, str) and label.kind in KINDS and label.category in {None, *CATEGORIES}
