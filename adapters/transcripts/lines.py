"""A transcript's lines, one after the other, whatever its size."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LONGEST_LINE = 8_000_000
"""In bytes. A longer one holds some tool's result; nobody says that much."""

_PIECE = 65_536


class Line(NamedTuple):
    """
    A line as it stands in the file.

    Attributes:
        begins_at: In bytes from the file's beginning.
        data: Its bytes; without an end when it is still being written.

    """

    begins_at: int
    data: bytes


def lines_from(file: BinaryIO, position: int) -> Iterator[Line]:
    """
    Yield the lines of *file* from the one that begins at *position* on; those longer than 8 MB are left out.

    Where no line begins at *position*, the file is another one by now: all of it is read. So is what can't be rewound.
    """
    begins_at = position if _begins_a_line(file, position) else 0
    while data := file.readline(LONGEST_LINE):
        if len(data) < LONGEST_LINE or data.endswith(b"\n"):
            yield Line(begins_at, data)
            begins_at += len(data)
        else:
            begins_at += len(data) + _skip_to_the_end(file)


def _begins_a_line(file: BinaryIO, position: int) -> bool:
    """Tell whether a line begins at *position* of *file*, which stands there then, else at its beginning."""
    if not file.seekable():
        return False
    file.seek(max(0, position - 1))
    if position > 0 and file.read(1) == b"\n" and file.read(1):
        file.seek(position)
        return True
    file.seek(0)
    return False


def _skip_to_the_end(file: BinaryIO) -> int:
    """Read on to the end of the line; return how many bytes that were."""
    skipped = 0
    while piece := file.readline(_PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped
