"""`hardwon-writer`: keep one lesson, given as JSON by an agent."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from itertools import chain

from hardwon.adapters.config.reader import read_settings
from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_checks import MAX_TEXT_BYTES
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.errors import HardwonError, InvalidEntryError
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, SOURCES
from hardwon.domain.use_cases.keeping.store_entry import Stored
from hardwon.entrypoints.arguments import USAGE_ERROR, ProjectParser, flags
from hardwon.entrypoints.composition import open_memory
from hardwon.entrypoints.entry_json import entry_from_fields, fields_from_json
from hardwon.entrypoints.filling import label_imports
from hardwon.entrypoints.storing import (
    complaints_of_gaps,
    complaints_of_keywords,
    complaints_of_length,
    confirmation,
    embed_now,
)
from hardwon.entrypoints.streams import never_fail_to_print, on_one_line, put_out, warn
from hardwon.entrypoints.workplace import name_of

OK, INVALID, DATABASE = 0, USAGE_ERROR, 2
INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended
LARGEST_JSON = 8 * MAX_TEXT_BYTES

EPILOG = f"""\
the entry is an object with
  name, description           text
  category                    {", ".join(CATEGORIES)}
and, if you like,
  reasoning                   text: why it matters, and how it was found
  keywords, references        lists of text
  confidence                  {", ".join(CONFIDENCES)} (default: medium)
  source                      {", ".join(SOURCES)} (default: manual)
  source_project              text (default: the project's name), or null for a lesson of all projects

exit codes: 0 stored, 1 the entry or an argument is not valid, 2 the store can't be written"""


def main() -> None:
    """Run the writer and leave with its exit code."""
    never_fail_to_print()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Store one entry; return 0 when it is stored, 1 when it is not valid, 2 when the store failed."""
    options = _parser().parse(arguments)
    resolved = read_settings(options.project_root, os.environ, flags(options))
    for warning in resolved.warnings:
        warn(warning)
    if not resolved.settings.semantic_enabled:
        print("Skipped: memory_semantic_enabled is not true, nothing is written to the database")
        return OK
    try:
        fields = fields_from_json(_read(options))
        entry = entry_from_fields(fields, project=name_of(options.project_root) or None, now=SystemClock().now())
        _store(
            redact_entry(entry), fields.get("keywords", ()), resolved.settings
        )  # before a store is made: nothing may be left of it
    except InvalidEntryError as error:
        return _failed(error, INVALID)
    except HardwonError as error:
        return _failed(error, DATABASE)
    return OK


def _store(entry: Entry, keywords: Sequence[str], settings: Settings) -> None:
    memory = open_memory(settings, warn)
    with contextlib.closing(memory.database):
        _report(memory.store_entry(entry), keywords)
        for trouble in embed_now(memory):
            warn(trouble)
        label_imports(memory)


def _parser() -> ProjectParser:
    parser = ProjectParser("hardwon-writer", "Keep one lesson, given as JSON.", EPILOG)
    parser.add_argument("--action", choices=["upsert"], required=True, help="add the entry, or count it once more")
    entry = parser.add_mutually_exclusive_group(required=True)
    entry.add_argument("--entry-json", metavar="JSON", help="the entry")
    entry.add_argument("--entry-file", metavar="PATH", help="a file that holds it, - for standard input")
    return parser


def _read(options: argparse.Namespace) -> str:
    if options.entry_json is not None:
        return str(options.entry_json)
    try:
        data = _bytes(options.entry_file)
    except OSError as error:
        raise InvalidEntryError(f"--entry-file {options.entry_file!r}: {error.strerror or error}") from error
    if len(data) > LARGEST_JSON:
        raise InvalidEntryError(f"--entry-file {options.entry_file!r} is longer than {LARGEST_JSON} bytes: shorten it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"--entry-file {options.entry_file!r} is not UTF-8: {error}") from error


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(LARGEST_JSON + 1) if sys.stdin else b""
    with open(path, "rb") as file:
        return file.read(LARGEST_JSON + 1)


def _report(stored: Stored, keywords: Sequence[str]) -> None:
    entry = stored.entry
    if trouble := put_out("\n".join(confirmation(stored))):
        warn(f"stored as {entry.entry_id}, but standard output can't be written: {trouble}")
    complaints = complaints_of_keywords(keywords, entry), complaints_of_length(entry), complaints_of_gaps(entry)
    for line in chain(*complaints):
        warn(line)


def _failed(error: HardwonError, code: int) -> int:
    print(f"hardwon-writer: {on_one_line(str(error))}", file=sys.stderr)
    return code
