"""Overviews of the whole store, read from narrow columns."""

import datetime as dt
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hardwon.adapters.sql.database import Database, Role
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import CATEGORIES, KINDS
from hardwon.ports.override import override
from hardwon.ports.overview import CreatedCount, EntryLabel, Overview


class SqlOverview(Role[Database], Overview):
    """Overviews by queries of the narrow tables."""

    LABELS: str
    CREATED: str
    SHOWN: str
    SHOWN_OF: str
    USED: str
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


def _is_readable(label: EntryLabel) -> bool:
    return (
        isinstance(label.name, str)
        and label.kind in KINDS
        and label.category in {None, *CATEGORIES}
    )
