"""An export of a store, as a file that can be read twice."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

from hardwon.adapters.export_format.lines import is_export, read_header, read_records
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.export import Record
from hardwon.ports.override import override
from hardwon.ports.transfer import ExportedRecords

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
