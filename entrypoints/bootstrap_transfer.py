"""Files that a person names on the command line: texts, indexes of older programs, marked sections, watched folders."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.durable import written_output
from hardwon.adapters.markdown.document_format import FrontValue
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown
from hardwon.adapters.markdown.source_files import NOT_STORABLE, is_storable, is_within
from hardwon.adapters.markdown.whole_files import read_regular_file, reason
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.entrypoints.streams import LARGEST_TEXT, decoded

if TYPE_CHECKING:
    from typing import BinaryIO

    from hardwon.domain.model.embedding import Vector
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.export import Record
    from hardwon.domain.model.legacy_index import IndexedMemory, OlderDocument
    from hardwon.domain.use_cases.export_store import ExportStore
    from hardwon.domain.use_cases.import_store import ImportStore
    from hardwon.entrypoints.bootstrap import Memory

__all__ = [
    "NOT_STORABLE",
    "STANDARD_STREAM",
    "ExportFile",
    "FrontValue",
    "build_import_store",
    "count_exported",
    "export_lines",
    "is_storable",
    "is_within",
    "older_index_path",
    "open_export",
    "put_section",
    "read_index",
    "read_markdown",
    "read_older_index",
    "read_text",
    "render_index",
    "watch_files",
    "write_export_folder",
    "write_lines",
    "write_markdown",
]

STANDARD_STREAM = "-"
LONGEST_BEGINNING = 4096
"""Bytes of a file by which its format is known."""


def read_text(path: str, what: str) -> str:
    """
    Return the text of the file at *path*, which messages call *what*.

    Raises:
        InvalidEntryError: it can't be read, is longer than 4 MB, or not UTF-8.
    """
    try:
        data = read_regular_file(path, LARGEST_TEXT).data
    except (OSError, ValueError) as error:
        raise InvalidEntryError(f"{what} {path!r}: {reason(error)}") from error
    return decoded(data, f"{what} {path!r}")


def put_section(path: str, target: str, text: str) -> bool:
    """
    Bring *text* into the marked section of a file, whose links lead to *target*; tell whether the file had to change.

    Raises:
        UnreadableFileError: it can't be read as UTF-8 text, or can't be written.
        InvalidSectionError: its markers are not one of each, in order.
    """
    from hardwon.adapters.markdown.marked_section import MarkedFile

    return MarkedFile(path, target).put(text)


def watch_files(project_root: str, roots: Sequence[str], leaving: threading.Event) -> Iterator[None]:
    """
    Yield as soon as the project's memory and *roots* are watched, and whenever files there may have changed.

    Raises:
        UnreadableFileError: the system does not let them be watched.
    """
    from hardwon.adapters.markdown.watcher import MarkdownWatcher  # brings a compiled library

    return MarkdownWatcher(project_root, roots).changes(leaving)


def older_index_path(project_root: str, warn: Callable[[str], None]) -> str | None:
    """
    Return the index of an older program that the project's `config.jsonc` names, if it is a file inside the project.

    *warn* is called with one line about one that is elsewhere.
    """
    from hardwon.adapters.config.files import older_index_path

    return older_index_path(project_root, warn)


def read_older_index(path: str, project_root: str) -> "list[OlderDocument]":
    """
    Return the documents of a `memory-index.sqlite`.

    Raises:
        InvalidEntryError: it can't be read, or is no such index.
    """
    from hardwon.adapters.sqlite.older_index import read_older_index

    return read_older_index(path, project_root)


def read_index(path: str) -> "list[IndexedMemory] | None":
    """
    Return the memories of a `memory-index.json`; None for a database.

    Raises:
        UnreadableFileError: the file can't be read.
        InvalidEntryError: it is no such index.
    """
    from hardwon.adapters.legacy_index import LARGEST_FILE, read_memory_index
    from hardwon.adapters.sqlite.older_index import is_sqlite

    try:
        data = read_regular_file(path, LARGEST_FILE).data  # a byte too many of one that is too long
    except (OSError, ValueError) as error:
        raise UnreadableFileError(reason(error)) from error
    return None if is_sqlite(data) else read_memory_index(data)


def render_index(sessions: "Iterable[tuple[Entry, Vector | None]]", *, ascii_only: bool = False) -> str:
    """Return *sessions* and their vectors as a `memory-index.json`."""
    from hardwon.adapters.legacy_index import write_memory_index

    return write_memory_index(sessions, ascii_only=ascii_only)


@contextlib.contextmanager
def open_export(path: str) -> "Iterator[BinaryIO | None]":
    """
    Yield the export of a store at *path*, `-` for standard input, to be read more than once; None for another format.

    Raises:
        UnreadableFileError: it can't be read.
        InvalidEntryError: standard input is something else.
    """
    from hardwon.adapters.export_format.lines import is_export

    if path != STANDARD_STREAM and not os.path.isfile(path):
        yield None
        return
    with _standard_input() if path == STANDARD_STREAM else _opened(path) as file:
        beginning = file.read(LONGEST_BEGINNING)
        if path == STANDARD_STREAM and not is_export(beginning):
            raise InvalidEntryError("standard input is no export of hardwon: its first line is no header")
        yield file if is_export(beginning) else None


def _opened(path: str) -> "BinaryIO":
    try:
        return open(path, "rb")
    except OSError as error:
        raise UnreadableFileError(reason(error)) from error


@contextlib.contextmanager
def _standard_input() -> "Iterator[BinaryIO]":
    """Yield all of standard input as a file that has no name and goes away when it is closed."""
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.seek(0)
        yield file


class ExportFile:
    """
    An export that can be read more than once.

    Raises:
        InvalidEntryError: its first line is no header, or of a version that is not known.
    """

    def __init__(self, file: "BinaryIO") -> None:
        from hardwon.adapters.export_format.lines import read_header

        self._file = file
        file.seek(0)
        self.count = sum(read_header(file).counts.values())

    def records(self) -> "Iterator[tuple[int, Record]]":
        """
        Yield the records, each with its line.

        Raises:
            InvalidEntryError: a line is no record, or some are missing; the message names the line.
        """
        from hardwon.adapters.export_format.lines import read_records

        self._file.seek(0)
        return read_records(self._file)


def count_exported(memory: "Memory") -> int:
    """Return the number of records that an export of the whole store has."""
    return sum(_build_export(memory).counts().values())


def export_lines(memory: "Memory", hardwon: str) -> "Generator[bytes]":
    """Yield the lines of an export of the whole store, in one state, the header first."""
    from hardwon.adapters.export_format.lines import header_line, record_line

    export = _build_export(memory)
    with export.contents.snapshot():
        yield header_line(hardwon, memory.clock.now(), export.counts())
        for record in export.records():
            yield record_line(record)


def write_export_folder(memory: "Memory", path: str, *, replace: bool) -> int:
    """
    Write the entries of the store as markdown into a folder; return their number.

    Raises:
        UnreadableFileError: it can't be written, or holds something and *replace* is false; nothing was changed.
    """
    from hardwon.adapters.markdown.readable_export import write_entries, written_folder
    from hardwon.domain.model.export import ExportedEntry

    export = _build_export(memory)
    with _translated(), export.contents.snapshot(), written_folder(os.path.realpath(path), replace=replace) as folder:
        entries = (record.entry for record in export.contents.records() if isinstance(record, ExportedEntry))
        return write_entries(folder, entries, export.registry.labels(), memory.clock.now())


def write_lines(path: str, lines: "Iterable[bytes]", *, replace: bool) -> None:
    """
    Write *lines* to the file at *path*, whole or not at all, for the user alone.

    Raises:
        UnreadableFileError: it can't be written, or is there and *replace* is false.
    """
    with _translated(), written_output(path, replace=replace) as file:
        file.writelines(lines)


@contextlib.contextmanager
def _translated() -> "Iterator[None]":
    try:
        yield
    except FileExistsError as error:
        raise UnreadableFileError("it is there already: give another name, or --force to replace it") from error
    except (OSError, ValueError) as error:
        raise UnreadableFileError(reason(error)) from error


def _build_export(memory: "Memory") -> "ExportStore":
    from hardwon.domain.use_cases.export_store import ExportStore
    from hardwon.entrypoints.bootstrap_projects import registry_of

    return ExportStore(memory.store.contents, registry_of(memory))


def build_import_store(memory: "Memory") -> "ImportStore":
    """Import an export of a store."""
    from hardwon.domain.use_cases.import_store import ImportStore
    from hardwon.entrypoints.bootstrap_projects import build_know_projects, identify

    contents = memory.store.contents
    return ImportStore(memory.repository, contents, build_know_projects(memory), identify, memory.clock)
