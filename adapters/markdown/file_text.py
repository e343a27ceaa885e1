"""
Decode the bytes of a user's file, and detect conflict markers in it.

They are UTF-8, UTF-16 with its mark, or Windows-1252, which includes Latin-1.

A text is conflicted if it has the lines `<<<<<<< label`, `=======` and `>>>>>>>` label in that
order, with any text between them: the base of a diff3 conflict, half a code block. A set that is
wholly in one code block or comment counts as an example, so a real conflict there is missed.
Standard library only, for the hook.
"""

import codecs
import re
from typing import NamedTuple

from hardwon.domain.model.plain_text import COMMENT_OR_FENCE
from hardwon.domain.model.text import with_newlines

WINDOWS, UTF_16 = "Windows-1252", "UTF-16"
MARKS_OF_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARKS_OF_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
UNKNOWN = "its text is in no known encoding: save it as UTF-8"

_NOT_ASCII = re.compile(r"[^\x00-\x7f\udc80-\udcff]")
_STRAY = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")

MAX_STRAY = 0.4
"""The maximum share of bytes that are not ASCII in a Western European text."""


class FileText(NamedTuple):
    """
    The text of a file.

    Attributes:
        text: Without a byte order mark; line ends as they are.
        note: A clause about an encoding other than UTF-8, with the way out; empty for UTF-8.
    """

    text: str
    note: str = ""


def decode_file(data: bytes) -> FileText:
    r"""
    Decode *data* without replacing a byte.

    Stray bytes in UTF-8 are read as Windows-1252.

    Raises:
        ValueError: it is none of these encodings; the message says so.

    Examples:
        >>> decode_file(b"Pr\xfcfsumme")
        FileText(text='Prüfsumme', note='it is read as Windows-1252, as it is not UTF-8: save it as UTF-8')
    """
    try:
        if data.startswith(MARKS_OF_UTF_32):
            raise ValueError(UNKNOWN)
        if data.startswith(MARKS_OF_UTF_16):
            return FileText(data.decode("utf-16"), f"it is read as {UTF_16}: save it as UTF-8")
        return FileText(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        if error.encoding.startswith("utf-16"):
            raise ValueError(UNKNOWN) from error
        return _with_stray_bytes(data)


def _with_stray_bytes(data: bytes) -> FileText:
    text = data.decode("utf-8-sig", "surrogateescape")
    stray = len(_STRAY.findall(text))
    if _CONTROL.search(text) or stray > MAX_STRAY * len(data):
        raise ValueError(UNKNOWN)
    if len(_NOT_ASCII.findall(text)) <= stray and not data.startswith(codecs.BOM_UTF8):
        return FileText(
            _windows(data), f"it is read as {WINDOWS}, as it is not UTF-8: save it as UTF-8"
        )
    count = "one byte" if stray == 1 else f"{stray} bytes"
    whole = _STRAY.sub(lambda found: _windows(bytes([ord(found[0]) - 0xDC00])), text)
    return FileText(whole, f"{count} of it, no UTF-8, read as {WINDOWS}: save it as UTF-8")


def _windows(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise ValueError(UNKNOWN) from error


CONFLICTED = "git left conflict markers in it: solve the conflict, then it is read again"
"""The reason for leaving out a file."""

OPENING = "<<<<<<<"

_SET = tuple(
    re.compile(line, re.MULTILINE) for line in (rf"^{OPENING}<* \S", r"^={7,}$", r"^>{7,} \S")
)
_OPENING_LINE = re.compile(rf"^(?={OPENING})", re.MULTILINE)


def has_conflict(text: str) -> bool:
    """Return whether *text* holds a conflict, in linear time."""
    return OPENING in text and _has_set(COMMENT_OR_FENCE.sub(_without_example, with_newlines(text)))


def without_conflict(text: str) -> str:
    """Put a space before the lines that would begin a conflict."""
    return _OPENING_LINE.sub(" ", text) if has_conflict(text) else text


def _without_example(block: re.Match[str]) -> str:
    return "" if _has_set(block[0]) else block[0]


def _has_set(text: str) -> bool:
    at = 0
    for line in _SET:
        if not (found := line.search(text, at)):
            return False
        at = found.end()
    return True
