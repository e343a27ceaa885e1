"""An entry as the JSON that agents write, checked by hand: the writer has no time to import cattrs."""

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.json_shapes import TEXT, TEXT_OR_NULL, TEXTS, beginning, fits, shown

FIELDS = {
    "name": TEXT,
    "description": TEXT,
    "category": TEXT,
    "reasoning": TEXT,
    "keywords": TEXTS,
    "references": TEXTS,
    "confidence": TEXT,
    "source": TEXT,
    "source_project": TEXT_OR_NULL,
}
REQUIRED = ("name", "description", "category")


def entry_from_json(text: str, *, project: str | None, now: dt.datetime) -> Entry:
    """
    Return the entry that *text*, a JSON object, describes.

    Raises:
        InvalidEntryError: `fields_from_json` or `entry_from_fields` says why.

    """
    return entry_from_fields(fields_from_json(text), project=project, now=now)


def fields_from_json(text: str) -> dict[str, Any]:
    """
    Return the fields of an entry that *text*, a JSON object, gives.

    Raises:
        InvalidEntryError: it is no JSON object, or a field is unknown, missing or of the wrong type.

    """
    fields = _object(text)
    for name in fields.keys() - FIELDS.keys():
        raise InvalidEntryError(f"unknown field {beginning(name)}: use {', '.join(FIELDS)}")
    for name in REQUIRED:
        if name not in fields:
            raise InvalidEntryError(f"{name} is missing: an entry needs {', '.join(REQUIRED)}")
    for name, value in fields.items():
        if not fits(FIELDS[name], value):
            raise InvalidEntryError(f"{name} is {shown(value)}: it must be {FIELDS[name]}")
    return fields


def entry_from_fields(fields: Mapping[str, Any], *, project: str | None, now: dt.datetime) -> Entry:
    """
    Return the entry of checked *fields*.

    Args:
        fields: As `fields_from_json` returns them.
        project: Where the entry comes from when they do not say; None in them means a universal entry.
        now: When it is learned.

    Raises:
        InvalidEntryError: a field breaks a rule.

    """
    values: dict[str, Any] = {"source_project": project, **fields}
    for name in ("keywords", "references"):
        values[name] = tuple(values.get(name, ()))
    return Entry(**values, created_at=now, updated_at=now)


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        raise InvalidEntryError("the entry is empty: it must be a JSON object")
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise InvalidEntryError(
            f"the entry {beginning(text)} is nested too deeply: an entry is a flat JSON object"
        ) from error
    except json.JSONDecodeError as error:
        raise InvalidEntryError(
            f"the entry {beginning(text)} is not JSON: {error}; --entry-file keeps a shell's quotes out of it"
        ) from error
    except ValueError as error:
        raise InvalidEntryError(
            f"the entry {beginning(text)} holds a number that is too long: no field takes one"
        ) from error
    if not isinstance(document, dict):
        raise InvalidEntryError(f"the entry is {shown(document)}: it must be a JSON object")
    return document
