"""Read records one at a time, and go on after a bad one."""

from collections.abc import Iterator
from pathlib import Path

from decoding import encoding_of
from errors import MalformedRecordError, Problem
from tokens import fields

Record = dict[str, str]


def read(
    path: Path, *, delimiter: str = ",", encoding: str = "utf-8"
) -> Iterator[Record | Problem]:
    """Yield the records and problems of *path* in file order; the first line is the header."""
    header: list[str] = []
    with path.open(encoding=encoding_of(path, encoding), errors="backslashreplace") as file:
        for number, line in enumerate(file, start=1):
            text = line.removesuffix("\n")
            try:
                values = _values(text, delimiter, header)
            except MalformedRecordError as error:
                yield Problem(number, error.column, str(error), text[error.column - 1 :])
                if not header:
                    return
                continue
            if header:
                yield dict(zip(header, values, strict=True))
            else:
                header = values


def _values(text: str, delimiter: str, header: list[str]) -> list[str]:
    values = [field.text for field in fields(text, delimiter)]
    if header and len(values) != len(header):
        raise MalformedRecordError(f"{len(header)} fields instead of {len(values)}", 1)
    if not header and len(set(values)) != len(values):
        raise MalformedRecordError("column names that differ", 1)
    return values
