"""Erase forgotten texts from the files of a store's folder."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from hardwon.adapters.durable import remove_unfinished, written_file
from hardwon.adapters.folder import OWN_NAMES, outbox_folders, real_place
from hardwon.adapters.sqlite.copies import remove
from hardwon.adapters.sqlite.database import (
    BUSY_SECONDS,
    FILE_NAME,
    SqliteDatabase,
    transaction,
)
from hardwon.adapters.sqlite.erase import (
    RowsToErase,
    count_secrets,
    drop_indexes,
    erase_rows,
    ids_holding,
    redact_rows,
    rows_holding,
    scrub,
    texts_holding,
    texts_in_no_row,
    unused_texts,
)
from hardwon.adapters.sqlite.file_errors import translated
from hardwon.adapters.sqlite.hook_events import FILE_NAME as JOURNAL
from hardwon.adapters.sqlite.keyword_index import rebuild_index
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.errors import CorruptStoreError, StorageError
from hardwon.domain.model.redaction import redact
from hardwon.ports.erasure import ErasurePlace, ErasureProof, Occurrences, OwnedText, StoreTexts
from hardwon.ports.override import override

CHUNK = 4 * 1024 * 1024
"""Bytes read at once."""

COMPANIONS = ("-wal", "-shm", "-journal")
CHECKPOINTS = "checkpoints"
ROWS = "unreadable.jsonl"
LOGS = ("hook.log", "hook.log.1", ROWS, "folders.jsonl")
RUNNING = "forget.json"
"""
The journal of the run itself, which is not searched.

It is removed when nothing is left.
"""
STARTS = "prepared-starts"
"""Removed by every run, as it may be printed while a server is away."""

RECORDS = (".last-injection.json", STARTS)
NOUNS = {
    "receipt_entry": "line of a receipt",
    "source_heading": "imported heading",
    "event": "waiting event",
}
"""Nouns for rows of tables whose name says too little."""


def bytes_holding(path: str, erasure: Erasure) -> set[str]:
    """
    Return the texts of *erasure* that the bytes of the file hold.

    Empty if there is no such file.
    """
    with translated(path), suppress(FileNotFoundError), open(path, "rb") as file:
        return erasure.found_in_bytes(iter(lambda: file.read(CHUNK), b""))
    return set()


def _traces(path: str, erasure: Erasure) -> list[Occurrences]:
    paths = (path, *(path + companion for companion in COMPANIONS))
    return [
        Occurrences(of, 1, "trace of deleted rows") for of in paths if bytes_holding(of, erasure)
    ]


def _remains(paths: Iterable[str], erasure: Erasure) -> list[str]:
    holding = ((path, bytes_holding(path, erasure)) for path in paths)
    return [f"{path}: {', '.join(sorted(found))}" for path, found in holding if found]


def _counted(path: str, rows: RowsToErase) -> list[Occurrences]:
    entries = [Occurrences(path, len(rows.entries), "entry")] if rows.entries else []
    return [
        *entries,
        *(
            Occurrences(path, count, NOUNS.get(table, table))
            for table, count in rows.others.items()
        ),
    ]


class StoreRows(ErasurePlace, StoreTexts):
    """The rows of the open store."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        path = self._database.path
        with self._database.translated():
            rows = _counted(path, rows_holding(self._database.connection, erasure))
        return rows or _traces(path, erasure)

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        with self._database.translated():
            return [*texts_holding(self._database.connection, erasure)]

    @override
    def erase(self, erasure: Erasure) -> None:
        with self._database.transaction(), self._database.translated():
            erase_rows(self._database.connection, erasure)
            self._database.note_change()
        with self._database.translated():
            scrub(self._database.connection)

    @override
    def secrets(self) -> Sequence[Occurrences]:
        with self._database.translated():
            count = count_secrets(self._database.connection)
        return [Occurrences(self._database.path, count, "value")] if count else []

    @override
    def redact(self) -> None:
        with self._database.transaction(), self._database.translated():
            if redact_rows(self._database.connection):
                rebuild_index(self._database)
                self._database.note_change()
        with self._database.translated():
            scrub(self._database.connection)

    @override
    def ids_holding(self, erasure: Erasure) -> Sequence[str]:
        with self._database.translated():
            return ids_holding(self._database.connection, erasure)

    @override
    def unused(self, texts: Iterable[str], forgotten: Iterable[str]) -> set[str]:
        with self._database.translated():
            return unused_texts(self._database.connection, texts, forgotten)

    @override
    def traces(self, words: Iterable[str]) -> Sequence[str]:
        with self._database.translated():
            erasure = Erasure(tuple(texts_in_no_row(self._database.connection, words)))
        paths = (
            self._database.path,
            *(self._database.path + companion for companion in COMPANIONS),
        )
        return _remains(paths, erasure)


class OtherDatabases(ErasurePlace):
    """
    The other SQLite files of a store's folder.

    These are the capture journal, outboxes, checkpoints, copies kept before a migration, and
    damaged stores. A file that is no readable database and holds something is removed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        return [found for path in self._paths() for found in self._found_in(path, erasure)]

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        for path in self._paths():
            with suppress(CorruptStoreError):
                yield from _texts_of(path, erasure)

    @override
    def erase(self, erasure: Erasure) -> None:
        for path in self._paths():
            if self._found_in(path, erasure):
                _erase_from(path, erasure)

    @override
    def secrets(self) -> Sequence[Occurrences]:
        counts = ((path, _secrets_in(path)) for path in self._paths())
        return [Occurrences(path, count, "value") for path, count in counts if count]

    @override
    def redact(self) -> None:
        for path in self._paths():
            if _secrets_in(path):
                with _rewritten(path) as connection:
                    redact_rows(connection)
                    drop_indexes(connection)

    def _found_in(self, path: str, erasure: Erasure) -> Sequence[Occurrences]:
        return _rows_of(path, erasure) or _traces(path, erasure)

    def _paths(self) -> Iterator[str]:
        beside = (
            name for name in _names(self._folder) if name.startswith((f"{FILE_NAME}.", JOURNAL))
        )
        checkpoints = (
            os.path.join(CHECKPOINTS, name)
            for name in _names(os.path.join(self._folder, CHECKPOINTS))
        )
        for name in (*beside, *checkpoints, *_of_outboxes(self._folder)):
            if not name.endswith(COMPANIONS):
                yield os.path.join(self._folder, name)


def _of_outboxes(folder: str) -> Iterator[str]:
    """Yield the files of outboxes, relative to the store's *folder*."""
    for outbox in outbox_folders(folder):
        for name in _names(outbox):
            if name.startswith(FILE_NAME):
                yield os.path.join(os.path.basename(outbox), name)


def _names(folder: str) -> list[str]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(os.listdir(folder))
    return []


@contextmanager
def _connected(path: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        for pragma in ("secure_delete = ON", "foreign_keys = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        yield connection


def _rows_of(path: str, erasure: Erasure) -> Sequence[Occurrences]:
    try:
        with translated(path), _connected(path) as connection:
            return _counted(path, rows_holding(connection, erasure))
    except StorageError:
        return []


def _texts_of(path: str, erasure: Erasure) -> Iterator[OwnedText]:
    with translated(path), _connected(path) as connection:
        if not path.endswith(JOURNAL):
            yield from texts_holding(connection, erasure)
            return
        events = [text for (text,) in connection.execute("SELECT text FROM event")]
        sessions = [
            json.loads(document)
            for (document,) in connection.execute("SELECT document FROM buffer")
        ]
    parts = [session.get(part) for session in sessions for part in ("drafts", "actions", "repairs")]
    texts = (*events, *_texts_in(parts))
    yield from (OwnedText("", text) for text in texts if erasure.is_in(text))


def _texts_in(value: object) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(item)


def _erase_from(path: str, erasure: Erasure) -> None:
    try:
        with _rewritten(path) as connection:
            erase_rows(connection, erasure)
    except CorruptStoreError:
        for name in (path, *(path + companion for companion in COMPANIONS)):
            remove(name)


def _secrets_in(path: str) -> int:
    try:
        with translated(path), _connected(path) as connection:
            return count_secrets(connection)
    except StorageError:
        return 0


@contextmanager
def _rewritten(path: str) -> Iterator[sqlite3.Connection]:
    """
    Change a database in one transaction, then rewrite it without free pages.

    It keeps its modification time, as the oldest copies are removed first.

    Raises:
        StorageError: it can't be changed. Nothing was changed.
    """
    facts = os.stat(path)
    with translated(path), _connected(path) as connection:
        with transaction(connection):
            yield connection
        scrub(connection)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


class FolderTexts(ErasurePlace):
    """The text files of a store's folder: logs and records."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        logs = (
            Occurrences(path, count, "line")
            for path in self._paths(LOGS)
            if (count := len(_lines(path, erasure)))
        )
        records = (
            Occurrences(path, 1, "file")
            for path in self._paths(RECORDS)
            if bytes_holding(path, erasure)
        )
        return [*logs, *records]

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        return ()

    @override
    def erase(self, erasure: Erasure) -> None:
        for path in self._paths(LOGS):
            if gone := _lines(path, erasure):
                _without_lines(path, gone)
        with translated(self._folder):
            remove_unfinished(self._folder, erasure.is_in)
        for path in self._paths(RECORDS):
            if path.endswith(STARTS) or bytes_holding(path, erasure):
                with translated(path):
                    os.unlink(path)

    @override
    def secrets(self) -> Sequence[Occurrences]:
        counts = ((path, len(_unsafe_lines(path))) for path in self._paths((*LOGS, *RECORDS)))
        return [Occurrences(path, count, "line") for path, count in counts if count]

    @override
    def redact(self) -> None:
        for path in self._paths((*LOGS, *RECORDS)):
            if unsafe := _unsafe_lines(path):
                _without_lines(path, unsafe)

    def _paths(self, names: Iterable[str]) -> Iterator[str]:
        return (path for name in names if os.path.isfile(path := os.path.join(self._folder, name)))


def _lines(path: str, erasure: Erasure) -> frozenset[int]:
    return _lines_that(path, erasure.is_in)


def _unsafe_lines(path: str) -> frozenset[int]:
    return _lines_that(path, lambda line: redact(line) != line)


def _lines_that(path: str, hold: Callable[[str], bool]) -> frozenset[int]:
    with translated(path), open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        return frozenset(
            place for place, line in enumerate(file) if hold(line) or hold(_unescaped(line))
        )


def _unescaped(line: str) -> str:
    try:
        values = json.loads(line)["row"].values()
    except (ValueError, TypeError, LookupError, AttributeError):
        return ""
    return "\n".join(value for value in values if isinstance(value, str))


def _without_lines(path: str, gone: frozenset[int]) -> None:
    with translated(path), open(path, "rb") as file, written_file(real_place(path)) as rest:
        rest.writelines(line for place, line in enumerate(file) if place not in gone)


class StoreBytes(ErasureProof):
    """
    The bytes of all files that hardwon keeps.

    These are in the store's folder, and hardwon's own files in projects.

    Args:
        others: Returns the paths of the files in projects.

    """

    def __init__(self, folder: str, others: Callable[[], Iterable[str]]) -> None:
        self._folder = folder
        self._others = others

    @override
    def remains(self, erasure: Erasure) -> Sequence[str]:
        return _remains(self._paths(), erasure)

    @override
    def searched(self) -> int:
        return len([*self._paths()])

    def _paths(self) -> Iterator[str]:
        own = (
            name for name in _names(self._folder) if name.startswith(OWN_NAMES) and name != RUNNING
        )
        below = (
            os.path.join(CHECKPOINTS, name)
            for name in _names(os.path.join(self._folder, CHECKPOINTS))
        )
        names = (*own, *below, *_of_outboxes(self._folder))
        paths = (os.path.join(self._folder, name) for name in names)
        return (path for path in (*paths, *self._others()) if os.path.isfile(path))
