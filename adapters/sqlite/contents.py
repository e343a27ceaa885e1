"""All contents of a file of SQLite, record by record."""

import datetime as dt
from collections.abc import Iterable, Iterator

from hardwon.adapters.sql.contents import SqlStoreContents
from hardwon.adapters.sqlite.activity import SqliteInfluences, decode_change
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import RowDecoder, text, timestamp
from hardwon.adapters.sqlite.file_state import SqliteAbsences
from hardwon.adapters.sqlite.metadata import SqliteImportLedger
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entries
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.export import ExportedEntry
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
ALIASES = "SELECT old_id FROM entry_alias WHERE entry_seq = :number ORDER BY old_id"
CHANGES = f"SELECT {HISTORY} FROM history WHERE memory_id = :number ORDER BY id"
SOURCES = "SELECT path, fingerprint FROM sources ORDER BY path"
DEPARTED = "SELECT file_path, max(departed_at) FROM departed GROUP BY file_path"

decode_alias = RowDecoder(("old_id",), {"old_id": text})
decode_source = RowDecoder(("path", "fingerprint"), {"path": text, "fingerprint": text})
decode_departed = RowDecoder(
    ("file_path", "departed_at"), {"file_path": text, "departed_at": timestamp}
)


class SqliteStoreContents(SqlStoreContents[SqliteDatabase]):
    """All contents of the store's tables."""

    COUNT = f"SELECT {', '.join(f'(SELECT count(*) FROM {rows})' for rows in COUNTED)}"
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
        self._influences = SqliteInfluences(database)

    @override
    def _entries(self) -> Iterator[ExportedEntry]:
        for entry in to_entries(
            self._database, self._database.stream(f"{SELECT_ENTRY} ORDER BY e.seq")
        ):
            yield self._with_activity(entry, entry.number or 0)

    def _with_activity(self, entry: Entry, number: int) -> ExportedEntry:
        aliases = self._database.rows(ALIASES, number=number)
        return ExportedEntry(
            entry_id=entry.entry_id,
            entry=entry,
            places=self._projects.places_of(entry.entry_id),
            aliases=tuple(
                alias for (alias,) in self._database.readable("entry_alias", aliases, decode_alias)
            ),
            history=self._changes(self._database.rows(CHANGES, number=number)),
            influences=tuple(self._influences.newest(entry_id=entry.entry_id, limit=-1)),
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
    def is_unused(self) -> bool:
        return not self._database.value("SELECT seq FROM sqlite_sequence WHERE name = 'entry'")

    @override
    def reserve(self, number: int) -> None:
        with self._database.transaction():
            self._database.rows(
                "INSERT INTO sqlite_sequence (name, seq) SELECT 'entry', 0"
                " WHERE 'entry' NOT IN (SELECT name FROM sqlite_sequence)"
            )
            self._database.rows(
                "UPDATE sqlite_sequence SET seq = max(seq, :number - 1) WHERE name = 'entry'",
                number=number,
            )
