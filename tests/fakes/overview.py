"""Overviews of the store in memory."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.activity import Receipts
from hardwon.ports.override import override
from hardwon.ports.overview import CreatedCount, EntryLabel, Overview
from tests.fakes.state import State

ALL = 2**31 - 1


class InMemoryOverview(Overview):
    def __init__(self, state: State, receipts: Receipts) -> None:
        self._state = state
        self._receipts = receipts

    @override
    def labels(self, only: EntryFilter) -> Sequence[EntryLabel]:
        found = [
            (number, self._state.entries[number]) for number in sorted(self._state.within(only))
        ]
        return [
            EntryLabel(
                number, entry.entry_id, entry.name, entry.kind, entry.category, entry.project
            )
            for number, entry in found
        ]

    @override
    def created(self, only: EntryFilter) -> Sequence[CreatedCount]:
        entries = (self._state.entries[number] for number in self._state.within(only))
        counts = Counter(
            (_monday(entry.created_at), entry.kind, entry.project) for entry in entries
        )
        ordered = sorted(
            counts.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or "")
        )
        return [CreatedCount(*key, count) for key, count in ordered]

    @override
    def shown(self) -> Mapping[dt.date, int]:
        return _by_week(at for at, _ in self._shown())

    @override
    def used(self) -> Mapping[dt.date, int]:
        return _by_week(influence.at for influence in self._state.influences.values())

    @override
    def helped(self) -> Mapping[dt.date, int]:
        known = {entry.entry_id: number for number, entry in self._state.entries.items()}
        return _by_week(
            receipt.at
            for receipt in self._receipts.newest(limit=ALL)
            if receipt.delivery != "missed"
            for shown in receipt.shown
            if shown.entry_id in known
            and receipt.outcome.has_helped(
                is_used=(known[shown.entry_id], receipt.session_id) in self._state.influences,
                is_rejected=shown.is_rejected,
            )
        )

    @override
    def shown_of(self, entry_ids: Iterable[str]) -> Mapping[str, Mapping[dt.date, int]]:
        shown = self._shown()
        found = {
            entry_id: _by_week(at for at, shown_id in shown if shown_id == entry_id)
            for entry_id in entry_ids
        }
        return {entry_id: weeks for entry_id, weeks in found.items() if weeks}

    @override
    def entries_by_file(self) -> Iterator[tuple[str, str, int]]:
        entries = self._state.entries.values()
        files = Counter(
            (entry.project, entry.file_path)
            for entry in entries
            if entry.project and entry.file_path
        )
        yield from sorted((project, path, count) for (project, path), count in files.items())

    def _shown(self) -> list[tuple[dt.datetime, str]]:
        receipts = self._receipts.newest(limit=ALL)
        return [
            (receipt.at, shown.entry_id)
            for receipt in receipts
            if receipt.delivery != "missed"
            for shown in receipt.shown
        ]


def _by_week(timestamps: Iterable[dt.datetime]) -> Mapping[dt.date, int]:
    return dict(sorted(Counter(map(_monday, timestamps)).items()))


def _monday(timestamp: dt.datetime) -> dt.date:
    day = timestamp.astimezone(dt.UTC).date()
    return day - dt.timedelta(days=day.weekday())
