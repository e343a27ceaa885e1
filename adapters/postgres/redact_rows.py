"""
Redaction of a tenant's stored rows by today's rules.

Used by a restore and by `hardwon forget --secrets`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from psycopg import IntegrityError
from psycopg.types.json import Jsonb

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.adapters.postgres.put_entry import DROP_VECTORS
from hardwon.adapters.postgres.restore import NUMBERED, SavedRows
from hardwon.adapters.postgres.rows import SELECT_ENTRY, facts_of, texts_of, to_entry
from hardwon.adapters.postgres.texts import (
    ENTRY_TABLES,
    JSON,
    TABLES,
    StoredRow,
    delete_row,
    named,
    redacted,
    saved_rows,
    stored_in,
)
from hardwon.adapters.postgres.words import drop_from_index, index_entry
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, StorageError

EMBEDDED = frozenset(("name", "description", "reasoning", "notes"))
"""Texts of an entry whose change invalidates its vector."""

OF_ENTRY = "WHERE e.tenant = %(tenant)s AND e.number = %(number)s"
SELECT_STATE = f"SELECT e.owner, e.id, e.retired FROM hardwon.entry e {OF_ENTRY}"

CHANGE_SAVED = """
    UPDATE hardwon.saved_row SET content = content || %(values)s
    WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s AND relation = %(relation)s AND number = %(number)s
"""
REPLACE_SAVED = """
    UPDATE hardwon.saved_row SET content = content || %(values)s
    WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s AND relation = %(relation)s AND place = %(place)s
"""
RENAME_SAVED = """
    UPDATE hardwon.saved_row SET content = content || jsonb_build_object('superseded_by', %(new)s::text)
    WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s AND relation = 'entry' AND content ->> 'superseded_by' = %(old)s
"""
IS_REPEATED = """
    SELECT 1 FROM hardwon.saved_row WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s AND relation = 'entry'
        AND number != %(number)s AND content ->> 'id' = %(new)s AND content ->> 'owner' = %(owner)s
"""
DROP_SAVED = """
    DELETE FROM hardwon.saved_row WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s AND number = %(number)s
        AND relation = ANY(%(relations)s)
"""
DROP_HEADINGS = """
    DELETE FROM hardwon.saved_row h WHERE h.tenant = %(tenant)s AND h.snapshot = %(snapshot)s AND h.relation = 'source_heading'
        AND NOT EXISTS (SELECT 1 FROM hardwon.saved_row s WHERE s.tenant = %(tenant)s AND s.snapshot = %(snapshot)s
            AND s.relation = 'source' AND s.content ->> 'path' = h.content ->> 'path')
"""
"""Deletes saved headings of files whose own row is not saved any more."""


class RowWithSecrets(NamedTuple):
    """
    A row with secrets.

    Attributes:
        changes: The redacted values, by column.

    """

    row: StoredRow
    changes: Mapping[str, Any]


def unsafe_rows(rows: Iterable[StoredRow]) -> Iterator[RowWithSecrets]:
    """Yield the rows that contain a secret."""
    for row in rows:
        clean = {name: redacted(value) for name, value in row.values.items()}
        if changes := {name: value for name, value in clean.items() if value != row.values[name]}:
            yield RowWithSecrets(row, changes)


def count_secrets(database: PostgresDatabase) -> int:
    """Return how many values `redact_rows` and `redact_saved` would change."""
    with database.snapshot():
        today = [
            len(found.changes)
            for name in TABLES
            for found in unsafe_rows(stored_in(database, name))
        ]
        return sum(today) + sum(len(found.changes) for found in unsafe_rows(saved_rows(database)))


def redact_rows(database: PostgresDatabase) -> bool:
    """
    Redact today's rows in the transaction and return whether any changed.

    An entry whose identifying text changes gets a new id. If another entry has that id already, it
    is deleted, as is a row that would repeat the key of another. Changed entries lose their vectors
    and are indexed again.
    """
    found = [found for name in TABLES for found in unsafe_rows(stored_in(database, name))]
    for row, changes in found:
        if not _changed(database, row, changes):
            _delete(database, row)
    for number in sorted({row.number or 0 for row, _ in found if row.relation in ENTRY_TABLES}):
        _renew(database, number, [changes.keys() for row, changes in found if row.number == number])
    return bool(found)


def _changed(database: PostgresDatabase, row: StoredRow, changes: Mapping[str, Any]) -> bool:
    condition, key = named(row)
    columns = ", ".join(f'"{name}" = %({name})s' for name in changes)
    values = {name: Jsonb(value) if name in JSON else value for name, value in changes.items()}
    return _done(
        database, f"UPDATE hardwon.{row.relation} SET {columns} WHERE {condition}", **values, **key
    )


def _done(database: PostgresDatabase, sql: str, **parameters: object) -> bool:
    """
    Run a statement and return False if a constraint forbids it.

    The transaction goes on then, without the statement.
    """
    try:
        with database.savepoint():
            database.rows(sql, **parameters)
    except StorageError as error:
        if not isinstance(error.__cause__, IntegrityError):
            raise
        return False
    return True


def _delete(database: PostgresDatabase, row: StoredRow) -> None:
    if row.relation in ENTRY_TABLES:
        _delete_entry(database, row.number or 0)
    else:
        delete_row(database, row)


def _delete_entry(database: PostgresDatabase, number: int) -> None:
    drop_from_index(database, [number])
    database.rows(
        "DELETE FROM hardwon.entry WHERE tenant = %(tenant)s AND number = %(number)s", number=number
    )


def _renew(database: PostgresDatabase, number: int, changed: Iterable[Iterable[str]]) -> None:
    if not (state := database.rows(SELECT_STATE, number=number)):
        return
    [(owner, old, is_retired)] = state
    if EMBEDDED.intersection(name for names in changed for name in names):
        database.rows(DROP_VECTORS, numbers=[number])
    entry = _entry(database.rows(f"{SELECT_ENTRY} {OF_ENTRY}", number=number))
    if entry is None or not _renamed(database, number, old=old, entry=entry):
        _delete_entry(database, number)
        return
    values = {"number": number, "text_hash": texts_of(entry)["text_hash"]}
    database.rows(
        "UPDATE hardwon.entry_text SET text_hash = %(text_hash)s WHERE tenant = %(tenant)s AND"
        " number = %(number)s",
        **values,
    )
    if not is_retired:
        index_entry(database, number, owner=owner, entry=entry)


def _renamed(database: PostgresDatabase, number: int, old: str, entry: Entry) -> bool:
    facts = facts_of(entry)
    is_done = _done(
        database,
        "UPDATE hardwon.entry SET id = %(new)s, content_hash = %(content_hash)s, words = %(words)s"
        " WHERE tenant = %(tenant)s AND number = %(number)s",
        number=number,
        new=entry.entry_id,
        content_hash=facts["content_hash"],
        words=facts["words"],
    )
    if entry.entry_id != old:
        for sql in PostgresEntryRepository.RENAME[1:]:
            database.rows(sql, old=old, new=entry.entry_id)
    return is_done


def _entry(rows: Iterable[tuple[Any, ...]]) -> Entry | None:
    try:
        return next(map(to_entry, rows), None)
    except InvalidEntryError:
        return None


def redact_saved(database: PostgresDatabase, snapshot: str = "") -> bool:
    """
    Redact saved rows of one checkpoint, or of all without *snapshot*.

    Works like `redact_rows`, and returns whether any row changed.
    """
    with database.snapshot():
        found = [*unsafe_rows(saved_rows(database, snapshot=snapshot))]
    if found:
        with database.transaction():
            for row, changes in found:
                _redact_saved_row(database, row, changes)
            entries = {
                (row.snapshot, row.number or 0) for row, _ in found if row.relation in ENTRY_TABLES
            }
            for name, number in sorted(entries):
                _renew_saved(database, name, number)
            for name in {row.snapshot for row, _ in found}:
                database.rows(DROP_HEADINGS, snapshot=name)
    return bool(found)


def _redact_saved_row(
    database: PostgresDatabase, row: StoredRow, changes: Mapping[str, Any]
) -> None:
    if row.number is None and {*TABLES[row.relation].key} & changes.keys():
        delete_row(database, row)  # another row may have that key
        return
    database.rows(REPLACE_SAVED, **row.key, values=Jsonb(changes))
    if EMBEDDED & changes.keys() and row.relation == "entry_text":
        database.rows(DROP_SAVED, snapshot=row.snapshot, number=row.number, relations=["vector"])


def _renew_saved(database: PostgresDatabase, snapshot: str, number: int) -> None:
    saved = SavedRows(database, snapshot)
    about = {"snapshot": snapshot, "number": number}
    [(owner, old, _)] = saved.asked(SELECT_STATE, number=number)
    entry = _entry(saved.asked(f"{SELECT_ENTRY} {OF_ENTRY}", number=number))
    if entry is None or database.rows(IS_REPEATED, **about, new=entry.entry_id, owner=owner):
        database.rows(DROP_SAVED, **about, relations=list(NUMBERED))
        return
    facts = {name: facts_of(entry)[name] for name in ("content_hash", "words")}
    database.rows(
        CHANGE_SAVED, **about, relation="entry", values=Jsonb({"id": entry.entry_id, **facts})
    )
    hashed = {"text_hash": texts_of(entry)["text_hash"]}
    database.rows(CHANGE_SAVED, **about, relation="entry_text", values=Jsonb(hashed))
    if entry.entry_id != old:
        database.rows(RENAME_SAVED, snapshot=snapshot, old=old, new=entry.entry_id)
