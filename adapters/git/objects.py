"""The commits that a repository has, read from its files: no process. Standard library only."""

import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

SIGNATURE = b"\xfftOc\x00\x00\x00\x02"
"""The beginning of the index of a pack, in the form that git has written since 2008."""
NUMBER = 4
"""Bytes of a number in an index."""
FIRST_BYTES = 256


def has_object(common: str, name: str) -> bool:
    """Return whether the git common directory *common* itself has the object of the hexadecimal *name*; never raises."""
    objects = os.path.join(common, "objects")
    try:
        wanted = bytes.fromhex(name)
        is_loose = os.path.isfile(os.path.join(objects, name[:2], name[2:]))
        return bool(wanted) and (is_loose or any(_lists(path, wanted) for path in _indexes(objects)))
    except (OSError, ValueError):
        return False


def _indexes(objects: str) -> Iterator[str]:
    folder = os.path.join(objects, "pack")
    with suppress(OSError):
        yield from (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".idx"))


def _lists(path: str, wanted: bytes) -> bool:
    """Return whether the index of a pack has the name *wanted*: names are sorted, and counted by their first byte."""
    if not os.path.isfile(path):  # a pipe would be waited for
        return False
    with open(path, "rb") as index:
        if index.read(len(SIGNATURE)) != SIGNATURE:
            return False
        counts = index.read(FIRST_BYTES * NUMBER)
        first = wanted[0]
        begin, end = _number(counts, first - 1) if first else 0, _number(counts, first)
        names = _names(index, begin, end, len(wanted))
        return names[bisect_left(names, wanted) :][:1] == [wanted]


def _number(counts: bytes, place: int) -> int:
    return int.from_bytes(counts[place * NUMBER : (place + 1) * NUMBER], "big")


def _names(index: BinaryIO, begin: int, end: int, length: int) -> list[bytes]:
    most = os.fstat(index.fileno()).st_size  # a damaged index may count more than it has
    index.seek(min(begin * length, most), os.SEEK_CUR)
    content = index.read(min(max(end - begin, 0) * length, most))
    return [content[at : at + length] for at in range(0, len(content), length)]
