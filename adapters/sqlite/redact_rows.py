"""Redact what a database of hardwon has kept, by the rules of today. Imported by a restore and by `hardwon forget --secrets`."""

import sqlite3

from hardwon.adapters.sqlite.database import without_secrets
from hardwon.adapters.sqlite.erase import KEPT_METADATA, TABLES, clear_queries, has_successors
from hardwon.domain.model.identity import content_hash


def redact_rows(connection: sqlite3.Connection) -> int:
    """
    Redact every text within the open transaction; return how many values were changed.

    A learning whose description changes gets the id of the new one; where another has that id already, it is deleted.
    A row that would repeat the key of another is deleted. Vectors of changed entries are deleted. The keyword index is not changed.
    """
    connection.create_function("redacted", 1, without_secrets, deterministic=True)
    tables = [table for (table,) in connection.execute(TABLES).fetchall()]
    if "entry_text" in tables:
        changed = " OR ".join(map(_unsafe, ("name", "description", "reasoning", "notes")))
        connection.execute(f"DELETE FROM vector WHERE entry_seq IN (SELECT entry_seq FROM entry_text WHERE {changed})")
    clear_queries(connection)
    count = sum(_redact_table(connection, table) for table in tables)
    if count and "entry_text" in tables:
        _renew_ids(connection)
    return count


def count_secrets(connection: sqlite3.Connection) -> int:
    """Return how many values `redact_rows` changes."""
    connection.create_function("redacted", 1, without_secrets, deterministic=True)
    tables = [table for (table,) in connection.execute(TABLES).fetchall()]
    return sum(_count(connection, table, column) for table in tables for column in _columns(connection, table))


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop the keyword index, which repeats what was redacted; a program that opens the store makes it again."""
    for name in ("entries_fts", "passages_fts"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _redact_table(connection: sqlite3.Connection, table: str) -> int:
    return sum(_redact_column(connection, table, name) for name in _columns(connection, table))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _count(connection: sqlite3.Connection, table: str, column: str) -> int:
    [(count,)] = connection.execute(f'SELECT count(*) FROM "{table}" WHERE {_unsafe_in(table, column)}').fetchall()
    return int(count)


def _redact_column(connection: sqlite3.Connection, table: str, column: str) -> int:
    unsafe = _unsafe_in(table, column)
    if count := _count(connection, table, column):
        connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = redacted("{column}") WHERE {unsafe}')
        connection.execute(f'DELETE FROM "{table}" WHERE {unsafe}')
    return count


def _unsafe_in(table: str, column: str) -> str:
    if table != "_metadata":
        return _unsafe(column)
    return f"{_unsafe(column)} AND key NOT IN ({', '.join(map(repr, KEPT_METADATA))})"


def _unsafe(column: str) -> str:
    """Return the condition of rows whose *column* is a text with a secret."""
    return f'(typeof("{column}") = \'text\' AND redacted("{column}") != "{column}")'


def _renew_ids(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        "SELECT e.seq, e.id, t.description FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.kind = 'learning'"
    ).fetchall()
    for seq, old, description in rows:
        if (new := content_hash(description)) != old:
            connection.execute("UPDATE OR IGNORE entry SET id = ?, content_hash = ? WHERE seq = ?", (new, new, seq))
            connection.execute("UPDATE receipt_entry SET entry_id = ? WHERE entry_id = ?", (new, old))
            connection.execute("DELETE FROM entry WHERE seq = ? AND id = ?", (seq, old))
            if has_successors(connection):
                connection.execute("UPDATE entry SET superseded_by = ? WHERE superseded_by = ?", (new, old))
