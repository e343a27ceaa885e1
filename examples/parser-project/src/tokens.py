"""Cut one line into fields that know where they began."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from errors import MalformedRecordError

QUOTED = re.compile(r'"((?:[^"]|"")*)"(?!")')  # a quote that is not closed must not match in part


@dataclass(frozen=True)
class Field:
    """One value and its column, counted from 1 in code points."""

    text: str
    column: int


def fields(line: str, delimiter: str) -> Iterator[Field]:
    """Yield the fields of *line*, which has no line ending."""
    start = 0
    while True:
        if quoted := QUOTED.match(line, start):
            text, end = quoted[1].replace('""', '"'), quoted.end()
        elif line.startswith('"', start):
            raise MalformedRecordError("a closing quote", start + 1)
        else:
            found = line.find(delimiter, start)
            end = len(line) if found < 0 else found
            text = line[start:end]
        yield Field(text, start + 1)
        if end == len(line):
            return
        if not line.startswith(delimiter, end):
            raise MalformedRecordError("a delimiter after the closing quote", end + 1)
        start = end + len(delimiter)
