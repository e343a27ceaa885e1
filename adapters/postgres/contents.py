"""All of a tenant's contents that a member may see."""

import datetime as dt
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from hardwon.adapters.postgres.activity import CHANGES, PostgresHistory, PostgresInfluences
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.file_state import PostgresAbsences
from hardwon.adapters.postgres.metadata import PostgresImportLedger
from hardwon.adapters.postgres.projects import PostgresProjects
from hardwon.adapters.postgres.query import number_of
from hardwon.adapters.postgres.rows import SELECT_ENTRY, to_entry
from hardwon.adapters.sql.contents import SqlStoreContents
from hardwon.adapters.sql.database import as_given
from hardwon.adapters.sql.file_state import STORED, absent_file
from hardwon.domain.model.export import ExportedEntry
from hardwon.domain.model.file_state import AbsentFile
from hardwon.ports.override import override

BATCH = 500
"""Entries read in one query."""

OF_DELETED = """
    h.tenant = %(tenant)s
    AND NOT EXISTS (SELECT 1 FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = h.number)
"""

OF_TENANT = "WHERE tenant = %(tenant)s"
OF_NUMBER = f"{OF_TENANT} AND number = %(number)s"
OF_ENTRY = f"{OF_TENANT} AND number = {number_of('entry_id')}"

COUNTED = (
    f"SELECT count(*) FROM hardwon.project {OF_TENANT}",
    f"SELECT count(*) FROM hardwon.entry {OF_TENANT}",
    f"SELECT count(DISTINCT h.number) FROM hardwon.history h WHERE {OF_DELETED}",
    f"SELECT count(*) FROM hardwon.source {OF_TENANT}",
    f"SELECT count(DISTINCT file_path) FROM hardwon.departed {OF_TENANT}",
    f"SELECT count(*) FROM hardwon.tombstone {OF_TENANT}",
)
"""Counts of records, in the order of `RECORD_NAMES`."""

NEXT_ENTRIES = f"""
    {SELECT_ENTRY} WHERE e.tenant = %(tenant)s AND e.number > %(after)s ORDER BY e.number LIMIT {BATCH}
"""

AMONG = "tenant = %(tenant)s AND number = ANY(%(numbers)s)"
PLACES = f"SELECT number, project FROM hardwon.entry_place WHERE {AMONG} ORDER BY number, project"
ALIASES = f"SELECT number, old_id FROM hardwon.entry_alias WHERE {AMONG} ORDER BY number, old_id"
CHANGES_AMONG = (
    f"{CHANGES} WHERE h.tenant = %(tenant)s AND h.number = ANY(%(numbers)s) ORDER BY h.number, h.id"
)
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
DEPARTED = (
    f"SELECT {', '.join(STORED)} FROM hardwon.departed {OF_TENANT} ORDER BY file_path, anchor_id"
)


class PostgresStoreContents(SqlStoreContents[PostgresDatabase]):
    """All contents of a tenant that a member may see."""

    COUNT = f"SELECT {', '.join(f'({count})' for count in COUNTED)}"
    CHANGES_OF_DELETED = f"{CHANGES} WHERE {OF_DELETED} ORDER BY h.number, h.id"
    PLACES, ALIASES, CHANGES, INFLUENCES = PLACES, ALIASES, CHANGES_AMONG, INFLUENCES
    SECTIONS = f"""
        SELECT file_path, anchor_id, file_hash, buried_at FROM hardwon.tombstone {OF_TENANT} ORDER BY file_path, anchor_id
    """
    HAS_ENTRY = f"SELECT 1 FROM hardwon.entry {OF_NUMBER} LIMIT 1"
    HAS_FILE = f"SELECT 1 FROM hardwon.departed {OF_TENANT} AND file_path = %(file_path)s LIMIT 1"
    RAISE_RECALL = f"""
        INSERT INTO hardwon.recall AS own (tenant, number, entry_owner, recall_count, last_recalled_at)
        SELECT tenant, number, owner, %(recalls)s, %(at)s::timestamptz FROM hardwon.entry {OF_ENTRY}
        ON CONFLICT (tenant, number) DO UPDATE SET recall_count = greatest(own.recall_count, excluded.recall_count),
            last_recalled_at = greatest(own.last_recalled_at, excluded.last_recalled_at)
    """
    RAISE_USAGE = f"""
        INSERT INTO hardwon.usage AS own (tenant, number, entry_owner, access_count, last_accessed, validation_count, useful_count)
        SELECT tenant, number, owner, %(accesses)s, %(last_accessed)s::timestamptz, %(validations)s, %(useful)s
        FROM hardwon.entry {OF_ENTRY}
        ON CONFLICT (tenant, number) DO UPDATE SET access_count = greatest(own.access_count, excluded.access_count),
            last_accessed = greatest(own.last_accessed, excluded.last_accessed),
            validation_count = greatest(own.validation_count, excluded.validation_count),
            useful_count = greatest(own.useful_count, excluded.useful_count)
    """
    ADD_PLACE = PostgresProjects.ADD_PLACE
    ADD_ALIAS = f"""
        INSERT INTO hardwon.entry_alias (tenant, number, entry_owner, old_id)
        SELECT tenant, number, owner, %(alias)s::text FROM hardwon.entry {OF_ENTRY}
            AND NOT EXISTS (SELECT 1 FROM hardwon.entry WHERE tenant = %(tenant)s AND id = %(alias)s)
        ON CONFLICT DO NOTHING
    """
    ADD_CHANGE_OF_DELETED = f"""
        {PostgresHistory.INSERT} WHERE NOT EXISTS (SELECT 1 FROM hardwon.history
            WHERE tenant = %(tenant)s AND number = %(number)s AND field_changed = %(field)s
                AND old_value IS NOT DISTINCT FROM %(old)s AND new_value IS NOT DISTINCT FROM %(new)s
                AND changed_at = %(at)s)
    """
    ADD_CHANGE = ADD_CHANGE_OF_DELETED.replace("%(number)s", number_of("entry_id"))
    ADD_INFLUENCE = PostgresInfluences.INSERT
    ADD_SECTION = """
        INSERT INTO hardwon.tombstone (tenant, file_path, anchor_id, file_hash, buried_at)
        VALUES (%(tenant)s, %(file_path)s, %(anchor_id)s, %(file_hash)s, %(at)s) ON CONFLICT DO NOTHING
    """

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(
            database,
            projects=PostgresProjects(database),
            absences=PostgresAbsences(database),
            ledger=PostgresImportLedger(database),
        )

    @override
    def _entries(self) -> Iterator[ExportedEntry]:
        last = 0
        while rows := self._database.rows(NEXT_ENTRIES, after=last):
            entries = [to_entry(row) for row in rows]
            yield from self._with_activity(entries)
            last = entries[-1].number or 0

    @override
    def _sources(self) -> Iterable[tuple[str, str, Iterable[str]]]:
        return (
            (path, fingerprint, headings)
            for path, fingerprint, headings in self._database.rows(SOURCES)
        )

    @override
    def _absent_files(self) -> Iterator[tuple[AbsentFile, dt.datetime]]:
        for _, rows in groupby(self._database.rows(DEPARTED), itemgetter(0)):
            sections = [*rows]
            if absent := absent_file(self._database, [row[:-1] for row in sections], as_given):
                yield absent, max(section[-1] for section in sections)

    @override
    def is_unused(self) -> bool:
        return not self._database.value(f"SELECT last_number FROM hardwon.state {OF_TENANT}")

    @override
    def reserve(self, number: int) -> None:
        with self._database.transaction():
            self._database.reserve(number)
