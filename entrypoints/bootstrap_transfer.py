"""Files that a person names on the command line: texts, indexes of older programs, marked sections, watched folders."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.markdown.document_format import FrontValue
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown
from hardwon.adapters.markdown.source_files import NOT_STORABLE, is_storable, is_within
from hardwon.adapters.markdown.whole_files import read_regular_file, reason, replace_file
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.entrypoints.streams import LARGEST_TEXT, decoded

if TYPE_CHECKING:
    from hardwon.domain.model.embedding import Vector
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.legacy_index import IndexedMemory, OlderDocument

__all__ = [
    "NOT_STORABLE",
    "FrontValue",
    "is_storable",
    "is_within",
    "older_index_path",
    "put_section",
    "read_index",
    "read_markdown",
    "read_older_index",
    "read_text",
    "render_index",
    "watch_files",
    "write_file",
    "write_markdown",
]


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


def write_file(path: str, text: str) -> None:
    """
    Write *text* to *path*, in place of the file that is there, whole or not at all.

    Raises:
        UnreadableFileError: it can't be written.
    """
    try:
        replace_file(os.path.realpath(path), text)
    except (OSError, ValueError) as error:
        raise UnreadableFileError(reason(error)) from error


def put_section(path: str, text: str) -> bool:
    """
    Bring *text* into the marked section of a file; tell whether the file had to change.

    Raises:
        UnreadableFileError: it can't be read as UTF-8 text, or can't be written.
        InvalidSectionError: its markers are not one of each, in order.
    """
    from hardwon.adapters.markdown.marked_section import MarkedFile

    return MarkedFile(path).put(text)


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
