"""All contents of a file of SQLite, record by record."""

import datetime as dt
from collections.abc import Iterable, Iterator
from itertools import islice

from hardwon.adapters.sql.contents import SqlStoreContents
from hardwon.adapters.sqlite.activity import SqliteInfluences, decode_change, decode_influence
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import RowDecoder, text, timestamp
from hardwon.adapters.sqlite.file_state import SqliteAbsences
from hardwon.adapters.sqlite.metadata import SqliteImportLedger
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entries
from hardwon.domain.model.export import ENTRIES_AT_ONCE, ExportedEntry
from hardwon.domain.model.file_state import AbsentFile
from hardwon.ports.override import override

HISTORY = "memory_id, field_changed, old_value, new_value, changed_at"
OF_DELETED = "memory_id NOT IN (SELECT seq FROM entry)"

COUNTED = (
    *("project", "entry", f"(SELECT DISTINCT memory_id FROM history WHERE {OF_DELETED})"),
    *("sources", "(SELECT DISTINCT file_path FROM departed)", "tombstone"),
)
"""The rows that are records, in the order of `RECORD_NAMES`."""

NUMBER = "(SELECT seq FROM entry WHERE id = :entry_id)"
AMONG = "FROM json_each(:numbers) wanted CROSS JOIN"
OF_ENTRY = "ON entry_seq = wanted.value ORDER BY entry_seq"
USE = "(SELECT id FROM entry WHERE seq = entry_seq), session_id, how, phrase, at"
SOURCES = "SELECT path, fingerprint FROM sources ORDER BY path"
LAST_NUMBER = "SELECT seq FROM sqlite_sequence WHERE name = 'entry'"
ADD_LAST_NUMBER = "INSERT INTO sqlite_sequence (name, seq) VALUES ('entry', :last)"
SET_LAST_NUMBER = "UPDATE sqlite_sequence SET seq = :last WHERE name = 'entry'"
DEPARTED = "SELECT file_path, max(departed_at) FROM departed GROUP BY file_path"

decode_source = RowDecoder(("path", "fingerprint"), {"path": text, "fingerprint": text})
decode_departed = RowDecoder(
    ("file_path", "departed_at"), {"file_path": text, "departed_at": timestamp}
)


class SqliteStoreContents(SqlStoreContents[SqliteDatabase]):
    """All contents of the store's tables."""

    COUNT = f"SELECT {', '.join(f'(SELECT count(*) FROM {rows})' for rows in COUNTED)}"
    PLACES = f"SELECT entry_seq, project {AMONG} entry_place {OF_ENTRY}, project"
    ALIASES = f"SELECT entry_seq, old_id {AMONG} entry_alias {OF_ENTRY}, old_id"
    CHANGES = f"SELECT {HISTORY} {AMONG} history h ON memory_id = wanted.value ORDER BY 1, h.id"
    INFLUENCES = f"SELECT i.entry_seq, {USE} {AMONG} influence i {OF_ENTRY}, at DESC, session_id"
    CHANGES_OF_DELETED = f"SELECT {HISTORY} FROM history WHERE {OF_DELETED} ORDER BY memory_id, id"
    SECTIONS = (
        "SELECT file_path, anchor_id, file_hash, buried_at FROM tombstone ORDER BY file_path,"
        " anchor_id"
    )
    HAS_ENTRY = "SELECT 1 FROM entry WHERE seq = :number"
    HAS_FILE = "SELECT 1 FROM departed WHERE file_path = :file_path"
    RAISE_RECALL = f"""
        INSERT INTO recall (entry_seq, recall_count, last_recalled_at) VALUES ({NUMBER}, :recalls, :at)
        ON CONFLICT DO UPDATE SET recall_count = max(recall_count, excluded.recall_count),
            last_recalled_at = max(last_recalled_at, excluded.last_recalled_at)
    """
    RAISE_USAGE = f"""
        INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count)
        VALUES ({NUMBER}, :accesses, :last_accessed, :validations, :useful)
        ON CONFLICT DO UPDATE SET access_count = max(access_count, excluded.access_count),
            last_accessed = max(coalesce(last_accessed, excluded.last_accessed),
                coalesce(excluded.last_accessed, last_accessed)),
            validation_count = max(validation_count, excluded.validation_count),
            useful_count = max(useful_count, excluded.useful_count)
    """
    ADD_PLACE = SqliteProjects.ADD_PLACE
    ADD_ALIAS = f"""
        INSERT OR IGNORE INTO entry_alias (entry_seq, old_id)
        SELECT {NUMBER}, :alias WHERE NOT EXISTS (SELECT 1 FROM entry WHERE id = :alias)
    """
    ADD_CHANGE_OF_DELETED = f"""
        INSERT INTO history ({HISTORY}) SELECT :number, :field, :old, :new, :at WHERE NOT EXISTS (SELECT 1 FROM history
            WHERE memory_id = :number AND field_changed = :field AND old_value IS :old AND new_value IS :new
                AND changed_at = :at)
    """
    ADD_CHANGE = ADD_CHANGE_OF_DELETED.replace(":number", NUMBER)
    ADD_INFLUENCE = SqliteInfluences.INSERT
    ADD_SECTION = """
        INSERT OR IGNORE INTO tombstone (file_path, anchor_id, file_hash, buried_at)
        VALUES (:file_path, :anchor_id, :file_hash, :at)
    """
    _decode_alias = RowDecoder(("old_id",), {"old_id": text})
    _decode_influence = decode_influence
    _decode_change = decode_change
    _decode_section = RowDecoder(
        ("file_path", "anchor_id", "file_hash", "buried_at"),
        {**dict.fromkeys(("file_path", "anchor_id", "file_hash"), text), "buried_at": timestamp},
    )

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(
            database,
            projects=SqliteProjects(database),
            absences=SqliteAbsences(database),
            ledger=SqliteImportLedger(database),
        )

    @override
    def _sources(self) -> Iterator[tuple[str, str, Iterable[str]]]:
        for path, fingerprint in self._database.readable(
            "source", self._database.stream(SOURCES), decode_source
        ):
            yield path, fingerprint, self._ledger.headings(path)

    @override
    def _absent_files(self) -> Iterator[tuple[AbsentFile, dt.datetime]]:
        for path, at in self._database.readable(
            "departed", self._database.stream(DEPARTED), decode_departed
        ):
            if absent := self._absences.absent_file(path, ""):
                yield absent, at

    @override
    def _entries(self) -> Iterator[ExportedEntry]:
        rows = self._database.stream(f"{SELECT_ENTRY} ORDER BY e.seq")
        entries = to_entries(self._database, rows)
        while some := [*islice(entries, ENTRIES_AT_ONCE)]:
            yield from self._with_activity(some)

    @override
    def is_unused(self) -> bool:
        return not self._database.value(LAST_NUMBER)

    @override
    def reserve(self, number: int) -> None:
        with self._database.transaction():
            last = self._database.value(LAST_NUMBER)
            if last is None:
                self._database.rows(ADD_LAST_NUMBER, last=number - 1)
            elif last < number - 1:
                self._database.rows(SET_LAST_NUMBER, last=number - 1)
