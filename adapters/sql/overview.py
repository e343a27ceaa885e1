"""Overviews of the whole store, read from narrow columns."""

import datetime as dt
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hardwon.adapters.sql.activity import decoded
from hardwon.adapters.sql.database import Database, Role, Row
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import CATEGORIES, KINDS
from hardwon.ports.override import override
from hardwon.ports.overview import CreatedCount, EntryLabel, Overview


def helped_from(judged: str, week: str, own: str = "true") -> str:
    """
    Return the statement that counts shown entries by week and outcome.

    Args:
        judged: As of `outcomes_from`.
        week: That of the receipt.
        own: Limits the receipts.
    """
    return f"""
        SELECT {week}, r.outcome, i.how IS NOT NULL AS used, s.is_rejected, count(*) FROM {judged}
        WHERE {own} AND r.delivery != 'missed' AND (r.outcome != '[]' OR i.how IS NOT NULL)
        GROUP BY 1, 2, 3, 4
    """


class SqlOverview(Role[Database], Overview):
    """Overviews by queries of the narrow tables."""

    LABELS: str
    CREATED: str
    SHOWN: str
    SHOWN_OF: str
    USED: str
    HELPED: str
    BY_FILE: str

    @override
    def labels(self, only: EntryFilter) -> Sequence[EntryLabel]:
        return [
            label
            for label in map(EntryLabel._make, self._within(self.LABELS, only))
            if _is_readable(label)
        ]

    @override
    def created(self, only: EntryFilter) -> Sequence[CreatedCount]:
        return [
            CreatedCount(week=monday, kind=kind, project=project, entries=count)
            for week, kind, project, count in self._within(self.CREATED, only)
            if kind in KINDS and (monday := self._monday(week))
        ]

    def _within(self, statement: str, only: EntryFilter) -> Sequence[Sequence[Any]]:
        within = self._database.where(only)
        return self._database.rows(statement.format(within=within.sql), **within.parameters)

    @override
    def shown(self) -> Mapping[dt.date, int]:
        return dict(self._weeks(self._database.rows(self.SHOWN)))

    @override
    def used(self) -> Mapping[dt.date, int]:
        return dict(self._weeks(self._database.rows(self.USED)))

    @override
    def helped(self) -> Mapping[dt.date, int]:
        rows = self._database.rows(self.HELPED)
        counts = Counter[dt.date]()
        for week, times in self._weeks(
            self._database.readable("outcome of entry", rows, _times_helped)
        ):
            counts[week] += times
        return dict(sorted((+counts).items()))

    @override
    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        weeks = defaultdict[str, dict[dt.date, int]](dict)
        for entry_id, *row in self._database.rows(self.SHOWN_OF, ids=[*entry_ids]):
            weeks[entry_id].update(self._weeks([row]))
        return weeks

    @override
    def entries_by_file(self) -> Iterator[tuple[str, str, int]]:
        return (
            (project, path, count) for project, path, count in self._database.stream(self.BY_FILE)
        )

    def _weeks(self, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[dt.date, int]]:
        return ((monday, count) for week, count in rows if (monday := self._monday(week)))

    @abstractmethod
    def _monday(self, week: Any) -> dt.date | None:
        """Return the first day of a week, None if it can't be read."""


def _times_helped(row: Row) -> Sequence[Any]:
    """Return the week of a row, and how many of its entries helped."""
    week, outcome, is_used, is_rejected, times = row
    helped = decoded(outcome).has_helped(is_used=bool(is_used), is_rejected=bool(is_rejected))
    return week, times if helped else 0


def _is_readable(label: EntryLabel) -> bool:
    return (
        isinstance(label.name, str)
        and label.kind in KINDS
        and label.category in {None, *CATEGORIES}
    )
