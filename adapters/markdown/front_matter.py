"""
Reader and writer of front matter: a small, strict subset of YAML.

A value is a text (plain, "quoted" as in JSON, or 'quoted'), `true` or `false`, or a list of
texts: `[a, b]`, or lines that begin with a hyphen. Anything else is left out with a complaint.
"""

import json
import re
from collections.abc import Callable, Mapping

from hardwon.adapters.markdown.document_format import FrontValue, Markdown, first_of

FENCES = ("---", "...")
NOTHING = ("", "~", "null", "Null", "NULL")
FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
SHOWN_CHARACTERS = 60

_FIELD = re.compile(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_ITEM_LINE = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'(?!')")
_ITEM = re.compile(rf"[ \t]*(?P<item>{_DOUBLE.pattern}|{_SINGLE.pattern}|[^,\[\]\"'{{}} \t][^,\[\]{{}}]*)[ \t]*(?:,|$)")
_SPECIAL = tuple("&*!|>%@`{[]},\"'?#")
_PLAIN = re.compile(r"[^\W_](?:[\w ./()'-]*[\w.)])?")


class _UnreadableValueError(ValueError):
    """A line of the front matter is outside the subset."""


def read_markdown(text: str) -> Markdown:
    """Split *text*, whose line ends are newlines; unreadable lines of its head are left out with a complaint."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return Markdown({}, text)
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in FENCES), None)
    if end is None:
        return Markdown({}, text, ("the front matter is never closed: end it with a line ---",))
    head = _Head()
    for number, line in enumerate(lines[1:end], 2):
        head.read(number, line.rstrip())
    return Markdown(head.values(), "\n".join(lines[end + 1 :]), head.complaints())


def write_markdown(front_matter: Mapping[str, FrontValue], body: str) -> str:
    """Return the text that `read_markdown` reads back as these."""
    head = "".join(f"{key}: {_written(value)}\n" for key, value in front_matter.items())
    return f"---\n{head}---\n{body}"


class _Head:
    """The lines between the fences, read in order."""

    def __init__(self) -> None:
        self._values: dict[str, FrontValue] = {}
        self._lists: dict[str, list[str]] = {}
        self._open: list[str] | None = None  # the list to which lines with a hyphen belong
        self._was_refused = False
        self._complaints = list[str]()

    def values(self) -> dict[str, FrontValue]:
        return self._values | {key: tuple(items) for key, items in self._lists.items() if items}

    def complaints(self) -> tuple[str, ...]:
        return first_of(self._complaints, "lines of the front matter are left out")

    def read(self, number: int, line: str) -> None:
        goes_on = self._was_refused and line[:1] in {" ", "\t", "-"}
        if not line or line.lstrip().startswith("#") or goes_on:
            return
        try:
            self._line(line)
            self._was_refused = False
        except _UnreadableValueError as error:
            self._was_refused = True
            self._complaints.append(f"line {number} of the front matter is left out: {error}")

    def _line(self, line: str) -> None:
        if item := _ITEM_LINE.fullmatch(line):
            if self._open is None:
                raise _UnreadableValueError(f"{line[:SHOWN_CHARACTERS]!r} belongs to no list")
            self._open.append(_label(_scalar(item["value"] or "")))
        elif field := _FIELD.fullmatch(line):
            self._field(field["key"], field["value"] or "")
        else:
            raise _UnreadableValueError(f"{line[:SHOWN_CHARACTERS]!r} is not written as name: value")

    def _field(self, key: str, value: str) -> None:
        self._open = None
        if key in self._values or key in self._lists:
            raise _UnreadableValueError(f"{key} was given before")
        if not value.strip() or value.lstrip().startswith("#"):
            self._open = self._lists[key] = []
        elif (read := _value(value.strip())) is not None:
            self._values[key] = read


def _value(text: str) -> FrontValue | None:
    return _listed(text) if text.startswith("[") else _scalar(text)


def _listed(text: str) -> tuple[str, ...]:
    inner = re.sub(r"\][ \t]+#.*$", "]", text)[1:]
    if not inner.endswith("]"):
        raise _UnreadableValueError(f"the list {text[:SHOWN_CHARACTERS]!r} does not end on its line")
    inner = inner[:-1].strip()
    items, position = list[str](), 0
    while position < len(inner):
        found = _ITEM.match(inner, position)
        if not found:
            raise _UnreadableValueError(f"{inner[position:][:SHOWN_CHARACTERS]!r} can't stand in a list of texts")
        items.append(_label(_scalar(found["item"])))
        position = found.end()
    return tuple(items)


def _scalar(text: str) -> str | bool | None:
    text = text.strip()
    if text.startswith('"'):
        return _quoted(_DOUBLE, text, _unescaped)
    if text.startswith("'"):
        return _quoted(_SINGLE, text, lambda quoted: quoted[1:-1].replace("''", "'"))
    plain = "" if text.startswith("#") else re.split(r"[ \t]#", text, maxsplit=1)[0].strip()
    if plain in NOTHING:
        return None
    if plain.startswith(_SPECIAL):
        raise _UnreadableValueError(f"{plain[:SHOWN_CHARACTERS]!r} begins with a sign of YAML: put it in quotes")
    return FLAGS.get(plain, plain)


def _quoted(pattern: re.Pattern[str], text: str, content: Callable[[str], str]) -> str:
    found = pattern.match(text)
    rest = text[found.end() :] if found else text
    if not found or (rest.strip() and not re.match(r"[ \t]+#", rest)):
        raise _UnreadableValueError(f"{text[:SHOWN_CHARACTERS]!r} is not one text in quotes")
    return content(found[0])


def _unescaped(quoted: str) -> str:
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError as error:
        raise _UnreadableValueError(f"{quoted[:SHOWN_CHARACTERS]!r}: {error}") from error


def _label(value: str | bool | None) -> str:  # noqa: FBT001  # what YAML reads as a flag is a word in a list
    return str(value).lower() if isinstance(value, bool) else value or ""


def _written(value: FrontValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    is_plain = _PLAIN.fullmatch(value) and _scalar(value) == value
    return value if is_plain else json.dumps(value, ensure_ascii=False)
