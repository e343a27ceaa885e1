"""What a store knows besides its entries: ledgers, its own decisions, what was forgotten, what became of entries."""

import datetime as dt
import itertools
import json
from collections.abc import Iterable

from hardwon.adapters.sqlite.database import Database, Row, in_list
from hardwon.adapters.sqlite.fts import STALE
from hardwon.adapters.sqlite.moments import to_text
from hardwon.adapters.sqlite.snapshots.fingerprints import SPACE_COLUMNS
from hardwon.adapters.sqlite.vector_store import SPACE_KEY
from hardwon.adapters.sqlite.versions import KEY as CONTENT_VERSION

OF_SECTIONS = ("tombstone", "departed")
"""Those that speak of sections of files that have no entry."""

LEDGERS = ("sources", "source_heading", *OF_SECTIONS)
"""Those that scope `all` brings back whole, each after what it refers to."""

OF_SESSIONS = ("receipt", "receipt_entry")
"""Those that no restore touches: what was injected into a session was injected, whatever the store holds later."""

OF_THE_FILE = json.dumps(["schema_version", CONTENT_VERSION, STALE])
"""Metadata that speaks of the file it stands in."""

HISTORY = "memory_id, field_changed, old_value, new_value, changed_at"

Section = tuple[str, str]
"""A file's path and the anchor of a section, empty for the whole."""


def copy_rows(past: Database, present: Database, table: str, condition: str = "true", *parameters: object) -> None:
    """Add the rows of *table* that meet *condition*; both stores have the same columns in the same order."""
    marks = ", ".join("?" for _ in past.rows(f"PRAGMA table_info({table})"))
    rows = past.stream(f"SELECT * FROM {table} WHERE {condition}", parameters)
    present.run_many(f"INSERT INTO {table} VALUES ({marks})", rows)


def spaces(past: Database, present: Database) -> dict[int, int]:
    """Return the number here of each space of *past*, by its number there; those that are new get one."""
    numbers = dict[int, int]()
    for number, *key in past.rows(f"SELECT id, {SPACE_COLUMNS} FROM space"):
        present.rows(f"INSERT OR IGNORE INTO space ({SPACE_COLUMNS}) VALUES (?, ?, ?, ?, ?)", key)
        numbers[number] = present.value(f"SELECT id FROM space WHERE {SPACE_KEY}", key)
    return numbers


def sections(database: Database, seqs: Iterable[int]) -> set[Section]:
    """Return which sections of files *seqs* stand for."""
    rows = database.rows(
        "SELECT file_path, anchor_id FROM json_each(?) wanted JOIN entry_text ON entry_seq = wanted.value"
        " WHERE file_path IS NOT NULL",
        (in_list(seqs),),
    )
    return {(path, anchor) for path, anchor in rows}


def bring_back_sections(past: Database, present: Database, of: Iterable[Section]) -> None:
    """Let what is known of forgotten and departed sections be what it was."""
    for section, table in itertools.product(of, OF_SECTIONS):
        present.rows(f"DELETE FROM {table} WHERE (file_path, anchor_id) = (?, ?)", section)
        copy_rows(past, present, table, "(file_path, anchor_id) = (?, ?)", *section)


def bring_back_records(past: Database, present: Database) -> None:
    """Let all that is not about single entries be what it was; history is only added to."""
    for table in reversed(LEDGERS):
        present.rows(f"DELETE FROM {table}")
    for table in LEDGERS:
        copy_rows(past, present, table)
    present.rows("DELETE FROM _metadata WHERE key NOT IN (SELECT value FROM json_each(?))", (OF_THE_FILE,))
    present.run_many("INSERT INTO _metadata VALUES (?, ?)", decisions(past, spaces(past, present)))
    _give_no_number_twice(past, present)
    present.run_many(
        f"INSERT INTO history ({HISTORY}) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM history"
        " WHERE memory_id = ?1 AND field_changed = ?2 AND old_value IS ?3 AND new_value IS ?4 AND changed_at = ?5)",
        past.stream(f"SELECT {HISTORY} FROM history ORDER BY id"),
    )


def decisions(database: Database, numbers: dict[int, int]) -> list[Row]:
    """Return the metadata that a store may take from another, the active space by its number in *numbers*."""
    rows = database.rows(
        "SELECT key, value FROM _metadata WHERE key NOT IN (SELECT value FROM json_each(?)) ORDER BY key",
        (OF_THE_FILE,),
    )
    here = {str(there): str(number) for there, number in numbers.items()}
    return [(key, here.get(value, value) if key == "active_space" else value) for key, value in rows]


def note_in_history(present: Database, field: str, seqs: Iterable[int], name: str, at: dt.datetime) -> None:
    """Add a line for each of *seqs*: what the restore of *name* did to it."""
    present.run_many(
        f"INSERT INTO history ({HISTORY}) VALUES (?, ?, NULL, ?, ?)",
        ((seq, field, name, to_text(at)) for seq in sorted(seqs)),
    )


def _give_no_number_twice(past: Database, present: Database) -> None:
    last = past.value("SELECT seq FROM sqlite_sequence WHERE name = 'entry'") or 0
    present.rows(
        "INSERT INTO sqlite_sequence SELECT 'entry', 0 WHERE 'entry' NOT IN (SELECT name FROM sqlite_sequence)"
    )
    present.rows("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'entry'", (last,))
