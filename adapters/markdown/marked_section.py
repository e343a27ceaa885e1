"""
Write the marked section of a user's file.

It lies between two marker lines; all other text is the user's.
"""

import os
import re
from typing import NamedTuple

from hardwon.adapters.markdown.whole_files import (
    is_read_only,
    read_regular_file,
    reason,
    replace_file,
    rewrite_file,
)
from hardwon.domain.model.errors import InvalidSectionError, UnreadableFileError

BEGIN = "<!-- hardwon:begin -->"
END = "<!-- hardwon:end -->"

_MARKER = re.compile(r"<!--(?=\s*hardwon:(?:begin|end)\s*-->)", re.IGNORECASE)
_AROUND = " \t\r\ufeff"
"""Characters allowed beside a marker on its line, the byte order mark among them."""


class _Line(NamedTuple):
    """A line with its end, and its span in the document."""

    start: int
    end: int
    text: str


def with_section(document: str, text: str) -> str:
    """
    Replace the text between the markers of *document* (idempotent).

    All other text stays character by character. Missing markers are appended, unless *text* is
    empty.

    Args:
        document: The text of the file; its lines end in CRLF or in a newline.
        text: If empty, only the markers stay; markers in it are escaped.

    Raises:
        InvalidSectionError: the markers are not one of each, in order.
    """
    begins, ends = _lines_of(document, BEGIN), _lines_of(document, END)
    if not begins and not ends:
        return _appended(document, text) if text else document
    if (len(begins), len(ends)) != (1, 1):
        raise InvalidSectionError(
            f"it has {len(begins)} lines {BEGIN} and {len(ends)} lines {END}: leave one of each"
        )
    [begin], [end] = begins, ends
    if begin.end > end.start:
        raise InvalidSectionError(
            f"{END} stands before {BEGIN}: put them in order, or remove both lines"
        )
    newline = "\r\n" if begin.text.endswith("\r\n") else "\n"
    return f"{document[: begin.end]}{_own(text, newline)}{document[end.start :]}"


def _appended(document: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in document else "\n"
    ended = document if not document or document.endswith("\n") else f"{document}{newline}"
    gap = (
        newline if document.strip() and not ended.endswith((f"{newline}{newline}", "\n\n")) else ""
    )
    return f"{ended}{gap}{BEGIN}{newline}{_own(text, newline)}{END}{newline}"


def _own(text: str, newline: str) -> str:
    lines = _MARKER.sub("&lt;!--", text).replace("\r\n", "\n").removesuffix("\n")
    return f"{lines}\n".replace("\n", newline) if lines else ""


def _lines_of(document: str, marker: str) -> list[_Line]:
    found = re.finditer(
        rf"^[{_AROUND}]*{re.escape(marker)}[{_AROUND}]*(?:\n|\Z)", document, re.MULTILINE
    )
    return [_Line(*match.span(), match[0]) for match in found]


MAX_BYTES = 16 * 1024 * 1024
READABLE_BY_ALL = 0o644


class _Present(NamedTuple):
    """The present text, and the file's facts, None without a file."""

    text: str = ""
    facts: os.stat_result | None = None


class MarkedFile:
    """
    A user's file with a marked section, where links are followed.

    Args:
        path: Need not exist; its folder must.
        target: The known target of its links.
    """

    def __init__(self, path: str, target: str = "") -> None:
        self._path = path
        self._target = target or os.path.realpath(path)

    def put(self, text: str) -> bool:
        """
        Write *text* into the marked section atomically.

        Return whether it changed.

        Raises:
            InvalidSectionError: the markers are not one of each, in order; the file was not
                changed.
        """
        try:
            present = self._read()
            changed = with_section(present.text, text)
            if changed == present.text:
                return False
            self._write(changed, present)
        except InvalidSectionError as error:
            raise InvalidSectionError(f"{self._path}: {error}") from error
        except (OSError, ValueError) as error:
            raise UnreadableFileError(f"{self._path}: {reason(error)}") from error
        return True

    def _read(self) -> _Present:
        try:
            data, facts = read_regular_file(self._target, MAX_BYTES)
        except FileNotFoundError:
            return _Present()
        if len(data) > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MB")
        if b"\0" in data:
            raise ValueError("not a text file")
        try:
            return _Present(data.decode(), facts)
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 text at byte {error.start}") from error

    def _write(self, text: str, present: _Present) -> None:
        if present.facts is None:
            replace_file(self._target, text, READABLE_BY_ALL)
            return
        if is_read_only(self._target, present.facts):
            raise ValueError("read-only: allow writing, or choose another file")
        rewrite_file(self._target, text, present.facts)
