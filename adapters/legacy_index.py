"""
Read and write `memory-index.json`, an object of sessions by their absolute paths.

A line holds a session: `tags`, `descriptionKeywords`, `mtime`, `basename`, `filename`,
`description` and optionally `embedding`. An unreadable vector is left out.
"""

import json
import os
import re
from array import array
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeGuard

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.legacy_index import IMPORTABLE, IndexedMemory

LARGEST_FILE = 64 * 1024 * 1024
MAX_NODES = 1_000_000
"""
Lists and objects of an index, which take more memory than text.

A session has three or four.
"""
DECIMALS = 6
SHOWN_CHARACTERS = 60
LATEST = 2**53
MIN_MILLISECONDS = 10**11
"""Greater numbers are no times in seconds."""


class _Shape(NamedTuple):
    fits: Callable[[Any], bool]
    wanted: str


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_time(value: Any) -> bool:
    return type(value) in {int, float} and abs(value) <= LATEST


def _seconds(value: float | None) -> int | None:
    """Return whole seconds, also of a time in milliseconds as JavaScript has it."""
    return None if value is None else int(value / (1000 if value > MIN_MILLISECONDS else 1))


def _is_numbers(value: object) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(type(item) in {int, float} for item in value)


TEXT = _Shape(lambda value: isinstance(value, str), "a text")
TEXTS = _Shape(_is_texts, "a list of texts")
SHAPES = {
    "tags": TEXTS,
    "descriptionKeywords": TEXTS,
    "mtime": _Shape(_is_time, "seconds since 1970"),
    "basename": TEXT,
    "filename": TEXT,
    "description": TEXT,
}


def write_memory_index(
    sessions: Iterable[tuple[Entry, Vector | None]], *, ascii_only: bool = False
) -> str:
    """Render *sessions* and their vectors as JSON, ordered by path."""
    encode = json.JSONEncoder(ensure_ascii=ascii_only).encode
    documents = {entry.file_path or "": _document(entry, vector) for entry, vector in sessions}
    lines = (f"{encode(path)}: {encode(documents[path])}" for path in sorted(documents))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_memory_index(data: bytes) -> list[IndexedMemory]:
    """
    Parse the memories of an index, ignoring unknown and null fields.

    Raises:
        InvalidEntryError: it is no such index, or a field has the wrong type; the message names the
            key.
    """
    document = _object(data)
    return [_memory(path, fields) for path, fields in document.items()]


def _document(entry: Entry, vector: Vector | None) -> dict[str, object]:
    folder, filename = os.path.split(entry.file_path or "")
    mtime = int(entry.updated_at.timestamp()) if entry.file_mtime is None else entry.file_mtime
    return {
        "tags": entry.tags,
        "descriptionKeywords": entry.keywords,
        "mtime": mtime,
        "basename": entry.source_project or os.path.basename(folder),
        "filename": filename,
        "description": entry.description,
        **({} if vector is None else {"embedding": [round(value, DECIMALS) for value in vector]}),
    }


def _object(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST_FILE:
        raise InvalidEntryError(f"the index is longer than {LARGEST_FILE} bytes: split it")
    if data.count(b"[") + data.count(b"{") > MAX_NODES:
        raise InvalidEntryError(
            f"the index holds more than {MAX_NODES} lists and objects: split it"
        )
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"the index is not UTF-8: {error}; {IMPORTABLE}") from error
    except RecursionError as error:
        raise InvalidEntryError(
            "the index is nested too deeply: it is an object of flat objects"
        ) from error
    except ValueError as error:
        raise InvalidEntryError(
            f"the index is not JSON: {str(error)[:200]}; {IMPORTABLE}"
        ) from error
    if not isinstance(document, dict):
        raise InvalidEntryError(
            f"the index is {_shown(document)}: it must be an object keyed by the paths of files;"
            f" {IMPORTABLE}"
        )
    return document


def _memory(key: str, fields: object) -> IndexedMemory:
    path = _path(key)
    if not isinstance(fields, dict):
        raise InvalidEntryError(f"{key!r} is {_shown(fields)}: it must be an object")
    given = {name: value for name, value in fields.items() if name in SHAPES and value is not None}
    for name, value in given.items():
        if not SHAPES[name].fits(value):
            raise InvalidEntryError(
                f"{key!r}: {name} is {_shown(value)}: it must be {SHAPES[name].wanted}"
            )
    vector, vector_problem = _vector(fields.get("embedding"))
    return IndexedMemory(
        path=path,
        tags=tuple(given.get("tags", ())),
        keywords=tuple(given.get("descriptionKeywords", ())),
        mtime=_seconds(given.get("mtime")),
        project=given.get("basename", "").strip() or None,
        filename=os.path.basename(path),
        description=given.get("description", "").strip() or None,
        vector=vector,
        vector_problem=vector_problem,
    )


def _vector(value: object) -> tuple[Vector | None, str]:
    """Return *value* as a vector or a complaint, neither without a value."""
    if value is None:
        return None, ""
    if not _is_numbers(value):
        return None, f"embedding is {_shown(value)}: it must be a list of numbers"
    try:
        return array("f", value), ""
    except OverflowError:
        return None, f"embedding is {_shown(value)}: it holds a number too large"


_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
"""Begins an absolute path of Windows: a vanished folder on this machine."""


def _path(key: str) -> str:
    if os.sep == "/" and _OF_WINDOWS.match(key):
        key = "/" + key.replace("\\", "/").lstrip("/")
    try:
        key.encode()
        path = os.path.realpath(key) if os.path.isabs(key) and "\0" not in key else ""
        path.encode()  # a link may lead to any name
    except (UnicodeEncodeError, OSError):
        path = ""
    if not os.path.basename(path):
        raise InvalidEntryError(
            f"{key[:200]!r} is no absolute path of a file, or leads to a name that is not UTF-8: an"
            f" index is keyed by paths; {IMPORTABLE}"
        )
    return path


def _shown(value: object) -> str:
    try:
        return json.dumps(value)[:SHOWN_CHARACTERS]
    except RecursionError:  # not too deep to be read, but to be written
        return "nested too deeply"
