"""
The lines of an export: a header, then one JSON object for each record, in UTF-8. `docs/export.md` describes them.

The fields of an entry are those of `Entry`, so that a new field is exported and read without a change here.
"""

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, BinaryIO, ClassVar, Literal, NamedTuple, get_type_hints

import attrs
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import to_json

from hardwon.domain.model.activity import PastChange, Usage, Validations
from hardwon.domain.model.entry import MAX_COUNT, MAX_TEXT_BYTES, Entry
from hardwon.domain.model.errors import InvalidEntryError
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
from hardwon.domain.model.file_state import AbsentFile, Standing
from hardwon.domain.model.injection.receipt import How, Influence
from hardwon.domain.model.project import Authorship, Identity, Project, Trust
from hardwon.domain.model.vocabulary import Tier

FORMAT = "hardwon"
VERSION = 2
LONGEST_LINE = 64 * 1024 * 1024
"""In bytes."""
LARGEST_NUMBER = 2**53
HEADER = "header"


def _plain(text: str) -> str:
    if "\0" in text or len(text) > MAX_TEXT_BYTES:
        raise ValueError(f"a text may hold no NUL character and at most {MAX_TEXT_BYTES} characters")
    return text


Text = Annotated[str, AfterValidator(_plain)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Number = Annotated[int, Field(ge=1, le=LARGEST_NUMBER)]
Seconds = Annotated[int, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]


class _Versioned(BaseModel):
    version: int = VERSION


class _Typed(BaseModel):
    type: str


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ExportHeader(_Strict):
    """
    The first line of an export.

    Attributes:
        hardwon: The version of the program that wrote it.
        counts: The number of records of each type; a file with fewer was cut off.
    """

    type: Literal["header"] = "header"
    format: Literal["hardwon"] = "hardwon"
    version: int = VERSION
    hardwon: str
    exported_at: AwareDatetime
    counts: dict[str, Annotated[int, Field(ge=0)]]


class _Change(_Strict):
    field: Text
    old: Text | None = None
    new: Text | None = None
    at: AwareDatetime


class _Use(_Strict):
    session_id: Text
    how: How
    phrase: Text
    at: AwareDatetime


class _Counters(_Strict):
    access_count: Count = 0
    last_accessed: AwareDatetime | None = None
    validation_count: Count = 0
    useful_count: Count = 0

    def usage(self) -> Usage:
        """
        Return the counters of searches and judgements.

        Raises:
            InvalidEntryError: more judgements were useful than there were.
        """
        if self.useful_count > self.validation_count:
            raise InvalidEntryError(f"useful_count is {self.useful_count}, above validation_count: lower it")
        return Usage(self.access_count, self.last_accessed, Validations(self.validation_count, self.useful_count))


class _Line(_Strict):
    type: str

    def record(self) -> Record:
        """Return the record of this line."""
        raise NotImplementedError


class _ProjectLine(_Line):
    id: Text
    label: Text
    key: Text
    root: Text
    is_repository: bool
    remote: Text = ""
    first_commit: Text | None = None
    authorship: Authorship = "unknown"
    trust: Trust = "unsaid"

    def record(self) -> Project:
        identity = Identity(self.key, self.root, self.is_repository)
        return Project(self.id, self.label, identity, self.remote, self.first_commit, self.authorship, self.trust)


NOT_IN_LINE = {"usage", "number", "entry_id"}
"""Fields of an `Entry` that a line says in another way."""
NARROWER: Mapping[str, Any] = {"file_mtime": Seconds | None, "file_hash": Text | None}


class _Activity(_Counters, _Line):
    id: Text
    number: Number
    below: Text | None = None
    places: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()
    history: tuple[_Change, ...] = ()
    used_in: tuple[_Use, ...] = ()

    FIELDS: ClassVar[tuple[str, ...]] = tuple(
        field.name for field in attrs.fields(Entry) if field.name not in NOT_IN_LINE
    )

    def record(self) -> ExportedEntry:
        entry = Entry(usage=self.usage(), number=self.number, **{name: getattr(self, name) for name in self.FIELDS})
        if entry.recall_count and entry.last_recalled_at is None:
            raise InvalidEntryError("recall_count needs last_recalled_at")
        return ExportedEntry(
            self.id,
            entry,
            self.below,
            self.places,
            self.aliases,
            _past(self.number, self.history),
            tuple(Influence(self.id, use.session_id, use.how, use.phrase, use.at) for use in self.used_in),
        )


def _entry_line() -> type[_Line]:
    """Return the model of an entry's line: its fields are those of `Entry`, then its activity."""
    hints = {**get_type_hints(Entry), **NARROWER}
    fields: dict[str, Any] = {
        field.name: (hints[field.name], ... if field.default is attrs.NOTHING else field.default)
        for field in attrs.fields(Entry)
        if field.name in _Activity.FIELDS
    }
    model: type[_Line] = create_model("_EntryLine", __base__=_Activity, **fields)
    return model


class _DeletedEntryLine(_Line):
    number: Number
    history: tuple[_Change, ...]

    def record(self) -> DeletedEntry:
        return DeletedEntry(self.number, _past(self.number, self.history))


class _SourceLine(_Line):
    path: Text
    below: Text | None = None
    fingerprint: Text
    headings: tuple[Text, ...] = ()

    def record(self) -> ImportedSource:
        return ImportedSource(self.path, self.below, self.fingerprint, self.headings)


class _Standing(_Counters):
    anchor_id: Text
    file_hash: Text | None = None
    name: Text
    tier: Tier
    importance_weight: Annotated[float, Field(ge=0, le=1)]
    permanent: bool
    own_tier: bool
    trigger_phrases: tuple[Text, ...]
    keywords: tuple[Text, ...]
    tags: tuple[Text, ...]
    created_at: AwareDatetime

    def standing(self) -> Standing:
        """Return it as a value."""
        values = {name: getattr(self, name) for name in Standing._fields if name != "usage"}
        return Standing(usage=self.usage(), **values)


class _AbsentFileLine(_Line):
    path: Text
    below: Text | None = None
    at: AwareDatetime
    sections: tuple[_Standing, ...]

    def record(self) -> Absence:
        standings = {section.anchor_id: section.standing() for section in self.sections}
        return Absence(AbsentFile(self.path, standings), self.below, self.at)


class _DeletedSectionLine(_Line):
    path: Text
    below: Text | None = None
    anchor_id: Text = ""
    file_hash: Text
    at: AwareDatetime

    def record(self) -> DeletedSection:
        return DeletedSection(self.path, self.below, self.anchor_id, self.file_hash, self.at)


_MODELS: Mapping[str, type[_Line]] = dict(
    zip(
        RECORD_NAMES.values(),
        (_ProjectLine, _entry_line(), _DeletedEntryLine, _SourceLine, _AbsentFileLine, _DeletedSectionLine),
        strict=True,
    )
)


def _past(number: int, changes: Iterable[_Change]) -> tuple[PastChange, ...]:
    return tuple(PastChange(number, change.field, change.old, change.new, change.at) for change in changes)


def header_line(hardwon: str, exported_at: dt.datetime, counts: Mapping[str, int]) -> bytes:
    """Return the first line of an export by that version of the program."""
    return _line(ExportHeader(hardwon=hardwon, exported_at=exported_at, counts=dict(counts)))


def record_line(record: Record) -> bytes:
    """Return the line of *record*."""
    return _line({"type": RECORD_NAMES[type(record)], **_VALUES[type(record)](record)})


def _line(value: object) -> bytes:
    return to_json(value) + b"\n"


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
        **{name: getattr(entry, name) for name in _Activity.FIELDS},
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
    return [{"field": change.field, "old": change.old, "new": change.new, "at": change.at} for change in changes]


def _absence_values(absence: Absence) -> dict[str, Any]:
    sections = [
        {"anchor_id": anchor, **standing._asdict(), **_counter_values(standing.usage)}
        for anchor, standing in absence.file.standings.items()
    ]
    for section in sections:
        del section["usage"]
    return {"path": absence.file.file_path, "below": absence.below, "at": absence.at, "sections": sections}


_VALUES: Mapping[type[Record], Callable[[Any], dict[str, Any]]] = {
    Project: _project_values,
    ExportedEntry: _entry_values,
    DeletedEntry: lambda deleted: {"number": deleted.number, "history": _change_values(deleted.history)},
    ImportedSource: ImportedSource._asdict,
    Absence: _absence_values,
    DeletedSection: DeletedSection._asdict,
}


class NumberedRecord(NamedTuple):
    """A record and its line in the file, from 2."""

    line: int
    record: Record


def is_export(beginning: bytes) -> bool:
    """Return whether a file that begins like this is an export, whole or damaged; other formats have no type or format."""
    head = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().replace(b" ", b"")
    return head.startswith(b'{"type":') or (head.startswith(b"{") and b'"format":"hardwon"' in head)


def read_header(file: BinaryIO) -> ExportHeader:
    """
    Read the first line of an export.

    Raises:
        InvalidEntryError: it is no header, or of a version that this program does not know.
    """
    return _header(next(_numbered_lines(file), (1, b""))[1])


def read_records(file: BinaryIO) -> Iterator[NumberedRecord]:
    """
    Yield the records of an export, read from its beginning.

    Raises:
        InvalidEntryError: a line is no record, or there are fewer or more of them than the header says; the message
            names the line.
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
                f"it ends at line {line} with {found[name]} of {count} lines of type {name!r}: it was cut off or"
                " changed; export again"
            )


def _numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise InvalidEntryError(f"line {number}: it is longer than {LONGEST_LINE} bytes (64 MB)")
        if text.strip():
            yield number, text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text


def _header(text: bytes) -> ExportHeader:
    try:
        _ensure_version(_Versioned.model_validate_json(text).version)
        return ExportHeader.model_validate_json(text)
    except ValidationError as error:
        raise InvalidEntryError(f"line 1: it is no header of an export: {_first_problem(error)}") from error


def _ensure_version(found: int) -> None:
    if found != VERSION:
        raise InvalidEntryError(
            f"line 1: the export has version {found}, this hardwon reads {VERSION}: upgrade hardwon"
        )


def _record(text: bytes, projects: set[str | None]) -> Record:
    """Return the record of a line; the ids of *projects* were in earlier ones, and that of a project is added."""
    try:
        name = _Typed.model_validate_json(text).type
        if name not in _MODELS:
            raise InvalidEntryError(f"the type {name[:80]!r} is unknown: use one of {', '.join(_MODELS)}")
        line = _MODELS[name].model_validate_json(text)
    except ValidationError as error:
        raise InvalidEntryError(_first_problem(error)) from error
    record = line.record()
    if location := location_of(record):
        _ensure_sound(location, projects)
    if isinstance(record, Project):
        projects.add(record.id)
    return record


def _ensure_sound(location: Location, projects: set[str | None]) -> None:
    """Check that a path is absolute, or lies below a project of an earlier line."""
    path, below = location
    if below not in projects:
        raise InvalidEntryError(f"below is {str(below)[:80]!r}: no earlier line is a project of that id")
    if below is not None and (os.path.isabs(path) or os.path.normpath(path).split("/")[0] in {"..", "."}):
        raise InvalidEntryError(f"the path {path[:200]!r} does not lie below its project")
    if below is None and not (os.path.isabs(path) or path.startswith("#")):
        raise InvalidEntryError(f"the path {path[:200]!r} is not absolute: give the project that it is below")


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"]))
    text = problem["msg"].replace(" at line 1 column ", " at column ")
    return " ".join(f"{place}: {text}".removeprefix(": ").split())[:200]
