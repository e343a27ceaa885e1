"""
Write and read an export, a JSON record a line.

`docs/export.md` describes it.
"""

import contextlib
import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import attrs
from pydantic import TypeAdapter, ValidationError

from hardwon.adapters.export_format.models import (
    LINES,
    VERSION,
    EntryLine,
    ExportHeader,
    TypedLine,
    Versioned,
)
from hardwon.domain.model.activity import PastChange, Usage
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.export import (
    RECORD_NAMES,
    Absence,
    DeletedEntry,
    DeletedSection,
    ExportedEntry,
    ImportedSource,
    Location,
    Record,
    location_of,
)
from hardwon.domain.model.project import Project
from hardwon.ports.override import override
from hardwon.ports.transfer import ExportedRecords

_ANY = TypeAdapter[Any](Any)
"""Writes any value as JSON."""

LONGEST_LINE = 64 * 1024 * 1024
"""In bytes."""


def header_line(hardwon: str, exported_at: dt.datetime, counts: Mapping[str, int]) -> bytes:
    """Return the first line of an export, written by version *hardwon*."""
    return _line(ExportHeader(hardwon=hardwon, exported_at=exported_at, counts=dict(counts)))


def record_line(record: Record) -> bytes:
    """Return the line of *record*."""
    return _line({"type": RECORD_NAMES[type(record)], **_VALUES[type(record)](record)})


def _line(value: object) -> bytes:
    return _ANY.dump_json(value) + b"\n"


def _project_values(project: Project) -> dict[str, Any]:
    identity = project.identity
    return {
        "id": project.id,
        "label": project.label,
        "key": identity.key,
        "root": identity.root,
        "is_repository": identity.is_repository,
        "remote": project.remote,
        "first_commit": project.first_commit,
        "authorship": project.authorship,
        "trust": project.trust,
    }


def _entry_values(exported: ExportedEntry) -> dict[str, Any]:
    entry = exported.entry
    return {
        "id": exported.entry_id,
        "number": entry.number,
        **{name: getattr(entry, name) for name in EntryLine.FIELDS},
        "below": exported.below,
        **_counter_values(entry.usage),
        "places": exported.places,
        "aliases": exported.aliases,
        "history": _change_values(exported.history),
        "used_in": [
            {"session_id": use.session_id, "how": use.how, "phrase": use.phrase, "at": use.at}
            for use in exported.influences
        ],
    }


def _counter_values(usage: Usage) -> dict[str, Any]:
    total, useful = usage.validations
    counters = {"access_count": usage.access_count, "last_accessed": usage.last_accessed}
    return {**counters, "validation_count": total, "useful_count": useful}


def _change_values(changes: Iterable[PastChange]) -> list[dict[str, Any]]:
    return [
        {"field": change.field, "old": change.old, "new": change.new, "at": change.at}
        for change in changes
    ]


def _absence_values(absence: Absence) -> dict[str, Any]:
    sections = [
        {
            "anchor_id": anchor,
            **attrs.asdict(standing, recurse=False),
            **_counter_values(standing.usage),
        }
        for anchor, standing in absence.file.standings.items()
    ]
    for section in sections:
        del section["usage"]
    return {
        "path": absence.file.file_path,
        "below": absence.below,
        "at": absence.at,
        "sections": sections,
    }


_VALUES: Mapping[type[Record], Callable[[Any], dict[str, Any]]] = {
    Project: _project_values,
    ExportedEntry: _entry_values,
    DeletedEntry: lambda deleted: {
        "number": deleted.number,
        "history": _change_values(deleted.history),
    },
    ImportedSource: ImportedSource._asdict,
    Absence: _absence_values,
    DeletedSection: DeletedSection._asdict,
}


class NumberedRecord(NamedTuple):
    """A record and its line in the file, from 2."""

    line: int
    record: Record


def is_export(beginning: bytes) -> bool:
    """Return whether a file with this *beginning* is an export."""
    head = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().replace(b" ", b"")
    return head.startswith(b'{"type":') or (head.startswith(b"{") and b'"format":"hardwon"' in head)


def read_header(file: BinaryIO) -> ExportHeader:
    """
    Read the first line of an export.

    Raises:
        InvalidEntryError: it is no header, or of an unknown version.
    """
    return _header(next(_numbered_lines(file), (1, b""))[1])


def read_records(file: BinaryIO) -> Iterator[NumberedRecord]:
    """
    Yield the records of an export, read from its beginning.

    Raises:
        InvalidEntryError: a line is no record, or their numbers differ from the header's; the
            message names the line.
    """
    lines = _numbered_lines(file)
    counts = _header(next(lines, (1, b""))[1]).counts
    found = dict.fromkeys(counts, 0)
    projects: set[str | None] = {None}
    line = 1
    for line, text in lines:
        try:
            record = _record(text, projects)
        except InvalidEntryError as error:
            raise InvalidEntryError(f"line {line}: {error}") from error
        name = RECORD_NAMES[type(record)]
        found[name] = found.get(name, 0) + 1
        yield NumberedRecord(line, record)
    for name, count in counts.items():
        if found[name] != count:
            raise InvalidEntryError(
                f"it ends at line {line} with {found[name]} of {count} lines of type {name!r}: it"
                " was cut off or changed; export again"
            )


def _numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise InvalidEntryError(
                f"line {number}: it is longer than {LONGEST_LINE} bytes (64 MB)"
            )
        if text.strip():
            yield number, text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text


def _header(text: bytes) -> ExportHeader:
    try:
        _ensure_version(Versioned.model_validate_json(text).version)
        return ExportHeader.model_validate_json(text)
    except ValidationError as error:
        raise InvalidEntryError(
            f"line 1: it is no header of an export: {_first_problem(error)}"
        ) from error


def _ensure_version(found: int) -> None:
    if found != VERSION:
        raise InvalidEntryError(
            f"line 1: the export has version {found}, this hardwon reads {VERSION}: upgrade hardwon"
        )


def _record(text: bytes, projects: set[str | None]) -> Record:
    """
    Return the record of a line.

    *projects* has the ids of earlier lines; a project's own is added.
    """
    try:
        name = TypedLine.model_validate_json(text).type
        if name not in LINES:
            raise InvalidEntryError(
                f"the type {name[:80]!r} is unknown: use one of {', '.join(LINES)}"
            )
        line = LINES[name].model_validate_json(text)
    except ValidationError as error:
        raise InvalidEntryError(_first_problem(error)) from error
    record = line.record()
    if location := location_of(record):
        _ensure_sound(location, projects)
    if isinstance(record, Project):
        projects.add(record.id)
    return record


def _ensure_sound(location: Location, projects: set[str | None]) -> None:
    path, below = location
    if below not in projects:
        raise InvalidEntryError(
            f"below is {str(below)[:80]!r}: no earlier line is a project of that id"
        )
    if below is not None and (
        os.path.isabs(path) or os.path.normpath(path).split("/")[0] in {"..", "."}
    ):
        raise InvalidEntryError(f"the path {path[:200]!r} does not lie below its project")
    if below is None and not (os.path.isabs(path) or path.startswith("#")):
        raise InvalidEntryError(
            f"the path {path[:200]!r} is not absolute: give the project that it is below"
        )


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"]))
    text = problem["msg"].replace(" at line 1 column ", " at column ")
    return " ".join(f"{place}: {text}".removeprefix(": ").split())[:200]


LONGEST_BEGINNING = 4096
"""Bytes of a file by which its format is recognised."""


class ExportFile(ExportedRecords):
    """
    An export that can be read more than once.

    Raises:
        InvalidEntryError: its first line is no header, or of an unknown version.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        file.seek(0)
        self.count = sum(read_header(file).counts.values())

    @override
    def records(self) -> Iterator[tuple[int, Record]]:
        self._file.seek(0)
        return read_records(self._file)


@contextlib.contextmanager
def open_export(path: str, stream: BinaryIO | None) -> Iterator[ExportFile | None]:
    """
    Yield the export in *path* or *stream*, or None for another format.

    Raises:
        InvalidEntryError: its header is bad, or *stream* is something else.
    """
    if stream is None and not os.path.isfile(path):
        yield None
        return
    with _opened(path) if stream is None else _copied(stream) as file:
        beginning = file.read(LONGEST_BEGINNING)
        if stream and not is_export(beginning):
            raise InvalidEntryError(
                "standard input is no export of hardwon: its first line is no header"
            )
        yield ExportFile(file) if is_export(beginning) else None


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise UnreadableFileError(error.strerror or str(error)) from error


@contextlib.contextmanager
def _copied(stream: BinaryIO) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(stream, file)
        file.seek(0)
        yield file
