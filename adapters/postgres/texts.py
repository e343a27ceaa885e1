"""
Columns with texts, to be searched, erased and redacted.

This is the only list of them. Roles, numbers of vector spaces and columns with constants of the
schema are left out.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase, public
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.sql.entries import TEXTS
from hardwon.adapters.sql.metadata import AUTOMATIC_PROVIDER
from hardwon.domain.model.forgotten import SECRET


class Table(NamedTuple):
    """
    A table with texts.

    Attributes:
        key: Columns that identify a row among those that this member may change.
        columns: Columns with texts: `text`, `text[]` or `jsonb`.
        rows: The condition for rows that may be changed.

    """

    key: tuple[str, ...]
    columns: tuple[str, ...]
    rows: str = "true"


ENTRY_TABLES = ("entry", "entry_text")
NO_TEXTS = frozenset(("source", "file_mtime", "own_tier"))
LABELS = ("trigger_phrases", "keywords", "tags")

TABLES: Mapping[str, Table] = {
    "entry": Table(
        ("number",),
        ("id", "project", "source_project", "workspace", "branch", "spec_folder", "content_hash"),
    ),
    "entry_text": Table(
        ("number",),
        (*(name for name in TEXTS if name not in NO_TEXTS), "text_hash", "anchor_id"),
    ),
    "entry_place": Table(("number", "project"), ("project",)),
    "entry_alias": Table(("old_id",), ("old_id",)),
    "history": Table(("id", "number"), ("field_changed", "old_value", "new_value")),
    "metadata": Table(
        ("key",),
        ("key", "value"),
        f"key NOT IN ('active_space', '{AUTOMATIC_PROVIDER}', '{SECRET}')",
    ),
    "receipt": Table(
        ("number",),
        (
            "session_id",
            "project",
            "query",
            "keyword_text",
            "space",
            "policy",
            "digest",
            "frame",
            "missed",
            "agent",
            "signature",
        ),
    ),
    "receipt_entry": Table(
        ("receipt", "place"), ("entry_id", "digest", "parts", "origin", "warning")
    ),
    "influence": Table(("number", "session_id"), ("session_id", "phrase")),
    "source": Table(("path",), ("path", "fingerprint")),
    "source_heading": Table(("path", "heading"), ("path", "heading")),
    "tombstone": Table(("file_path", "anchor_id"), ("file_path", "anchor_id", "file_hash")),
    "departed": Table(
        ("file_path", "anchor_id"), ("file_path", "anchor_id", "file_hash", "name", *LABELS)
    ),
    "project": Table(
        ("id",),
        ("id", "machine", "key", "label", "root", "remote", "first_commit", "joined"),
        "owner = current_user",
    ),
    "opinion": Table(("project",), ("project",)),
    "trusted_folder": Table(("machine", "path"), ("machine", "path")),
    "checkpoint": Table(("id",), ("name", "description", "metadata")),
}

JSON = frozenset(("missed", "parts", "metadata", "content"))
"""Columns whose values are JSON."""

AT_ONCE = 1_000
_CURSORS = itertools.count(1)

SELECT_SAVED = """
    SELECT snapshot, relation, place, number, content FROM hardwon.saved_row
    WHERE tenant = %(tenant)s AND relation = ANY(%(relations)s) AND {condition}
    ORDER BY snapshot, relation, place
"""


class StoredRow(NamedTuple):
    """
    A row with texts.

    Attributes:
        key: Values of the columns that identify it.
        snapshot: The snapshot that saved it, empty for a row of today.
        number: The number of its entry, if its table has one.
    """

    relation: str
    key: Mapping[str, Any]
    values: Mapping[str, Any]
    snapshot: str = ""
    number: int | None = None

    @property
    def table(self) -> str:
        """The table that contains the row: `saved_row` for a saved one."""
        return "saved_row" if self.snapshot else self.relation

    def texts(self) -> Iterator[str]:
        """Yield all texts of the row."""
        return (text for value in self.values.values() for text in texts_in(value))


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts within a text, list or JSON value."""
    match value:
        case str():
            yield value
        case list():
            yield from (text for item in value for text in texts_in(item))
        case dict():
            yield from (text for pair in value.items() for item in pair for text in texts_in(item))


def redacted(value: Any) -> Any:
    """Return a column's value with all texts redacted."""
    match value:
        case str():
            return public(value)
        case list():
            return [redacted(item) for item in value]
        case dict():
            return {public(name): redacted(item) for name, item in value.items()}
        case _:
            return value


def as_bytes(text: str) -> bytes:
    """Return *text* as a parameter that is not redacted, for comparisons."""
    return text.encode("utf-8", "replace")


def named(row: StoredRow) -> tuple[str, dict[str, object]]:
    """Return the condition that identifies the row, and its parameters."""
    names = {f"key_{name}": name for name in row.key}
    values = {mark: row.key[name] for mark, name in names.items()}
    marks = {
        mark: f"convert_from(%({mark})s, 'UTF8')" if isinstance(value, str) else f"%({mark})s"
        for mark, value in values.items()
    }
    conditions = [f'"{name}" = {marks[mark]}' for mark, name in names.items()]
    table = TABLES.get(row.relation)
    own = table.rows if table and not row.snapshot else "true"
    return " AND ".join(("tenant = %(tenant)s", own, *conditions)), {
        mark: as_bytes(value) if isinstance(value, str) else value for mark, value in values.items()
    }


def delete_row(database: PostgresDatabase, row: StoredRow) -> None:
    """Delete a row, of today or saved."""
    condition, parameters = named(row)
    database.rows(f"DELETE FROM hardwon.{row.table} WHERE {condition}", **parameters)


class Holding(NamedTuple):
    """
    A necessary condition for rows that contain any of some words.

    It may hold for other rows: callers check each.

    Attributes:
        wanted: The words in lower case, None for every row.

    """

    wanted: tuple[bytes, ...] | None = None

    @classmethod
    def any_of(cls, words: Iterable[str]) -> "Holding":
        """Return the condition for *words*, in lower case."""
        return cls(tuple(map(as_bytes, words)))

    def sql(self, columns: Iterable[str]) -> str:
        """
        Return the condition on *columns*.

        Values with non-ASCII letters or JSON escapes always meet it, since callers check them.
        """
        if self.wanted is None:
            return "true"
        text = f"concat_ws(chr(31), {', '.join(f'{column}::text' for column in columns)})"
        return (
            f"EXISTS (SELECT 1 FROM (SELECT {text} AS held) of WHERE octet_length(of.held) !="
            " char_length(of.held) OR strpos(of.held, '\\') > 0 OR EXISTS (SELECT 1 FROM"
            " unnest(%(wanted)s::bytea[]) AS given (text) WHERE strpos(lower(of.held COLLATE"
            " \"C\"), convert_from(given.text, 'UTF8')) > 0))"
        )


def stored(database: PostgresDatabase, holding: Holding = Holding()) -> Iterator[StoredRow]:  # noqa: B008  # immutable
    """Yield changeable rows, today's and saved, that may match *holding*."""
    for relation in TABLES:
        yield from stored_in(database, relation, holding)
    yield from saved_rows(database, holding)


def stored_in(
    database: PostgresDatabase,
    relation: str,
    holding: Holding = Holding(),  # noqa: B008
) -> Iterator[StoredRow]:
    """Yield changeable rows of one table that may match *holding*."""
    table = TABLES[relation]
    names = (*table.key, *table.columns)
    columns = [f'x."{name}"' for name in names]
    sql = (
        f"SELECT {', '.join(columns)} FROM hardwon.{relation} x WHERE x.tenant = %(tenant)s AND"
        f" {table.rows} AND {holding.sql(columns[len(table.key) :])}"
    )
    for row in _in_parts(database, sql, wanted=list(holding.wanted or ())):
        key = dict(zip(table.key, row, strict=False))
        yield StoredRow(
            relation,
            key,
            dict(zip(table.columns, row[len(table.key) :], strict=True)),
            number=key.get("number"),
        )


def saved_rows(
    database: PostgresDatabase,
    holding: Holding = Holding(),  # noqa: B008
    snapshot: str = "",
) -> Iterator[StoredRow]:
    """Yield saved rows that may match, of all snapshots without *snapshot*."""
    within = f"{holding.sql(['content'])} AND (%(snapshot)s = '' OR snapshot = %(snapshot)s)"
    rows = _in_parts(
        database,
        SELECT_SAVED.format(condition=within),
        relations=[*TABLES],
        snapshot=snapshot,
        wanted=list(holding.wanted or ()),
    )
    for name, relation, place, number, content in rows:
        key = {"snapshot": name, "relation": relation, "place": place}
        values = {column: content.get(column) for column in TABLES[relation].columns}
        if not _is_kept(relation, content):
            yield StoredRow(relation=relation, key=key, values=values, snapshot=name, number=number)


def _is_kept(relation: str, content: Mapping[str, Any]) -> bool:
    return relation == "metadata" and content["key"] in ("active_space", AUTOMATIC_PROVIDER, SECRET)


def _in_parts(database: PostgresDatabase, sql: str, **parameters: object) -> Iterator[Row]:
    """Yield rows from a cursor on the server, to bound memory."""
    with database.snapshot():
        name = f"texts_{next(_CURSORS)}"
        database.rows(f"DECLARE {name} NO SCROLL CURSOR FOR {sql}", **parameters)
        while rows := database.rows(f"FETCH {AT_ONCE} FROM {name}"):
            yield from rows
        database.rows(f"CLOSE {name}")
