"""All contents of a store, record by record."""

import datetime as dt
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from hardwon.adapters.sql.activity import readable_changes, usage_values
from hardwon.adapters.sql.database import D, Decoder, Role, Row, Statement, as_given
from hardwon.adapters.sql.file_state import SqlAbsences
from hardwon.adapters.sql.metadata import SqlImportLedger
from hardwon.adapters.sql.projects import SqlProjects
from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.export import (
    RECORD_NAMES,
    Absence,
    DeletedEntry,
    DeletedSection,
    ExportedEntry,
    ImportedSource,
    Record,
)
from hardwon.domain.model.file_state import AbsentFile
from hardwon.domain.model.injection.receipt import Influence
from hardwon.ports.override import override
from hardwon.ports.transfer import StoreContents


class SqlStoreContents(Role[D], StoreContents):
    """All contents of the store's tables."""

    COUNT: str
    CHANGES_OF_DELETED: str
    PLACES: str
    ALIASES: str
    CHANGES: str
    INFLUENCES: str
    """Those of `numbers`: the number comes first, and rows are sorted by it."""
    SECTIONS: str
    HAS_ENTRY: str
    HAS_FILE: str
    RAISE_RECALL: str
    RAISE_USAGE: str
    ADD_PLACE: str
    ADD_ALIAS: str
    ADD_CHANGE: str
    ADD_CHANGE_OF_DELETED: str
    ADD_INFLUENCE: str
    ADD_SECTION: str
    _decode_alias: Decoder = as_given
    _decode_influence: Decoder = as_given
    _decode_change: Decoder = as_given
    _decode_section: Decoder = as_given

    def __init__(
        self,
        database: D,
        *,
        projects: SqlProjects[D],
        absences: SqlAbsences,
        ledger: SqlImportLedger,
    ) -> None:
        super().__init__(database)
        self._projects = projects
        self._absences = absences
        self._ledger = ledger

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def counts(self) -> Mapping[str, int]:
        [numbers] = self._database.rows(self.COUNT)
        return dict(zip(RECORD_NAMES.values(), numbers, strict=True))

    @override
    def records(self) -> Iterator[Record]:
        yield from self._projects.known()
        yield from self._entries()
        for number, rows in groupby(self._database.stream(self.CHANGES_OF_DELETED), itemgetter(0)):
            if isinstance(number, int):
                yield DeletedEntry(number, self._changes(rows))
        for path, fingerprint, headings in self._sources():
            yield ImportedSource(
                path=path, below=None, fingerprint=fingerprint, headings=tuple(sorted(headings))
            )
        for file, at in self._absent_files():
            yield Absence(file, None, at)
        sections = self._database.readable(
            "tombstone", self._database.stream(self.SECTIONS), self._decode_section
        )
        for path, anchor, file_hash, at in sections:
            yield DeletedSection(
                path=path, below=None, anchor_id=anchor, file_hash=file_hash, at=at
            )

    @abstractmethod
    def _entries(self) -> Iterator[ExportedEntry]:
        """Yield all entries by number, each with its activity."""

    def _with_activity(self, entries: Sequence[Entry]) -> Iterator[ExportedEntry]:
        numbers = [entry.number for entry in entries]
        places, aliases, changes, influences = (
            _by_number(self._database.rows(sql, numbers=numbers))
            for sql in (self.PLACES, self.ALIASES, self.CHANGES, self.INFLUENCES)
        )
        readable = self._database.readable
        for entry in entries:
            number = entry.number or 0
            aliased = readable("entry_alias", _without_number(aliases, number), self._decode_alias)
            used = readable(
                "use of entry", _without_number(influences, number), self._decode_influence
            )
            yield ExportedEntry(
                entry_id=entry.entry_id,
                entry=entry,
                places=tuple(
                    at for (at,) in _without_number(places, number) if isinstance(at, str)
                ),
                aliases=tuple(alias for (alias,) in aliased),
                history=self._changes(changes.get(number, ())),
                influences=tuple(Influence(*row) for row in used),
            )

    @abstractmethod
    def _sources(self) -> Iterable[tuple[str, str, Iterable[str]]]:
        """Return path, fingerprint and headings of each imported file, by path."""

    @abstractmethod
    def _absent_files(self) -> Iterable[tuple[AbsentFile, dt.datetime]]:
        """Return the missing files, each with the time of its removal."""

    def _changes(self, rows: Iterable[Row]) -> tuple[PastChange, ...]:
        return tuple(readable_changes(self._database, rows, self._decode_change))

    @override
    def add_activity(self, exported: ExportedEntry) -> None:
        of = {"entry_id": exported.entry.entry_id}
        with self._database.transaction():
            added = [
                *self._raising_counters(exported.entry),
                *((self.ADD_PLACE, of | {"project": place}) for place in exported.places),
                *((self.ADD_ALIAS, of | {"alias": alias}) for alias in exported.aliases),
                *((self.ADD_CHANGE, change._asdict() | of) for change in exported.history),
                *((self.ADD_INFLUENCE, used._asdict() | of) for used in exported.influences),
            ]
            if added:
                about = [exported.entry.entry_id, *exported.aliases]
                self._database.together(added, about=about)
                self._database.note_change()

    def _raising_counters(self, entry: Entry) -> Iterator[Statement]:
        usage, of = entry.usage, {"entry_id": entry.entry_id}
        if entry.last_recalled_at:
            yield (
                self.RAISE_RECALL,
                of | {"recalls": entry.recall_count, "at": entry.last_recalled_at},
            )
        if usage.access_count or usage.last_accessed or usage.validations.total:
            yield self.RAISE_USAGE, of | usage_values(usage)

    @override
    def add(self, record: Record) -> None:
        with self._database.transaction():
            match record:
                case DeletedEntry(number, history):
                    if not self._database.rows(self.HAS_ENTRY, number=number):
                        self._database.together(
                            (self.ADD_CHANGE_OF_DELETED, change._asdict() | {"number": number})
                            for change in history
                        )
                case ImportedSource(path, _, fingerprint, headings):
                    known = self._ledger.fingerprint(path)
                    self._ledger.record(path, {*headings}, fingerprint if known is None else known)
                case Absence(file, _, at):
                    if not self._database.rows(self.HAS_FILE, file_path=file.file_path):
                        self._absences.keep(file, at)
                case DeletedSection(path, _, anchor, file_hash, at):
                    section = {
                        "file_path": path,
                        "anchor_id": anchor,
                        "file_hash": file_hash,
                        "at": at,
                    }
                    self._database.rows(self.ADD_SECTION, **section)
                case _:
                    raise TypeError(f"{type(record).__name__} is added by another role")


RowsByNumber: TypeAlias = Mapping[int, Sequence[Row]]


def _by_number(rows: Sequence[Row]) -> RowsByNumber:
    return {number: [*group] for number, group in groupby(rows, itemgetter(0))}


def _without_number(rows: RowsByNumber, number: int) -> Sequence[Row]:
    return [row[1:] for row in rows.get(number, ())]
