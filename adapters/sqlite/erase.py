"""Erase forgotten texts and secrets from one SQLite file of hardwon."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.adapters.sqlite.database import in_list, without_secrets
from hardwon.domain.model.erasure import Erasure, still_unused
from hardwon.domain.model.forgotten import SECRET
from hardwon.domain.model.identity import content_hash
from hardwon.ports.erasure import OwnedText

ENTRY_TABLES = ("entry", "entry_text")
KEPT_TABLES = (
    "space",
    "vector",
    "vector_block",
    "query_vector",
    "entry_tally",
    "posting",
    "posting_block",
    "forgotten",
    "recall",
    "usage",
    "entry_place",
    "entry_alias",
    "proposal",
)
"""Tables without texts of their own."""

KEPT_METADATA = ("schema_version", "content_version", "active_space", "automatic_provider", SECRET)

TABLES = """
    SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
        AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts*' ORDER BY name
"""

PASSAGE_BITS = 20
"""
The bits of a passage's place in its row id.

The bits above are its entry's number.
"""


class RowsToErase(NamedTuple):
    """
    Rows that hold something to be erased.

    Attributes:
        entries: The numbers of entries.
        others: The number of rows in each other table.

    """

    entries: frozenset[int]
    others: Mapping[str, int]


def rows_holding(connection: sqlite3.Connection, erasure: Erasure) -> RowsToErase:
    """Return the rows that `erase_rows` removes or changes."""
    _define(connection, erasure)
    others = {}
    for table in _other_tables(connection):
        [(count,)] = connection.execute(
            f"SELECT count(*) FROM {table} WHERE {_condition(connection, table)}"
        ).fetchall()
        if count:
            others[table] = count
    return RowsToErase(frozenset(_entries(connection)), others)


def texts_holding(connection: sqlite3.Connection, erasure: Erasure) -> Iterator[OwnedText]:
    """Yield the texts of the entries that `erase_rows` removes, of deleted ones the id."""
    _define(connection, erasure)
    yield from (OwnedText(entry_id, entry_id) for entry_id in _deleted_ids(connection))
    if not (numbers := _entries(connection)):
        return
    rows = connection.execute(
        "SELECT e.id, t.* FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value"
        " JOIN entry_text t ON t.entry_seq = e.seq",
        (in_list(numbers),),
    )
    names = [column[0] for column in rows.description]
    for row in rows.fetchall():
        values = dict(zip(names, row, strict=True))
        yield OwnedText(values["id"], values["description"])
        yield from (OwnedText(values["id"], text, is_identity=False) for text in _parts(values))
        yield from (
            OwnedText(values["id"], text)
            for text in _earlier_descriptions(connection, values["entry_seq"])
        )


def _parts(values: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield an entry's other texts, given its columns.

    An early store lacks some of them.
    """
    yield from filter(None, (values["reasoning"], values["notes"], values["name"]))
    for column in {"trigger_phrases", "keywords", "tags"} & values.keys():
        yield from json.loads(values[column])


def _earlier_descriptions(connection: sqlite3.Connection, number: int) -> list[str]:
    if "history" not in _names(connection, TABLES):
        return []
    return _names(
        connection,
        "SELECT old_value FROM history WHERE memory_id = ? AND field_changed = 'description' AND"
        " old_value IS NOT NULL",
        number,
    )


def ids_holding(connection: sqlite3.Connection, erasure: Erasure) -> list[str]:
    """Return the ids of the entries that hold something, oldest first."""
    _define(connection, erasure)
    numbers = in_list(sorted(_entries(connection)))
    return _names(
        connection,
        "SELECT entry.id FROM json_each(?) wanted JOIN entry ON seq = wanted.value",
        numbers,
    )


def unused_texts(
    connection: sqlite3.Connection, texts: Iterable[str], forgotten: Iterable[str]
) -> set[str]:
    """
    Return those of *texts* that no remaining entry holds.

    The texts are folded. Entries with the ids *forgotten* do not remain.
    """
    entries = (
        "SELECT e.*, t.* FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
        " WHERE e.id NOT IN (SELECT value FROM json_each(?))"
    )
    return _left_after(set(texts), connection.execute(entries, (json.dumps([*forgotten]),)))


def texts_in_no_row(connection: sqlite3.Connection, texts: Iterable[str]) -> set[str]:
    """Return those of the folded *texts* that no row has."""
    left = _left_after(set(texts), connection.execute("SELECT name, sql FROM sqlite_master"))
    for table in _names(connection, TABLES):
        left = _left_after(left, connection.execute(f"SELECT * FROM {table}"))
    return left


def _left_after(texts: set[str], rows: Iterable[tuple[object, ...]]) -> set[str]:
    for row in rows:
        if not texts:
            break
        texts = still_unused(texts, "\n".join(value for value in row if isinstance(value, str)))
    return texts


def erase_rows(connection: sqlite3.Connection, erasure: Erasure) -> None:
    """
    Erase rows within the open transaction.

    The words of erased entries leave the keyword index too.
    The connection must enforce foreign keys and overwrite deleted content.
    """
    _define(connection, erasure)
    numbers = _entries(connection)
    _erase_entries(connection, {*numbers, *_deleted(connection)})
    _erase_from_indexes(connection, in_list(numbers))
    clear_queries(connection)
    for table in _other_tables(connection):
        if table == "checkpoints":
            _rename_checkpoints(connection, erasure)
        else:
            connection.execute(f"DELETE FROM {table} WHERE {_condition(connection, table)}")


def clear_queries(connection: sqlite3.Connection) -> None:
    """Delete the cached vectors of queries, whose texts are unknown."""
    if "query_vector" in _names(connection, TABLES):
        connection.execute("DELETE FROM query_vector")


def scrub(connection: sqlite3.Connection) -> None:
    """
    Rewrite the file without free pages and empty its write-ahead log.

    Call it outside of a transaction.
    """
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _define(connection: sqlite3.Connection, erasure: Erasure) -> None:
    connection.create_function(
        "holds",
        1,
        lambda value: isinstance(value, str) and erasure.is_in(value),
        deterministic=True,
    )


def _names(connection: sqlite3.Connection, sql: str, *parameters: str | int) -> list[str]:
    return [name for (name,) in connection.execute(sql, parameters).fetchall()]


def _other_tables(connection: sqlite3.Connection) -> Iterator[str]:
    for table in _names(connection, TABLES):
        if table not in (*ENTRY_TABLES, *KEPT_TABLES):
            yield table


def _condition(connection: sqlite3.Connection, table: str) -> str:
    """Return the condition of rows of *table* that hold something."""
    columns = [
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]
    held = " OR ".join(f'holds("{name}")' for name in columns)
    kept = ", ".join(f"'{key}'" for key in KEPT_METADATA)
    return f"({held}) AND key NOT IN ({kept})" if table == "_metadata" else f"({held})"


def _entries(connection: sqlite3.Connection) -> list[int]:
    if not {*ENTRY_TABLES} <= {*_names(connection, TABLES)}:
        return []
    facts, texts = _condition(connection, "entry"), _condition(connection, "entry_text")
    return [
        number
        for (number,) in connection.execute(
            f"SELECT seq FROM entry WHERE {facts} UNION SELECT entry_seq FROM entry_text WHERE"
            f" {texts}"
        )
    ]


def _deleted(connection: sqlite3.Connection) -> list[int]:
    if "history" not in _names(connection, TABLES):
        return []
    deleted = (
        "SELECT memory_id FROM history WHERE field_changed = 'deleted' AND"
        f" {_condition(connection, 'history')}"
    )
    return [number for (number,) in connection.execute(deleted)]


def _deleted_ids(connection: sqlite3.Connection) -> list[str]:
    if not (numbers := _deleted(connection)):
        return []
    return _names(
        connection,
        "SELECT new_value FROM history WHERE memory_id IN (SELECT value FROM json_each(?)) AND"
        " field_changed = 'deleted' AND new_value NOT IN (SELECT id FROM entry)",
        in_list(numbers),
    )


def _erase_entries(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    if not (gone := [*numbers]):
        return
    within = "IN (SELECT value FROM json_each(?))"
    _erase_of_entries(connection, in_list(gone), {*_names(connection, TABLES)})
    if has_successors(connection):
        ids = f"SELECT id FROM entry WHERE seq {within}"
        connection.execute(
            f"UPDATE entry SET superseded_by = NULL WHERE superseded_by IN ({ids})",
            (in_list(gone),),
        )
    connection.execute(f"DELETE FROM entry WHERE seq {within}", (in_list(gone),))


def has_successors(connection: sqlite3.Connection) -> bool:
    """Return whether this schema version supports superseded entries."""
    known = "SELECT 1 FROM pragma_table_info('entry') WHERE name = 'superseded_by'"
    return connection.execute(known).fetchone() is not None


def _erase_of_entries(connection: sqlite3.Connection, gone: str, tables: set[str]) -> None:
    within = "IN (SELECT value FROM json_each(?))"
    if "history" in tables:
        connection.execute(f"DELETE FROM history WHERE memory_id {within}", (gone,))
    places = connection.execute(f"SELECT * FROM entry_text WHERE entry_seq {within}", (gone,))
    names = [column[0] for column in places.description]
    for row in places.fetchall():
        values = dict(zip(names, row, strict=True))
        for table in {"departed", "tombstone"} & tables:
            connection.execute(
                f"DELETE FROM {table} WHERE (file_path, anchor_id) = (?, ?)",
                (values.get("file_path"), values.get("anchor_id", "")),
            )


def _erase_from_indexes(connection: sqlite3.Connection, gone: str) -> None:
    there = _names(
        connection, "SELECT name FROM sqlite_master WHERE name IN ('entries_fts', 'passages_fts')"
    )
    for name in there:
        number = "rowid" if name == "entries_fts" else f"rowid >> {PASSAGE_BITS}"
        connection.execute(
            f"DELETE FROM {name} WHERE {number} IN (SELECT value FROM json_each(?))", (gone,)
        )
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('rebuild')")
    for name in _names(
        connection, "SELECT name FROM sqlite_master WHERE name IN ('posting', 'posting_block')"
    ):
        connection.execute(f"DELETE FROM {name}")


def _rename_checkpoints(connection: sqlite3.Connection, erasure: Erasure) -> None:
    """
    Remove forgotten names, descriptions and labels from checkpoints.

    Their copies are kept.
    """
    rows = connection.execute("SELECT id, name, description, metadata FROM checkpoints").fetchall()
    for number, name, description, metadata in rows:
        contents = {
            key: "" if erasure.is_in(str(value)) else value
            for key, value in json.loads(metadata).items()
        }
        connection.execute(
            "UPDATE checkpoints SET name = ?, description = ?, metadata = ? WHERE id = ?",
            (
                f"checkpoint {number}" if erasure.is_in(name) else name,
                None if erasure.is_in(description or "") else description,
                json.dumps(contents, ensure_ascii=False),
                number,
            ),
        )


def redact_rows(connection: sqlite3.Connection) -> int:
    """
    Redact all texts within the open transaction and count changed values.

    A learning with a changed description gets the id of the new one. It is deleted if another
    entry has that id already. So is a row that would repeat the key of another.
    Vectors of changed entries are deleted. The keyword index is not changed.
    """
    connection.create_function("redacted", 1, without_secrets, deterministic=True)
    tables = [table for (table,) in connection.execute(TABLES).fetchall()]
    if "entry_text" in tables:
        changed = " OR ".join(map(_unsafe, ("name", "description", "reasoning", "notes")))
        connection.execute(
            "DELETE FROM vector WHERE entry_seq IN (SELECT entry_seq FROM entry_text WHERE"
            f" {changed})"
        )
    clear_queries(connection)
    count = sum(_redact_table(connection, table) for table in tables)
    if count and "entry_text" in tables:
        _renew_ids(connection)
    return count


def count_secrets(connection: sqlite3.Connection) -> int:
    """Return how many values `redact_rows` would change."""
    connection.create_function("redacted", 1, without_secrets, deterministic=True)
    tables = [table for (table,) in connection.execute(TABLES).fetchall()]
    return sum(
        _count(connection, table, column)
        for table in tables
        for column in _columns(connection, table)
    )


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop the keyword index, which repeats the redacted texts."""
    for name in ("entries_fts", "passages_fts"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _redact_table(connection: sqlite3.Connection, table: str) -> int:
    return sum(_redact_column(connection, table, name) for name in _columns(connection, table))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]


def _count(connection: sqlite3.Connection, table: str, column: str) -> int:
    [(count,)] = connection.execute(
        f'SELECT count(*) FROM "{table}" WHERE {_unsafe_in(table, column)}'
    ).fetchall()
    return int(count)


def _redact_column(connection: sqlite3.Connection, table: str, column: str) -> int:
    unsafe = _unsafe_in(table, column)
    if count := _count(connection, table, column):
        connection.execute(
            f'UPDATE OR IGNORE "{table}" SET "{column}" = redacted("{column}") WHERE {unsafe}'
        )
        connection.execute(f'DELETE FROM "{table}" WHERE {unsafe}')
    return count


def _unsafe_in(table: str, column: str) -> str:
    if table != "_metadata":
        return _unsafe(column)
    return f"{_unsafe(column)} AND key NOT IN ({', '.join(map(repr, KEPT_METADATA))})"


def _unsafe(column: str) -> str:
    return f'(typeof("{column}") = \'text\' AND redacted("{column}") != "{column}")'


def _renew_ids(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        "SELECT e.seq, e.id, t.description FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
        " WHERE e.kind = 'learning'"
    ).fetchall()
    for number, old, description in rows:
        if (new := content_hash(description)) != old:
            connection.execute(
                "UPDATE OR IGNORE entry SET id = ?, content_hash = ? WHERE seq = ?",
                (new, new, number),
            )
            connection.execute(
                "UPDATE receipt_entry SET entry_id = ? WHERE entry_id = ?", (new, old)
            )
            connection.execute("DELETE FROM entry WHERE seq = ? AND id = ?", (number, old))
            if has_successors(connection):
                connection.execute(
                    "UPDATE entry SET superseded_by = ? WHERE superseded_by = ?", (new, old)
                )
