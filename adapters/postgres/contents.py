"""All contents of a tenant that a member sees, record by record."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter

from hardwon.adapters.postgres.activity import CHANGES, PostgresHistory, PostgresInfluences
from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.file_state import PostgresAbsences
from hardwon.adapters.postgres.import_ledger import PostgresImportLedger
from hardwon.adapters.postgres.named import number_of
from hardwon.adapters.postgres.projects import ADD_PLACE, read_projects
from hardwon.adapters.postgres.rows import SELECT_ENTRY, to_entry
from hardwon.adapters.postgres.session import Row, Statement
from hardwon.adapters.sql.activity import usage_values
from hardwon.adapters.sql.database import as_given
from hardwon.adapters.sql.file_state import STORED, absent_file
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
from hardwon.domain.model.injection.receipt import Influence
from hardwon.ports.override import override
from hardwon.ports.transfer import StoreContents

BATCH = 500
"""Entries that are read at once."""

OF_DELETED = """
    h.tenant = %(tenant)s
    AND NOT EXISTS (SELECT 1 FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = h.number)
"""

OF_TENANT = "WHERE tenant = %(tenant)s"

COUNTED = (
    f"SELECT count(*) FROM hardwon.project {OF_TENANT}",
    f"SELECT count(*) FROM hardwon.entry {OF_TENANT}",
    f"SELECT count(DISTINCT h.number) FROM hardwon.history h WHERE {OF_DELETED}",
    f"SELECT count(*) FROM hardwon.source {OF_TENANT}",
    f"SELECT count(DISTINCT file_path) FROM hardwon.departed {OF_TENANT}",
    f"SELECT count(*) FROM hardwon.tombstone {OF_TENANT}",
)
"""The rows that are records, in the order of `RECORD_NAMES`."""

COUNT_ALL = f"SELECT {', '.join(f'({count})' for count in COUNTED)}"

NEXT_ENTRIES = f"""
    {SELECT_ENTRY} WHERE e.tenant = %(tenant)s AND e.number > %(after)s ORDER BY e.number LIMIT {BATCH}
"""

AMONG = "tenant = %(tenant)s AND number = ANY(%(numbers)s)"
PLACES = f"SELECT number, project FROM hardwon.entry_place WHERE {AMONG} ORDER BY number, project"
ALIASES = f"SELECT number, old_id FROM hardwon.entry_alias WHERE {AMONG} ORDER BY number, old_id"
CHANGES_AMONG = f"{CHANGES} WHERE h.tenant = %(tenant)s AND h.number = ANY(%(numbers)s) ORDER BY h.number, h.id"
INFLUENCES = """
    SELECT i.number, e.id, i.session_id, i.how, i.phrase, i.at
    FROM hardwon.influence i JOIN hardwon.entry e ON e.tenant = i.tenant AND e.number = i.number
    WHERE i.tenant = %(tenant)s AND i.number = ANY(%(numbers)s) ORDER BY i.number, i.at DESC, i.session_id
"""

SOURCES = """
    SELECT s.path, s.fingerprint, array_remove(array_agg(h.heading ORDER BY h.heading), NULL) FROM hardwon.source s
    LEFT JOIN hardwon.source_heading h ON h.tenant = s.tenant AND h.owner = s.owner AND h.path = s.path
    WHERE s.tenant = %(tenant)s GROUP BY s.owner, s.path, s.fingerprint ORDER BY s.path
"""
SECTIONS = f"""
    SELECT file_path, anchor_id, file_hash, buried_at FROM hardwon.tombstone {OF_TENANT} ORDER BY file_path, anchor_id
"""

RAISE_RECALL = """
    INSERT INTO hardwon.recall AS own (tenant, number, recall_count, last_recalled_at)
    VALUES (%(tenant)s, %(number)s, %(recalls)s, %(at)s)
    ON CONFLICT (tenant, number) DO UPDATE SET recall_count = greatest(own.recall_count, excluded.recall_count),
        last_recalled_at = greatest(own.last_recalled_at, excluded.last_recalled_at)
"""
RAISE_USAGE = """
    INSERT INTO hardwon.usage AS own
        (tenant, number, access_count, last_accessed, validation_count, useful_count)
    VALUES (%(tenant)s, %(number)s, %(accesses)s, %(last_accessed)s, %(validations)s, %(useful)s)
    ON CONFLICT (tenant, number) DO UPDATE SET access_count = greatest(own.access_count, excluded.access_count),
        last_accessed = greatest(own.last_accessed, excluded.last_accessed),
        validation_count = greatest(own.validation_count, excluded.validation_count),
        useful_count = greatest(own.useful_count, excluded.useful_count)
"""
ADD_ALIAS = """
    INSERT INTO hardwon.entry_alias (tenant, number, old_id) SELECT %(tenant)s, %(number)s, %(alias)s::text
    WHERE NOT EXISTS (SELECT 1 FROM hardwon.entry WHERE tenant = %(tenant)s AND id = %(alias)s)
    ON CONFLICT DO NOTHING
"""
ADD_CHANGE = f"""
    {PostgresHistory.INSERT} WHERE NOT EXISTS (SELECT 1 FROM hardwon.history
        WHERE tenant = %(tenant)s AND number = %(number)s AND field_changed = %(field)s
            AND old_value IS NOT DISTINCT FROM %(old)s AND new_value IS NOT DISTINCT FROM %(new)s
            AND changed_at = %(at)s)
"""
ADD_SECTION = """
    INSERT INTO hardwon.tombstone (tenant, file_path, anchor_id, file_hash, buried_at)
    VALUES (%(tenant)s, %(path)s, %(anchor)s, %(file_hash)s, %(at)s) ON CONFLICT DO NOTHING
"""


class PostgresStoreContents(StoreContents):
    """All contents of a tenant that a member sees."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._absences = PostgresAbsences(database)
        self._ledger = PostgresImportLedger(database)

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def counts(self) -> Mapping[str, int]:
        [numbers] = self._database.rows(COUNT_ALL)
        return dict(zip(RECORD_NAMES.values(), numbers, strict=True))

    @override
    def records(self) -> Iterator[Record]:
        yield from read_projects(self._database)
        yield from self._entries()
        changes = self._database.rows(f"{CHANGES} WHERE {OF_DELETED} ORDER BY h.number, h.id")
        for number, rows in groupby(changes, itemgetter(0)):
            yield DeletedEntry(number, tuple(PastChange(*row) for row in rows))
        for path, fingerprint, headings in self._database.rows(SOURCES):
            yield ImportedSource(path, None, fingerprint, tuple(sorted(headings)))
        yield from self._absent_files()
        for path, anchor, file_hash, at in self._database.rows(SECTIONS):
            yield DeletedSection(path, None, anchor, file_hash, at)

    def _entries(self) -> Iterator[ExportedEntry]:
        last = 0
        while rows := self._database.rows(NEXT_ENTRIES, after=last):
            entries = [to_entry(row) for row in rows]
            yield from self._with_activity(entries)
            last = entries[-1].number or 0

    def _with_activity(self, entries: Sequence[Entry]) -> Iterator[ExportedEntry]:
        numbers = [entry.number for entry in entries]
        places, aliases, changes, influences = (
            _by_number(self._database.rows(sql, numbers=numbers))
            for sql in (PLACES, ALIASES, CHANGES_AMONG, INFLUENCES)
        )
        for entry in entries:
            number = entry.number or 0
            yield ExportedEntry(
                entry_id=entry.entry_id,
                entry=entry,
                places=tuple(project for _, project in places.get(number, ())),
                aliases=tuple(alias for _, alias in aliases.get(number, ())),
                history=tuple(PastChange(*row) for row in changes.get(number, ())),
                influences=tuple(Influence(*row) for _, *row in influences.get(number, ())),
            )

    def _absent_files(self) -> Iterator[Absence]:
        departed = self._database.rows(
            f"SELECT {', '.join(STORED)} FROM hardwon.departed {OF_TENANT} ORDER BY file_path, anchor_id"
        )
        for _, rows in groupby(departed, itemgetter(0)):
            sections = [*rows]
            if absent := absent_file(self._database, [row[:-1] for row in sections], as_given):
                yield Absence(absent, None, max(section[-1] for section in sections))

    @override
    def is_unused(self) -> bool:
        return not self._database.value(f"SELECT last_number FROM hardwon.state {OF_TENANT}")

    @override
    def reserve(self, number: int) -> None:
        with self._database.transaction():
            self._database.reserve(number)

    @override
    def add_activity(self, exported: ExportedEntry) -> None:
        entry = exported.entry
        with self._database.transaction():
            number = self._database.value(f"SELECT {number_of('entry_id')}", entry_id=entry.entry_id)
            influences = (influence._replace(entry_id=entry.entry_id) for influence in exported.influences)
            self._database.together(
                (
                    *_raising_counters(number, entry),
                    *((ADD_PLACE, {"entry_id": entry.entry_id, "project": place}) for place in exported.places),
                    *((ADD_ALIAS, {"number": number, "alias": alias}) for alias in exported.aliases),
                    *_adding_changes(number, exported.history),
                    *((PostgresInfluences.INSERT, influence._asdict()) for influence in influences),
                    self._database.change(),
                )
            )

    @override
    def add(self, record: Record) -> None:
        with self._database.transaction():
            match record:
                case DeletedEntry(number, history):
                    if not self._is_there("entry", "number", number):
                        self._database.together(_adding_changes(number, history))
                case ImportedSource(path, _, fingerprint, headings):
                    known = self._ledger.fingerprint(path)
                    self._ledger.record(path, {*headings}, fingerprint if known is None else known)
                case Absence(file, _, at):
                    if not self._is_there("departed", "file_path", file.file_path):
                        self._absences.keep(file, at)
                case DeletedSection(path, _, anchor, file_hash, at):
                    self._database.rows(ADD_SECTION, path=path, anchor=anchor, file_hash=file_hash, at=at)
                case _:
                    raise TypeError(f"{type(record).__name__} is added by another role")

    def _is_there(self, table: str, column: str, value: object) -> bool:
        sql = f"SELECT 1 FROM hardwon.{table} {OF_TENANT} AND {column} = %(value)s LIMIT 1"
        return bool(self._database.rows(sql, value=value))


def _raising_counters(number: int, entry: Entry) -> Iterator[Statement]:
    """Yield the statements that raise the counters of an entry to at least those of *entry*."""
    usage = entry.usage
    if entry.last_recalled_at:
        yield RAISE_RECALL, {"number": number, "recalls": entry.recall_count, "at": entry.last_recalled_at}
    if usage.access_count or usage.last_accessed or usage.validations.total:
        yield RAISE_USAGE, {"number": number, **usage_values(usage)}


def _adding_changes(number: int, changes: Sequence[PastChange]) -> Iterator[Statement]:
    """Yield the statements that add *changes* to the history of an entry."""
    return ((ADD_CHANGE, {**change._asdict(), "number": number}) for change in changes)


def _by_number(rows: Sequence[Row]) -> Mapping[int, Sequence[Row]]:
    """Return *rows*, which are ordered by their first column, by it."""
    return {number: [*group] for number, group in groupby(rows, itemgetter(0))}
