"""All contents of the store's tables, record by record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import Any

from hardwon.adapters.sql.activity import readable_changes
from hardwon.adapters.sqlite.activity import SqliteHistory, SqliteInfluences
from hardwon.adapters.sqlite.database import Database, Row, to_text
from hardwon.adapters.sqlite.decoding import Decode, text, timestamp
from hardwon.adapters.sqlite.file_state import SqliteAbsences
from hardwon.adapters.sqlite.import_ledger import SqliteImportLedger
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.registry import read_projects
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entries
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
from hardwon.ports.override import override
from hardwon.ports.transfer import StoreContents

HISTORY = "memory_id, field_changed, old_value, new_value, changed_at"
OF_DELETED = "memory_id NOT IN (SELECT seq FROM entry)"

COUNTED = (
    *("project", "entry", f"(SELECT DISTINCT memory_id FROM history WHERE {OF_DELETED})"),
    *("sources", "(SELECT DISTINCT file_path FROM departed)", "tombstone"),
)
"""The rows that are records, in the order of `RECORD_NAMES`."""

RAISE_RECALL = """
    INSERT INTO recall (entry_seq, recall_count, last_recalled_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET recall_count = max(recall_count, excluded.recall_count),
        last_recalled_at = max(last_recalled_at, excluded.last_recalled_at)
"""
RAISE_USAGE = """
    INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET access_count = max(access_count, excluded.access_count),
        last_accessed = max(coalesce(last_accessed, excluded.last_accessed),
            coalesce(excluded.last_accessed, last_accessed)),
        validation_count = max(validation_count, excluded.validation_count),
        useful_count = max(useful_count, excluded.useful_count)
"""
ADD_ALIAS = """
    INSERT OR IGNORE INTO entry_alias (entry_seq, old_id) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM entry WHERE id = ?2)
"""
ADD_CHANGE = f"""
    INSERT INTO history ({HISTORY}) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM history
        WHERE memory_id = ?1 AND field_changed = ?2 AND old_value IS ?3 AND new_value IS ?4 AND changed_at = ?5)
"""


class SqliteStoreContents(StoreContents):
    """All contents of the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._absences = SqliteAbsences(database)
        self._ledger = SqliteImportLedger(database)
        self._influences = SqliteInfluences(database)
        self._projects = SqliteProjects(database)

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def counts(self) -> Mapping[str, int]:
        numbers = (self._database.value(f"SELECT count(*) FROM {rows}") for rows in COUNTED)
        return dict(zip(RECORD_NAMES.values(), numbers, strict=True))

    @override
    def records(self) -> Iterator[Record]:
        yield from read_projects(self._database)
        for entry in to_entries(self._database, self._database.stream(f"{SELECT_ENTRY} ORDER BY e.seq")):
            yield self._with_activity(entry, entry.number or 0)
        changes = self._database.stream(f"SELECT {HISTORY} FROM history WHERE {OF_DELETED} ORDER BY memory_id, id")
        for number, rows in groupby(changes, itemgetter(0)):
            if isinstance(number, int):
                yield DeletedEntry(number, _changes(self._database, rows))
        sources = self._database.stream("SELECT path, fingerprint FROM sources ORDER BY path")
        for path, fingerprint in self._readable("source", sources, text, text):
            yield ImportedSource(path, None, fingerprint, tuple(sorted(self._ledger.headings(path))))
        departed = self._database.stream("SELECT file_path, max(departed_at) FROM departed GROUP BY file_path")
        for path, at in self._readable("departed", departed, text, timestamp):
            if absent := self._absences.of(path, ""):
                yield Absence(absent, None, at)
        sections = "SELECT file_path, anchor_id, file_hash, buried_at FROM tombstone ORDER BY file_path, anchor_id"
        for path, anchor, file_hash, at in self._readable(
            "tombstone", self._database.stream(sections), text, text, text, timestamp
        ):
            yield DeletedSection(path, None, anchor, file_hash, at)

    def _readable(self, table: str, rows: Iterable[Row], *decoders: Decode) -> Iterator[list[Any]]:
        return self._database.readable(
            table,
            rows,
            lambda row: [decode(value) for decode, value in zip(decoders, row, strict=True)],
        )

    def _with_activity(self, entry: Entry, number: int) -> ExportedEntry:
        aliases = self._database.rows("SELECT old_id FROM entry_alias WHERE entry_seq = ? ORDER BY old_id", (number,))
        changes = self._database.rows(f"SELECT {HISTORY} FROM history WHERE memory_id = ? ORDER BY id", (number,))
        return ExportedEntry(
            entry_id=entry.entry_id,
            entry=entry,
            places=self._projects.places_of(entry.entry_id),
            aliases=tuple(alias for (alias,) in self._readable("entry_alias", aliases, text)),
            history=_changes(self._database, changes),
            influences=tuple(self._influences.find(entry_id=entry.entry_id, limit=-1)),
        )

    @override
    def is_unused(self) -> bool:
        return not self._database.value("SELECT seq FROM sqlite_sequence WHERE name = 'entry'")

    @override
    def reserve(self, number: int) -> None:
        with self._database.transaction():
            self._database.rows(
                "INSERT INTO sqlite_sequence (name, seq) SELECT 'entry', 0"
                " WHERE 'entry' NOT IN (SELECT name FROM sqlite_sequence)"
            )
            self._database.rows("UPDATE sqlite_sequence SET seq = max(seq, ? - 1) WHERE name = 'entry'", (number,))

    @override
    def add_activity(self, exported: ExportedEntry) -> None:
        entry = exported.entry
        with self._database.transaction():
            number = self._database.value("SELECT seq FROM entry WHERE id = ?", (entry.entry_id,))
            self._raise_counters(number, entry)
            for place in exported.places:
                self._projects.add_place(entry.entry_id, place)
            self._database.run_many(ADD_ALIAS, ((number, alias) for alias in exported.aliases))
            self._add_changes(number, exported.history)
            for influence in exported.influences:
                self._influences.record(influence._replace(entry_id=entry.entry_id))
            self._database.note_change()

    def _raise_counters(self, number: int, entry: Entry) -> None:
        usage = entry.usage
        if entry.last_recalled_at:
            self._database.rows(RAISE_RECALL, (number, entry.recall_count, to_text(entry.last_recalled_at)))
        if usage.access_count or usage.last_accessed or usage.validations.total:
            last = to_text(usage.last_accessed) if usage.last_accessed else None
            self._database.rows(RAISE_USAGE, (number, usage.access_count, last, *usage.validations))

    def _add_changes(self, number: int, changes: Sequence[PastChange]) -> None:
        rows = ((number, change.field, change.old, change.new, to_text(change.at)) for change in changes)
        self._database.run_many(ADD_CHANGE, rows)

    @override
    def add(self, record: Record) -> None:
        with self._database.transaction():
            match record:
                case DeletedEntry(number, history):
                    if not self._database.rows("SELECT 1 FROM entry WHERE seq = ?", (number,)):
                        self._add_changes(number, history)
                case ImportedSource(path, _, fingerprint, headings):
                    known = self._ledger.fingerprint(path)
                    self._ledger.record(path, {*headings}, fingerprint if known is None else known)
                case Absence(file, _, at):
                    if not self._database.rows("SELECT 1 FROM departed WHERE file_path = ?", (file.file_path,)):
                        self._absences.keep(file, at)
                case DeletedSection(path, _, anchor, file_hash, at):
                    self._database.rows(
                        "INSERT OR IGNORE INTO tombstone (file_path, anchor_id, file_hash, buried_at) VALUES (?, ?, ?, ?)",
                        (path, anchor, file_hash, to_text(at)),
                    )
                case _:
                    raise TypeError(f"{type(record).__name__} is added by another role")


def _changes(database: Database, rows: Iterable[Row]) -> tuple[PastChange, ...]:
    return tuple(readable_changes(database, rows, SqliteHistory.decode))
