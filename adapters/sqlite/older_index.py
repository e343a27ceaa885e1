"""The index of an older program, only read."""

import datetime as dt
import json
import math
import os
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.untrusted import (
    UntrustedDatabase,
    refuse_other_than_table,
    schema_objects,
)
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import InvalidEntryError, StorageError
from hardwon.domain.model.legacy_index import IMPORTABLE, OlderDocument
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, TIERS

MAGIC = b"SQLite format 3\0"
TABLE = "memory_index"
COLUMNS = (
    "file_path spec_folder title anchor_id content created_at created_at_epoch importance_weight"
    " importance_tier context_type channel session_id access_count last_accessed validation_count"
    " confidence_score trigger_phrases"
).split()
"""
The columns that are read.

Schema 10 lacks the tier, the type, the epoch and the count.
"""

NO_INDEX = (
    f"no index of an older memory: it has no table {TABLE} with file_path and spec_folder;"
    f" {IMPORTABLE}"
)
MAX_COUNTED = 2**31 - 1

READ_SECONDS = 10.0
LARGEST_FILE = 1_000_000_000
"""Bytes, most of them vectors and a keyword index, which are not read."""
LONGEST_VALUE = 8 * 1024 * 1024
"""Bytes. A markdown file has 4 MB at most."""
MAX_DOCUMENTS = 20_000
MAX_TEXT = 256 * 1024 * 1024
"""Characters of all values together."""


def is_sqlite(beginning: bytes) -> bool:
    """Return whether a file with that *beginning* is an SQLite database."""
    return beginning.startswith(MAGIC)


def read_older_index(path: str, project_root: str) -> list[OlderDocument]:
    """
    Read the documents in the index at *path*, ordered by their paths.

    The file may be hostile: it is read within limits of time and size, and only as a table.

    Args:
        path: Of an existing file.
        project_root: The base of relative paths in the index.

    Raises:
        InvalidEntryError: it can't be read within the limits, or is no such index.

    """
    deadline = Deadline.after(READ_SECONDS, time.monotonic)
    try:
        with closing(
            UntrustedDatabase(
                os.path.realpath(path), deadline, at_most=LARGEST_FILE, longest_value=LONGEST_VALUE
            )
        ) as database:
            rows = _rows(database)
    except StorageError as error:
        raise InvalidEntryError(f"the index can't be imported: {error}") from error
    return [_older_document(row, project_root) for row in rows]


def _rows(database: SqliteDatabase) -> list[Mapping[str, Any]]:
    refuse_other_than_table(database, schema_objects(database), TABLE)
    present = {name for (name,) in database.rows("SELECT name FROM pragma_table_info(?)", (TABLE,))}
    if not {"file_path", "spec_folder"} <= present:
        raise InvalidEntryError(f"{database.path!r} is {NO_INDEX}")
    columns = [column for column in COLUMNS if column in present]
    rows, characters = list[Mapping[str, Any]](), 0
    for row in database.stream(f"SELECT {', '.join(columns)} FROM {TABLE}"):
        characters += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if len(rows) == MAX_DOCUMENTS or characters > MAX_TEXT:
            raise InvalidEntryError(
                f"the index holds more than {MAX_DOCUMENTS} documents, or {MAX_TEXT} characters:"
                " split it"
            )
        rows.append(dict(zip(columns, row, strict=True)))
    return sorted(rows, key=lambda row: str(row["file_path"]))


def _older_document(row: Mapping[str, Any], project_root: str) -> OlderDocument:
    tier, kind = row.get("importance_tier"), row.get("context_type")
    return OlderDocument(
        path=_older_path(row["file_path"], project_root),
        anchor_id=_text(row.get("anchor_id")) or "",
        spec_folder=_text(row["spec_folder"]),
        title=_text(row.get("title")),
        content=_text(row.get("content")),
        created_at=_timestamp(row.get("created_at")) or _epoch(row.get("created_at_epoch")),
        importance_weight=_share(row.get("importance_weight")),
        tier=tier if tier in TIERS else None,
        context_type=kind if kind in CONTEXT_TYPES else None,
        channel=_text(row.get("channel")),
        session_id=_text(row.get("session_id")),
        trigger_phrases=_texts(row.get("trigger_phrases")),
        usage=_usage(row),
    )


def _older_path(value: object, project_root: str) -> str:
    path = (
        os.path.join(os.path.realpath(project_root), value)
        if isinstance(value, str) and value
        else ""
    )
    try:
        path.encode()
        real = os.path.realpath(path) if path and "\0" not in path else ""
    except (UnicodeEncodeError, OSError):
        real = ""
    if not real:
        raise InvalidEntryError(f"file_path {str(value)[:80]!r} is no path of a file")
    return real


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    try:
        texts = json.loads(value) if isinstance(value, str) else []
    except (ValueError, RecursionError):
        return ()
    return tuple(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()


def _share(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


def _timestamp(value: object) -> dt.datetime | None:
    """
    Parse a timestamp of SQLite's `datetime('now')`.

    It is in UTC, without a zone.
    """
    try:
        at = dt.datetime.fromisoformat(value) if isinstance(value, str) else None
        return (at if at.tzinfo else at.replace(tzinfo=dt.UTC)).astimezone(dt.UTC) if at else None
    except (ValueError, OverflowError):
        return None


def _epoch(value: object) -> dt.datetime | None:
    try:
        return dt.datetime.fromtimestamp(value, dt.UTC) if isinstance(value, (int, float)) else None
    except (ValueError, OverflowError, OSError):
        return None


def _usage(row: Mapping[str, Any]) -> Usage:
    total = _count(row.get("validation_count"))
    share = _share(row.get("confidence_score")) or 0.0
    return Usage(
        _count(row.get("access_count")),
        _timestamp(row.get("last_accessed")),
        Validations(total, math.floor(total * share + 0.5)),
    )


def _count(value: object) -> int:
    return min(max(value, 0), MAX_COUNTED) if isinstance(value, int) else 0
