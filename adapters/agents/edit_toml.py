"""Edit one table of a TOML file and keep all other text."""

import re
import tomllib
from typing import Any

from hardwon.domain.model.errors import UneditableFileError

_BRACKET = re.compile(r"^[ \t]*\[", re.MULTILINE)
_LINE = re.compile(r".*\n|.+")
_IS_BLANK = re.compile(r"[ \t]*(?:#.*)?\s*")
_GAP_BEFORE = re.compile(r"(?<=\n)\r?\n\Z")
_GAP_AFTER = re.compile(r"\A\r?\n")


def read_toml(text: str) -> dict[str, Any]:
    """Parse *text* into a document comparable even with values such as NaN."""
    try:
        document = tomllib.loads(text, parse_float=lambda digits: ("float", digits))
        repr(document)  # a name of a thousand parts is parsed, but can't be compared
    except (ValueError, RecursionError) as error:  # thousands of digits are a plain ValueError
        raise UneditableFileError(f"is no TOML: {error}") from error
    return document


def has_table(text: str, keys: tuple[str, ...]) -> bool:
    """Return whether a table's header in *text* has exactly these *keys*."""
    return any(_keys(text, start) == keys for start, _ in _tables(text, keys))


def with_table(text: str, keys: tuple[str, ...], line: str) -> str:
    """Append a table of a single *line*, after an empty line."""
    newline = _newline(text)
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}[{'.'.join(keys)}]{newline}{line}{newline}"


def with_line(text: str, keys: tuple[str, ...], key: str, line: str) -> str:
    """Replace the line of *key* in the table, if it has one."""
    assignment = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[^\r\n]*", re.MULTILINE)
    for start, end in _tables(text, keys):
        if _keys(text, start) == keys:
            return f"{text[:start]}{assignment.sub(lambda _: line, text[start:end], count=1)}{text[end:]}"
    return text


def without_table(text: str, keys: tuple[str, ...]) -> str:
    """
    Remove the table and its subtables.

    A table reaches from the empty line before its header to its last value: comments below that
    belong to the next table.
    """
    for start, end in reversed(
        [(start, _end_of_values(text, start, end)) for start, end in _tables(text, keys)]
    ):
        before, after = _GAP_BEFORE.sub("", text[:start]), text[end:]
        text = f"{before}{after if before else _GAP_AFTER.sub('', after)}"
    return text


def _tables(text: str, keys: tuple[str, ...]) -> list[tuple[int, int]]:
    starts = [found.start() for found in _BRACKET.finditer(text)]
    return [
        (start, next(end for end in (*starts[place:], len(text)) if is_toml(text[start:end])))
        for place, start in enumerate(starts, 1)
        if _keys(text, start)[: len(keys)] == keys
        if is_toml(text[:start])  # else it is inside a list or a multi-line text
    ]


def _keys(text: str, start: int) -> tuple[str, ...]:
    """
    Parse the name in the header at *start*.

    Empty if it is no header.
    """
    line = _LINE.match(text, start)
    try:
        inner: object = read_toml(line[0] if line else "")
    except UneditableFileError:
        return ()
    keys = list[str]()
    while inner:
        if isinstance(inner, dict):
            [(key, inner)] = inner.items()
            keys.append(key)
        elif isinstance(inner, list):
            [inner] = inner
    return tuple(keys)


def _end_of_values(text: str, start: int, end: int) -> int:
    lines = _LINE.findall(text, start, end)
    while _IS_BLANK.fullmatch(lines[-1]) and is_toml("".join(lines[:-1])):
        lines.pop()
    return start + sum(map(len, lines))


def is_toml(text: str) -> bool:
    """Return whether *text* is TOML."""
    try:
        read_toml(text)
    except UneditableFileError:
        return False
    return True


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
