"""Lines of a text file, each of them checked, whatever the file really is."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from typing import Any

from hardwon.domain.model.errors import InvalidEvaluationError

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes; the longest text that can be stored fits, escaped."""

MOST_UNPACKED = 1024 * 1024 * 1024
"""Bytes that a gzip file may unpack to: 1 GB, as a few kilobytes can hold any amount."""

COMPRESSED = ".gz"


class Place:
    """
    Where in a file something stands.

    Args:
        path: The file.
        number: The line, from 1; 0 for the file as a whole.

    """

    def __init__(self, path: str, number: int = 0) -> None:
        self.path = path
        self.number = number

    def refuse(self, reason: str) -> InvalidEvaluationError:
        """Return the error that says why what stands here can't be used."""
        line = f" line {self.number}" if self.number else ""
        return InvalidEvaluationError(f"{self.path}{line}: {reason}")


def read_lines(path: str) -> Iterator[tuple[Place, str]]:
    """
    Yield the lines of a file that are not blank, without their ends, each with its place.

    A file whose name ends in `.gz` is unpacked line by line.

    Raises:
        InvalidEvaluationError: the file can't be read, is no UTF-8 text, or has a line of over 16 MB; or it is no whole
            gzip file, or unpacks to over 1 GB.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe would wait for ever
        raise Place(path).refuse("is not a file")
    try:
        with _opened(path) as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if path.endswith(COMPRESSED) and file.tell() > MOST_UNPACKED:
                    raise Place(path).refuse(f"unpacks to over {MOST_UNPACKED} bytes: unpack it first if it is yours")
                if text := _decoded(Place(path, number), line).strip("\r\n"):
                    yield Place(path, number), text
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Place(path).refuse(f"is no gzip file, or damaged ({error})") from error
    except OSError as error:
        raise Place(path).refuse(error.strerror or str(error)) from error


def read_whole(path: str) -> str:
    """
    Return the lines of a file that are not blank as one text.

    Raises:
        InvalidEvaluationError: as `read_lines` has it.
    """
    return "\n".join(line for _, line in read_lines(path))


def read_objects(path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """
    Yield the JSON objects of a file, one a line, each with its place.

    Raises:
        InvalidEvaluationError: as `read_lines` has it, or a line is no JSON object.
    """
    for place, line in read_lines(path):
        yield place, parse_object(place, line)


def parse_object(place: Place, text: str) -> dict[str, Any]:
    """
    Return the JSON object that *text* is.

    Raises:
        InvalidEvaluationError: it is none.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise place.refuse(f"is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise place.refuse(f"is {_shortened(document)}, not a JSON object")
    return document


def text_of(place: Place, document: dict[str, Any], field: str, *, optional: bool = False) -> str:
    """
    Return a field that holds a text; an optional one that is missing or null is empty.

    Raises:
        InvalidEvaluationError: it is missing, no text, or a text that can't be stored.
    """
    value = document.get(field)
    if value is None and optional:
        return ""
    if not isinstance(value, str):
        found = f"is {_shortened(value)}" if field in document else "is missing"
        raise place.refuse(f"{field} {found}: it must be a text")
    if "\0" in value:
        raise place.refuse(f"{field} holds a NUL character at position {value.index(chr(0))}: remove it")
    if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
        raise place.refuse(f"{field} holds half a surrogate pair: it is not valid text")
    return value


def _opened(path: str) -> io.BufferedIOBase:
    return gzip.open(path) if path.endswith(COMPRESSED) else open(path, "rb")


def _decoded(place: Place, line: bytes) -> str:
    if len(line) > LONGEST_LINE:
        raise place.refuse(f"has over {LONGEST_LINE} bytes (16 MB): is this the right file?")
    try:
        return line.decode("utf-8-sig" if place.number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise place.refuse(f"is not UTF-8 text (byte {error.start + 1}): is this the right file?") from error


def _shortened(value: object) -> str:
    return repr(value)[:40]
