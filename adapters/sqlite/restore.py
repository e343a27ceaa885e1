"""Restore entries and records from a copy of the store."""

import datetime as dt
import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping

from hardwon.adapters.sqlite.database import (
    CONTENT_VERSION,
    Row,
    SqliteDatabase,
    in_list,
    to_text,
)
from hardwon.adapters.sqlite.keyword_index import (
    STALE,
    UNTIDY,
    VERSION_KEY,
    drop_from_index,
    ensure_index,
    index_entries,
    is_available,
    is_intact,
    texts_of,
)
from hardwon.adapters.sqlite.query import where
from hardwon.adapters.sqlite.rows import SELECT_ENTRY, to_entry
from hardwon.adapters.sqlite.vectors import SPACE_KEY
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.forgotten import SECRET
from hardwon.ports.override import override
from hardwon.ports.snapshots import Replacement, Snapshot

KEYS: Mapping[str, str] = {
    "entry": "seq",
    "entry_text": "entry_seq",
    "recall": "entry_seq",
    "usage": "entry_seq",
    "influence": "entry_seq",
    "entry_place": "entry_seq",
    "entry_alias": "entry_seq",
}
"""The tables of an entry in insertion order, with their number columns."""

SPACE_COLUMNS = "provider, model, dimensions, task_scheme, weights_hash"

VECTORS = f"""
    SELECT v.entry_seq, v.text_hash, v.vec, {SPACE_COLUMNS} FROM vector v JOIN space s ON s.id = v.space_id
    JOIN entry e ON e.seq = v.entry_seq WHERE {{within}} ORDER BY v.entry_seq, {SPACE_COLUMNS}
"""
"""Ordered by the key of the space, as its id differs between stores."""


def fingerprints(database: SqliteDatabase, only: EntryFilter) -> dict[int, str]:
    """Return the SHA-256 of each entry's stored values, by number."""
    within = where(only)
    digests = dict[int, str]()
    for table, sql in (*((table, _rows_of(table)) for table in KEYS), ("vector", VECTORS)):
        for number, *row in database.stream(sql.format(within=within.sql), **within.parameters):
            stored = repr((digests.get(number), table, row))
            digests[number] = hashlib.sha256(stored.encode()).hexdigest()
    return digests


def _rows_of(table: str) -> str:
    """
    Return the query of the rows of *table*.

    Ordered by entry, then by the column after its number.
    """
    key = KEYS[table]
    return (
        f"SELECT e.seq, x.* FROM entry e JOIN {table} x ON x.{key} = e.seq WHERE {{within}} ORDER"
        " BY 1, 3"
    )


OF_SECTIONS = ("tombstone", "departed")
"""Tables about sections of files without an entry."""

LEDGERS = ("sources", "source_heading", *OF_SECTIONS)
"""
Tables that the scope `all` restores as a whole.

Ordered by their references.
"""

OF_SESSIONS = ("receipt", "receipt_entry")
"""Tables that no restore changes, as they record what was injected."""

OF_THE_FILE = json.dumps(["schema_version", CONTENT_VERSION, STALE, UNTIDY, VERSION_KEY, SECRET])
"""Metadata about the file itself, never restored."""

HISTORY = "memory_id, field_changed, old_value, new_value, changed_at"

Section = tuple[str, str]
"""A file's path and the anchor of a section, empty for the whole."""


def copy_rows(
    past: SqliteDatabase,
    present: SqliteDatabase,
    table: str,
    condition: str = "true",
    *parameters: object,
) -> None:
    """Copy the rows of *table* that meet *condition*."""
    names = [
        f'"{name}"' for (name,) in past.rows("SELECT name FROM pragma_table_info(?)", (table,))
    ]
    columns, marks = ", ".join(names), ", ".join("?" for _ in names)
    rows = past.stream(f"SELECT {columns} FROM {table} WHERE {condition}", parameters)
    present.run_many(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def spaces(past: SqliteDatabase, present: SqliteDatabase) -> dict[int, int]:
    """
    Map the ids of the spaces of *past* to those of *present*.

    Creates missing spaces.
    """
    numbers = dict[int, int]()
    for number, *key in past.rows(f"SELECT id, {SPACE_COLUMNS} FROM space"):
        present.rows(f"INSERT OR IGNORE INTO space ({SPACE_COLUMNS}) VALUES (?, ?, ?, ?, ?)", key)
        numbers[number] = present.value(f"SELECT id FROM space WHERE {SPACE_KEY}", key)
    return numbers


def sections(database: SqliteDatabase, numbers: Iterable[int]) -> set[Section]:
    """Return the sections of files of the entries *numbers*."""
    rows = database.rows(
        "SELECT file_path, anchor_id FROM json_each(?) wanted JOIN entry_text ON entry_seq ="
        " wanted.value WHERE file_path IS NOT NULL",
        (in_list(numbers),),
    )
    return {(path, anchor) for path, anchor in rows}


def restore_sections(past: SqliteDatabase, present: SqliteDatabase, of: Iterable[Section]) -> None:
    """Restore the tombstones and absences of sections."""
    for section, table in itertools.product(of, OF_SECTIONS):
        present.rows(f"DELETE FROM {table} WHERE (file_path, anchor_id) = (?, ?)", section)
        copy_rows(past, present, table, "(file_path, anchor_id) = (?, ?)", *section)


def restore_records(past: SqliteDatabase, present: SqliteDatabase) -> None:
    """
    Restore everything that is not about single entries.

    History is only appended to.
    """
    for table in reversed(LEDGERS):
        present.rows(f"DELETE FROM {table}")
    for table in LEDGERS:
        copy_rows(past, present, table)
    present.rows(
        "DELETE FROM _metadata WHERE key NOT IN (SELECT value FROM json_each(?))", (OF_THE_FILE,)
    )
    present.run_many(
        "INSERT INTO _metadata (key, value) VALUES (?, ?)", decisions(past, spaces(past, present))
    )
    _reserve_numbers(present, past.value(LAST_NUMBER))
    present.run_many(
        f"INSERT INTO history ({HISTORY}) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM"
        " history WHERE memory_id = ?1 AND field_changed = ?2 AND old_value IS ?3 AND new_value IS"
        " ?4 AND changed_at = ?5)",
        past.stream(f"SELECT {HISTORY} FROM history ORDER BY id"),
    )


def decisions(database: SqliteDatabase, numbers: dict[int, int]) -> list[Row]:
    """Return the metadata that a store may take from another."""
    rows = database.rows(
        "SELECT key, value FROM _metadata WHERE key NOT IN (SELECT value FROM json_each(?)) ORDER"
        " BY key",
        (OF_THE_FILE,),
    )
    here = {str(there): str(number) for there, number in numbers.items()}
    return [
        (key, here.get(value, value) if key == "active_space" else value) for key, value in rows
    ]


def note_in_history(
    present: SqliteDatabase, field: str, numbers: Iterable[int], name: str, at: dt.datetime
) -> None:
    """Append a line of history for each of *numbers*."""
    present.run_many(
        f"INSERT INTO history ({HISTORY}) VALUES (?, ?, NULL, ?, ?)",
        ((number, field, name, to_text(at)) for number in sorted(numbers)),
    )


LAST_NUMBER = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'entry'"


def _reserve_numbers(database: SqliteDatabase, last: int) -> None:
    """Give no new entry a number up to *last*."""
    database.rows(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'entry', 0 WHERE 'entry' NOT IN (SELECT"
        " name FROM sqlite_sequence)"
    )
    database.rows("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'entry'", (last,))


RESTORED, REMOVED = "restored", "removed"
"""Values in history in place of a field's name."""

FACTS = (
    *("id", "key", "label", "root", "is_repository", "device", "inode"),
    *("remote", "first_commit", "authorship"),
)
"""Columns of a project that a restore brings back."""

IN_LIST = "IN (SELECT value FROM json_each(?))"
IDENTITIES = (
    f"SELECT seq, id, created_at FROM entry JOIN entry_text ON entry_seq = seq WHERE seq {IN_LIST}"
)
"""The query of the ids and creation times of entries by number."""


class SqliteSnapshot(Snapshot):
    """A checked copy of a store, and the store to restore."""

    def __init__(self, past: SqliteDatabase, present: SqliteDatabase) -> None:
        self._past = past
        self._present = present

    @override
    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        only = contents.entries
        with self._present.transaction():
            then, now = fingerprints(self._past, only), fingerprints(self._present, only)
            missing = {number for number, digest in then.items() if now.get(number) != digest}
            surplus = {
                number for number, digest in now.items() if then.get(number) != digest
            } | self._conflicting_with(missing)
            touched = sections(self._past, missing) | sections(self._present, surplus)
            moved = self._move_history(missing)
            self._remove(surplus)
            self._ensure_free(missing)
            self._add(missing)
            restore_sections(self._past, self._present, touched)
            if contents.scope == "all":
                restore_records(self._past, self._present)
            note_in_history(self._present, RESTORED, numbers=missing, name=name, at=at)
            removed = (surplus - missing).union(moved)
            note_in_history(self._present, REMOVED, numbers=removed, name=name, at=at)
            self._present.note_change()
            self._verify(contents, then)
        return Replacement(memory_count=len(then), restored=len(missing), removed=len(removed))

    def _conflicting_with(self, numbers: Iterable[int]) -> set[int]:
        """
        Return the present entries that conflict with the past entries *numbers*.

        They have the same id, or the same section of a file.
        """
        keys = self._past.rows(
            "SELECT e.id, t.file_path, t.anchor_id FROM json_each(?) wanted JOIN entry e ON e.seq ="
            " wanted.value JOIN entry_text t ON t.entry_seq = e.seq",
            (in_list(numbers),),
        )
        if any(isinstance(value, bytes) for key in keys for value in key):
            raise StorageError(
                "the snapshot holds an entry whose id or file is no text; nothing was changed"
            )
        wanted = json.dumps(keys)
        rows = self._present.rows(
            "SELECT e.seq FROM json_each(?1) wanted JOIN entry e ON e.id ="
            " json_extract(wanted.value, '$[0]') UNION SELECT t.entry_seq FROM json_each(?1) wanted"
            " JOIN entry_text t ON t.file_path = json_extract(wanted.value, '$[1]') AND t.anchor_id"
            " = json_extract(wanted.value, '$[2]')",
            (wanted,),
        )
        return {number for (number,) in rows}

    def _move_history(self, numbers: Iterable[int]) -> list[int]:
        """
        Let the history of present entries make way for those of another store.

        The snapshot is of another store if one of *numbers* has other entries, by id and beginning.

        Returns:
            The new numbers of the present entries, which no entry has.
        """
        then, now = (
            {
                number: {*identity}
                for number, *identity in database.rows(IDENTITIES, (in_list(numbers),))
            }
            for database in (self._past, self._present)
        )
        others = [number for number in then if then[number].isdisjoint(now.get(number, ()))]
        if now.keys().isdisjoint(others):
            return []
        last = max(database.value(LAST_NUMBER) for database in (self._past, self._present))
        moved = dict(zip(others, itertools.count(last + 1)))
        self._present.run_many(
            "UPDATE history SET memory_id = ?2 WHERE memory_id = ?1", moved.items()
        )
        _reserve_numbers(self._present, last + len(moved))
        return [moved[number] for number in others if number in now]

    def _remove(self, numbers: Iterable[int]) -> None:
        self._present.rows(f"DELETE FROM entry WHERE seq {IN_LIST}", (in_list(numbers),))
        for number in numbers:
            drop_from_index(self._present, number)

    def _ensure_free(self, numbers: Iterable[int]) -> None:
        """
        Refuse the number of an entry that stays.

        Only entries of another store can have it.
        """
        taken = self._present.value(
            f"SELECT seq FROM entry WHERE seq {IN_LIST}", (in_list(numbers),)
        )
        if taken is not None:
            raise StorageError(
                f"the number {taken} belongs to another entry by now: restore with scope all"
            )

    def _add(self, numbers: Iterable[int]) -> None:
        wanted = in_list(numbers)
        for table, key in KEYS.items():
            copy_rows(self._past, self._present, table, f"{key} {IN_LIST}", wanted)
        self._add_projects(wanted)
        space_ids = spaces(self._past, self._present)
        vectors = self._past.stream(
            f"SELECT space_id, entry_seq, text_hash, vec FROM vector WHERE entry_seq {IN_LIST}",
            (wanted,),
        )
        self._present.run_many(
            "INSERT INTO vector (space_id, entry_seq, text_hash, vec) VALUES (?, ?, ?, ?)",
            ((space_ids[space], *row) for space, *row in vectors),
        )
        self._index(wanted)

    def _add_projects(self, wanted: str) -> None:
        """
        Add the unknown projects of the past entries *wanted*.

        They keep what git knew of them. Of the user's trust only a refusal is restored.
        """
        rows = self._past.stream(
            f"SELECT {', '.join(FACTS)}, iif(trust = 'revoked', trust, 'unsaid')"
            f" FROM project WHERE id IN (SELECT project FROM entry WHERE seq {IN_LIST})",
            (wanted,),
        )
        self._present.run_many(
            f"INSERT OR IGNORE INTO project ({', '.join(FACTS)}, trust) VALUES"
            f" ({', '.join('?' * len(FACTS))}, ?)",
            rows,
        )

    def _index(self, wanted: str) -> None:
        try:
            rows = self._present.stream(
                f"{SELECT_ENTRY} WHERE e.retired = 0 AND e.seq {IN_LIST}", (wanted,)
            )
            for entry in map(to_entry, rows):
                index_entries(self._present, {entry.number or 0: texts_of(entry)})
        except (ValueError, TypeError, AttributeError) as error:  # wrong types
            raise StorageError(
                f"the snapshot holds what is no entry: {error}; nothing was changed"
            ) from error
        ensure_index(self._present, repair_index=True)

    def _verify(self, contents: Contents, then: dict[int, str]) -> None:
        is_same = fingerprints(self._present, contents.entries) == then and (
            contents.scope != "all" or self._has_same_records()
        )
        if not is_same:
            raise StorageError("the outcome is not what the snapshot holds; nothing was changed")
        if self._present.rows("PRAGMA foreign_key_check") or (
            is_available() and not is_intact(self._present)
        ):
            raise StorageError(
                "the store would not be whole after it; nothing was changed, run: hardwon doctor"
            )

    def _has_same_records(self) -> bool:
        tables = all(
            self._past.rows(f"SELECT * FROM {table} ORDER BY 1, 2")
            == self._present.rows(f"SELECT * FROM {table} ORDER BY 1, 2")
            for table in LEDGERS
        )
        numbers = spaces(self._past, self._present)
        return tables and decisions(self._past, numbers) == decisions(
            self._present, {number: number for number in numbers.values()}
        )
