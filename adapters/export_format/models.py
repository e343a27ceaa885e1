"""
Models of an export's lines, and the records they become.

The fields of an entry are those of `Entry`, so that a new field is exported and read without a
change here.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import attrs
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, create_model

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
    Record,
)
from hardwon.domain.model.file_state import KEPT, AbsentFile, Standing
from hardwon.domain.model.injection.receipt import How, Influence
from hardwon.domain.model.project import Authorship, Identity, Project, Trust
from hardwon.domain.model.vocabulary import Tier

VERSION = 2
LARGEST_NUMBER = 2**53


def _plain(text: str) -> str:
    if "\0" in text or len(text) > MAX_TEXT_BYTES:
        raise ValueError(
            f"a text may hold no NUL character and at most {MAX_TEXT_BYTES} characters"
        )
    return text


Text = Annotated[str, AfterValidator(_plain)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Number = Annotated[int, Field(ge=1, le=LARGEST_NUMBER)]
Seconds = Annotated[int, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]


class Versioned(BaseModel):
    """The first line of any version."""

    version: int = VERSION


class TypedLine(BaseModel):
    """A line of any type."""

    type: str


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ExportHeader(_Strict):
    """
    The first line of an export.

    Attributes:
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
        """Return the counters of searches and judgements."""
        if self.useful_count > self.validation_count:
            raise InvalidEntryError(
                f"useful_count is {self.useful_count}, above validation_count: lower it"
            )
        return Usage(
            self.access_count,
            self.last_accessed,
            Validations(self.validation_count, self.useful_count),
        )


class _Line(_Strict, ABC):
    type: str

    @abstractmethod
    def record(self) -> Record:
        """Return the record of this line."""


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
        return Project(
            id=self.id,
            label=self.label,
            identity=identity,
            remote=self.remote,
            first_commit=self.first_commit,
            authorship=self.authorship,
            trust=self.trust,
        )


NOT_IN_LINE = {"usage", "number", "entry_id"}
"""Fields of an `Entry` that a line has in another form."""
NARROWER: Mapping[str, Any] = {"file_mtime": Seconds | None, "file_hash": Text | None}


class EntryLine(_Counters, _Line):
    """The fields of an entry's line beside those of `Entry`."""

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
        """Return the entry with its activity."""
        entry = Entry(
            usage=self.usage(),
            number=self.number,
            **{name: getattr(self, name) for name in self.FIELDS},
        )
        if entry.recall_count and entry.last_recalled_at is None:
            raise InvalidEntryError("recall_count needs last_recalled_at")
        return ExportedEntry(
            entry_id=self.id,
            entry=entry,
            below=self.below,
            places=self.places,
            aliases=self.aliases,
            history=_past(self.number, self.history),
            influences=tuple(
                Influence(
                    entry_id=self.id,
                    session_id=use.session_id,
                    how=use.how,
                    phrase=use.phrase,
                    at=use.at,
                )
                for use in self.used_in
            ),
        )


def _entry_line() -> type[_Line]:
    """Return the model of an entry's line: the fields of `Entry`, then its activity."""
    hints = {**get_type_hints(Entry), **NARROWER}
    fields: dict[str, Any] = {
        field.name: (hints[field.name], ... if field.default is attrs.NOTHING else field.default)
        for field in attrs.fields(Entry)
        if field.name in EntryLine.FIELDS
    }
    model: type[_Line] = create_model("EntryLine", __base__=EntryLine, **fields)
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
        return ImportedSource(
            path=self.path, below=self.below, fingerprint=self.fingerprint, headings=self.headings
        )


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
        values = {name: getattr(self, name) for name in KEPT if name != "usage"}
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
        return DeletedSection(
            path=self.path,
            below=self.below,
            anchor_id=self.anchor_id,
            file_hash=self.file_hash,
            at=self.at,
        )


LINES: Mapping[str, type[_Line]] = dict(
    zip(
        RECORD_NAMES.values(),
        (
            _ProjectLine,
            _entry_line(),
            _DeletedEntryLine,
            _SourceLine,
            _AbsentFileLine,
            _DeletedSectionLine,
        ),
        strict=True,
    )
)


def _past(number: int, changes: Iterable[_Change]) -> tuple[PastChange, ...]:
    return tuple(
        PastChange(number=number, field=change.field, old=change.old, new=change.new, at=change.at)
        for change in changes
    )
