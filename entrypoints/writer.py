"""
`hardwon-writer`: store one lesson, given as JSON by an agent.

JSON is checked by hand, as there is no time to import cattrs.
"""

import argparse
import contextlib
import datetime as dt
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from hardwon.domain.model.entry import MAX_TEXT_BYTES, Entry, PublicEntry, redact_entry
from hardwon.domain.model.errors import HardwonError, InvalidEntryError, StorageError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.json_shapes import TEXT, TEXT_OR_NULL, TEXTS, beginning, fits, shown
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, SOURCES
from hardwon.domain.use_cases.edit_entries import ids_meant
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry
from hardwon.domain.use_cases.supersede import KeepInPlace
from hardwon.entrypoints.arguments import USAGE_ERROR, ProjectParser, flags
from hardwon.entrypoints.bootstrap import (
    keep_in,
    name_of,
    present_pause,
    read_settings,
    system_clock,
)
from hardwon.entrypoints.bootstrap_files import with_citations
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import embed_now, label_imports, nearest_to, send_or_warn
from hardwon.entrypoints.presenters.entries import (
    NOT_SUPERSEDED,
    complaints_of_citations,
    complaints_of_gaps,
    complaints_of_keywords,
    complaints_of_length,
    complaints_of_private,
    nearest_lines,
    storing_confirmation,
)
from hardwon.entrypoints.presenters.pauses import refusal
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.entrypoints.streams import (
    NO_FOLDER,
    collect_seldom,
    ignore_empty_home,
    input_bytes,
    is_working_folder_gone,
    never_fail_to_print,
    put_out,
    warn,
)
from hardwon.ports.entries import EntryRepository

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
    "supersedes": TEXT,
}
REQUIRED = ("name", "description", "category")


def entry_from_json(text: str, *, project: str | None, now: dt.datetime) -> Entry:
    """Return the entry that a JSON object describes."""
    return entry_from_fields(fields_from_json(text), project=project, now=now)


def fields_from_json(text: str) -> dict[str, Any]:
    """Return the fields of an entry from a JSON object."""
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
        project: The source project if the fields name none; null there means a universal entry.
        now: When it is learned.
    """
    values: dict[str, Any] = {"source_project": project, **fields}
    values.pop("supersedes", None)
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
            f"the entry {beginning(text)} is not JSON: {error}; --entry-file keeps a shell's quotes"
            " out of it"
        ) from error
    except ValueError as error:
        raise InvalidEntryError(
            f"the entry {beginning(text)} holds a number that is too long: no field takes one"
        ) from error
    if not isinstance(document, dict):
        raise InvalidEntryError(f"the entry is {shown(document)}: it must be a JSON object")
    return document


OK, INVALID, DATABASE = 0, USAGE_ERROR, 2
INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended
LARGEST_JSON = 8 * MAX_TEXT_BYTES

NAME = "hardwon-writer"

SUPERSEDING = "store the same entry again with supersedes: ID"
"""A repeated entry is counted, not stored twice."""

EPILOG = f"""\
the entry is an object with
  name, description           text
  category                    {", ".join(CATEGORIES)}
and, if you like,
  reasoning                   text: why it matters, and how it was found
  keywords, references        lists of text
  confidence                  {", ".join(CONFIDENCES)} (default: medium)
  source                      {", ".join(SOURCES)} (default: manual)
  source_project              text that is displayed (default: the project's name), or null for none
  supersedes                  the number or id of the entry that this one replaces

exit codes: 0 stored, 1 the entry or an argument is not valid, 2 the store can't be written"""


def main() -> None:
    """Run the writer and leave with its exit code."""
    collect_seldom()
    never_fail_to_print()
    ignore_empty_home()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        gone = is_working_folder_gone()
        code = (
            _failed(NO_FOLDER, INVALID) if gone else _failed(error.strerror or str(error), DATABASE)
        )
    except Exception as error:  # noqa: BLE001  # no agent ever sees a traceback
        from hardwon.entrypoints.unforeseen import log_unforeseen  # rarely needed

        code = _failed(log_unforeseen(NAME, error), DATABASE)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """
    Store one entry and return the exit code.

    It is 0 if stored, 1 if invalid, 2 if the store failed.
    """
    options = _parser().parse(arguments)
    try:
        resolved = read_settings(options.project_root, flags(options))
        for warning in resolved.warnings:
            warn(warning)
        if not resolved.settings.semantic_enabled:
            print(
                "Skipped: memory_semantic_enabled is not true, nothing is written to the database"
            )
            return OK
        if pause := present_pause(resolved.settings.global_store, system_clock().now()):
            raise StorageError(refusal(pause))
        fields = fields_from_json(_read(options))
        project = name_of(options.project_root) or None
        entry = entry_from_fields(fields, project=project, now=system_clock().now())
        for line in complaints_of_private(entry.name, entry.description, entry.reasoning):
            warn(line)
        public = redact_entry(entry)  # before a store is made: nothing may be left of it
        _store(public, fields, settings=resolved.settings, options=options)
    except InvalidEntryError as error:
        return _failed(error, INVALID)
    except HardwonError as error:
        return _failed(error, DATABASE)
    return OK


def _store(
    entry: PublicEntry, fields: Mapping[str, Any], settings: Settings, options: argparse.Namespace
) -> None:

    def keep(memory: Memory) -> tuple[StoredEntry, Workplace]:
        here = read_workplace(memory, options.project_root)
        origin = Origin(here, "writer", "home" if options.here else "everywhere")
        if memory.away and "supersedes" in fields:
            raise InvalidEntryError(NOT_SUPERSEDED.format(memory.away))
        replaced = _replaced(memory.repository, fields.get("supersedes"))
        kept = with_citations(entry, options.project_root)
        return KeepInPlace.on(memory.store, memory.clock, origin).keep(kept, replaced), here

    memory, (stored, here) = keep_in(settings, warn, keep)
    with contextlib.closing(memory):
        _report(stored, fields.get("keywords", ()))
        send_or_warn(memory, options.project_root)
        for problem in embed_now(memory.spaces):
            warn(problem)
        _confirm(
            stored.entry, nearest_lines(nearest_to(memory.spaces, stored.entry, here), SUPERSEDING)
        )
        label_imports(memory.store, memory.settings)


def _replaced(repository: EntryRepository, reference: str | None) -> str | None:
    if reference is None:
        return None
    if len(ids := ids_meant(repository, reference)) != 1:
        raise InvalidEntryError(
            f"supersedes is {shown(reference)}: it names {'several entries' if ids else 'no entry'}"
        )
    return ids.pop()


def _parser() -> ProjectParser:
    parser = ProjectParser(NAME, "Keep one lesson, given as JSON.", EPILOG)
    parser.add_argument(
        "--action",
        choices=["upsert"],
        required=True,
        help="add the entry, or count a known one again",
    )
    entry = parser.add_mutually_exclusive_group(required=True)
    entry.add_argument("--entry-json", metavar="JSON", help="the entry")
    parser.add_argument("--here", action="store_true", help="show it in this project only")
    entry.add_argument(
        "--entry-file", metavar="PATH", help=("a file with the entry, - for standard input")
    )
    return parser


def _read(options: argparse.Namespace) -> str:
    if options.entry_json is not None:
        return str(options.entry_json)
    try:
        data = _bytes(options.entry_file)
    except OSError as error:
        raise InvalidEntryError(
            f"--entry-file {options.entry_file!r}: {error.strerror or error}"
        ) from error
    if len(data) > LARGEST_JSON:
        raise InvalidEntryError(
            f"--entry-file {options.entry_file!r} is longer than {LARGEST_JSON} bytes: shorten it"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidEntryError(
            f"--entry-file {options.entry_file!r} is not UTF-8: {error}"
        ) from error


def _bytes(path: str) -> bytes:
    if path == "-":
        return input_bytes().read(LARGEST_JSON + 1)
    with open(path, "rb") as file:
        return file.read(LARGEST_JSON + 1)


def _report(stored: StoredEntry, keywords: Sequence[str]) -> None:
    entry = stored.entry
    _confirm(entry, storing_confirmation(stored))
    complaints = (
        complaints_of_keywords(keywords, entry),
        complaints_of_length(entry),
        complaints_of_gaps(entry),
        complaints_of_citations(entry),
    )
    for line in chain(*complaints):
        warn(line)


def _confirm(entry: Entry, lines: Sequence[str]) -> None:
    if lines and (problem := put_out("\n".join(lines))):
        warn(f"stored as {entry.entry_id}, but standard output can't be written: {problem}")


def _failed(error: HardwonError | str, code: int) -> int:
    print(f"{NAME}: {on_one_line(str(error))}", file=sys.stderr)
    return code
