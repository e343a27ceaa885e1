"""The part of a file that is ours: what stands between two lines. All other text is the user's."""

import re
from typing import NamedTuple

from hardwon.domain.model.errors import InvalidSectionError

BEGIN = "<!-- hardwon:begin -->"
END = "<!-- hardwon:end -->"

_MARKER = re.compile(r"<!--(?=\s*hardwon:(?:begin|end)\s*-->)", re.IGNORECASE)
_AROUND = " \t\r\ufeff"
"""What a marker's line may hold besides: a byte order mark too."""


class _Line(NamedTuple):
    """A line, as Python slices it out of its text; its end is part of it."""

    start: int
    end: int
    text: str


def with_section(document: str, text: str) -> str:
    """
    Return *document* with *text* between its markers, all else as it was, character by character.

    Without markers they are put at its end, unless there is nothing to put. Doing it twice changes nothing more.

    Args:
        document: What the file holds; its lines end in CRLF or in a newline.
        text: May be empty, which leaves the markers alone; its own markers are defused.

    Raises:
        InvalidSectionError: the markers are not one of each, in order.

    """
    begins, ends = _lines_of(document, BEGIN), _lines_of(document, END)
    if not begins and not ends:
        return _appended(document, text) if text else document
    if (len(begins), len(ends)) != (1, 1):
        raise InvalidSectionError(f"it has {len(begins)} lines {BEGIN} and {len(ends)} lines {END}: leave one of each")
    [begin], [end] = begins, ends
    if begin.end > end.start:
        raise InvalidSectionError(f"{END} stands before {BEGIN}: put them in order, or remove both lines")
    newline = "\r\n" if begin.text.endswith("\r\n") else "\n"
    return f"{document[: begin.end]}{_own(text, newline)}{document[end.start :]}"


def _appended(document: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in document else "\n"
    ended = document if not document or document.endswith("\n") else f"{document}{newline}"
    gap = newline if document.strip() and not ended.endswith((f"{newline}{newline}", "\n\n")) else ""
    return f"{ended}{gap}{BEGIN}{newline}{_own(text, newline)}{END}{newline}"


def _own(text: str, newline: str) -> str:
    """Return *text* with the file's line ends, the last line ended, its markers defused."""
    lines = _MARKER.sub("&lt;!--", text).replace("\r\n", "\n").removesuffix("\n")
    return f"{lines}\n".replace("\n", newline) if lines else ""


def _lines_of(document: str, marker: str) -> list[_Line]:
    """Return the lines that hold *marker* alone."""
    found = re.finditer(rf"^[{_AROUND}]*{re.escape(marker)}[{_AROUND}]*(?:\n|\Z)", document, re.MULTILINE)
    return [_Line(*each.span(), each[0]) for each in found]
