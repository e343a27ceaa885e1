"""
Read and write front matter, as people write it.

A value is a text, `true` or `false`, or a list of texts; nested maps are skipped. Invalid YAML with
one meaning, such as an unquoted colon or `@name`, is text: a library for YAML would refuse the
whole head for it. Other lines stay in the body, with a complaint.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hardwon.adapters.markdown.document_format import FrontValue, Markdown, first_of

BYTE_ORDER_MARK = "\ufeff"
FENCE, FENCES = "---", ("---", "...")
NOTHING = ("", "~", "null", "Null", "NULL")
FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
SHOWN_CHARACTERS = 60
NEVER_CLOSED = "the front matter is never closed: end it with a line ---"

_KEY = r"(?:(?P<quote>[\"'])(?P<quoted>[^\"']+)(?P=quote)|(?P<plain>[^\W\d][\w.-]*))"
_FIELD = re.compile(rf"{_KEY}[ \t]*:(?:[ \t]+(?P<value>.*))?")
_NESTED_FIELD = re.compile(rf"[ \t]+(?:\?[ \t]|{_KEY}[ \t]*:(?:[ \t]|$))")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?")
_PROPERTIES = re.compile(r"\A(?:[&!]\S*(?:[ \t]+|$))+")
"""Tags and anchors before a value."""

_ALIAS = re.compile(r"\*(\S+)(?:[ \t]+#.*)?")
_BLOCK_STYLE = re.compile(r"(?P<style>[|>])(?:(?P<chomp>[+-])|(?P<indent>[1-9]))*(?:[ \t]+#.*)?")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^']|'')*'(?!')", re.DOTALL)
_FLOW_TEXT = re.compile(r"[^,\[\]{}]+")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_PLAIN = re.compile(r"[^\W_](?:[\w ./()'-]*[\w.)])?")


class _UnreadableValueError(ValueError):
    """A field can't be read."""


class _Field(NamedTuple):
    """
    A field with the lines that may belong to its value.

    Attributes:
        key: Empty for a line that is no field.
    """

    number: int
    key: str
    value: str
    line: str
    block: list[str]

    @property
    def lines(self) -> list[str]:
        return [self.line, *self.block]


def read_markdown(text: str, *, is_draft: bool = False) -> Markdown:
    """
    Split *text* with newlines as line ends into front matter and body.

    Unreadable lines of the head begin the body, with a complaint. A beginning between fences that
    looks like no head, such as a letterhead, belongs to the body.

    Args:
        text: A whole file.
        is_draft: Whether hardwon wrote the fences, and all between them is a head.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].rstrip() != FENCE:
        return Markdown({}, text)
    end = next(
        (number for number in range(start + 1, len(lines)) if lines[number].rstrip() in FENCES),
        None,
    )
    fields = [*_fields(lines[start + 1 : end], start + 2)]
    if end is None:
        return Markdown({}, text, (NEVER_CLOSED,) * _are_a_head(fields[:1]))
    if not (is_draft or _are_a_head(fields)) and "".join(lines[start + 1 : end]).strip():
        return Markdown({}, text)
    head = _Head()
    for field in fields:
        head.read(field)
    return Markdown(head.values, "\n".join((*head.unread, *lines[end + 1 :])), head.complaints())


def write_markdown(front_matter: Mapping[str, FrontValue], body: str) -> str:
    """Return the text that `read_markdown` reads back as these."""
    head = "".join(f"{key}: {_written(value)}\n" for key, value in front_matter.items())
    return f"---\n{head}---\n{body}"


def _fields(lines: Iterable[str], number: int) -> Iterator[_Field]:
    """
    Yield the fields of *lines*, the first of which is line *number*.

    A field has its indented lines and the items of its list.
    """
    field: _Field | None = None
    for place, line in enumerate(lines, number):
        if field and (
            not line.strip()
            or line[0] in " \t]}"
            or (_ITEM.fullmatch(line) and not _has_value(field))
        ):
            field.block.append(line)
        elif line.strip() and not line.startswith("#"):
            if field:
                yield field
            found = _FIELD.fullmatch(line.rstrip())
            key = (found["quoted"] or found["plain"]) if found else ""
            field = _Field(
                number=place,
                key=key,
                value=((found and found["value"]) or "").strip(),
                line=line,
                block=[],
            )
    if field:
        yield field


def _has_value(field: _Field) -> bool:
    return not field.key or bool(_COMMENT.sub("", _PROPERTIES.sub("", field.value)).strip())


def _are_a_head(fields: Sequence[_Field]) -> bool:
    """
    Return whether *fields* are a head, and no letterhead or text between rules.

    They begin with a field, most of their lines are fields, and the names of letterheads begin with
    capitals.
    """
    keys = [field.key for field in fields]
    are_named = keys[:1] > [""] and 2 * keys.count("") <= len(keys)
    return are_named and not all(key[:1].isupper() for key in filter(None, keys))


class _Head:
    def __init__(self) -> None:
        self.values: dict[str, FrontValue] = {}
        self.unread = list[str]()
        self._anchors: dict[str, FrontValue | None] = {}
        self._keys = set[str]()
        self._complaints = list[str]()

    def complaints(self) -> tuple[str, ...]:
        return first_of(self._complaints, "lines of the front matter are left out of the fields")

    def read(self, field: _Field) -> None:
        try:
            self._field(field)
        except _UnreadableValueError as error:
            self.unread += field.lines
            self._complaints.append(
                f"line {field.number} of the front matter is left out of the fields: {error}"
            )

    def _field(self, field: _Field) -> None:
        if not field.key:
            raise _UnreadableValueError(
                f"{field.line.rstrip()[:SHOWN_CHARACTERS]!r} is not written as name: value"
            )
        if field.key in self._keys:
            raise _UnreadableValueError(f"{field.key} was given before")
        self._keys.add(field.key)
        if (read := self._value(field.value, field.block)) is not None:
            self.values[field.key] = read

    def _value(self, value: str, block: Sequence[str]) -> FrontValue | None:
        """Return a value, None for a missing one and for a map."""
        properties = _PROPERTIES.match(value)
        anchors = re.findall(r"&(\S+)", properties[0]) if properties else []
        value = _PROPERTIES.sub("", value)
        alias = _ALIAS.fullmatch(value)
        read = (
            self._anchors[alias[1]] if alias and alias[1] in self._anchors else _value(value, block)
        )
        self._anchors |= dict.fromkeys(anchors, read)
        return read


def _value(value: str, block: Sequence[str]) -> FrontValue | None:
    if not value or value.startswith("#"):
        return _nested(block)
    if style := _BLOCK_STYLE.fullmatch(value):
        return _block_text(style, block)
    if value[0] in "[{":
        return _flow_or_text("\n".join((value, *block)))
    if not any(_COMMENT.sub("", line).strip() for line in block):
        block = ()
    return _scalar((value, *block))


def _nested(block: Sequence[str]) -> FrontValue | None:
    """Return the list or text in lines below a name, None for a map."""
    start = next(
        (number for number, line in enumerate(block) if _COMMENT.sub("", line).strip()), None
    )
    if start is None or _NESTED_FIELD.match(block[start]):
        return None
    if _ITEM.fullmatch(block[start]):
        return tuple(_items(block[start:]))
    return _value(_PROPERTIES.sub("", block[start].strip()), block[start + 1 :])


def _items(block: Iterable[str]) -> Iterator[str]:
    items = list[list[str]]()
    for line in block:
        if item := _ITEM.fullmatch(line):
            items.append([(item["value"] or "").strip()])
        elif line.strip() and not line.lstrip().startswith("#"):
            items[-1].append(line)
    for value, *rest in items:
        read = _value(_PROPERTIES.sub("", value), () if _FIELD.fullmatch(value) else rest)
        yield from read if isinstance(read, tuple) else (_label(read),)


def _block_text(style: re.Match[str], block: Sequence[str]) -> str:
    """Return a literal or folded text, as YAML does."""
    first = next(filter(str.strip, block), "")
    indent = int(style["indent"] or 0) or len(first) - len(
        first.lstrip(" " if first.startswith(" ") else "\t")
    )
    lines = [
        line[min(indent, len(line) - len(line.lstrip())) :] if line.strip() else ""
        for line in block
    ]
    count = max((number for number, line in enumerate(lines, 1) if line), default=0)
    text = "\n".join(lines[:count]) if style["style"] == "|" else _folded_block(lines[:count])
    match style["chomp"]:
        case "-":
            return text
        case "+":
            return text + "\n" * (len(lines) - count + bool(count))
        case _:
            return f"{text}\n" if count else ""


def _folded_block(lines: Sequence[str]) -> str:
    """
    Join *lines* with spaces.

    Blank lines, and lines with more indent, keep their line ends.
    """
    parts, breaks, was_prose = list[str](), 0, False
    for line in lines:
        if not line:
            breaks += 1
            continue
        is_prose = line[0] not in " \t"
        own = bool(parts) and not (is_prose and was_prose)  # the line end before it is kept
        between = "\n" * (breaks + own)
        parts += (between or " " * bool(parts), line)
        breaks, was_prose = 0, is_prose
    return "".join(parts)


def _folded(lines: Iterable[str]) -> str:
    """Join lines of a text with spaces, where blank ones become line ends."""
    parts, breaks = list[str](), 0
    for line in map(str.strip, lines):
        if line:
            parts += ("\n" * breaks or " ", line) if parts else (line,)
        breaks = 0 if line else breaks + 1
    return "".join(parts)


def _scalar(lines: Sequence[str]) -> str | bool | None:
    if lines[0][0] in "\"'" and (quoted := _quoted(_folded(lines))) is not None:
        return quoted
    return _plain(_folded(_COMMENT.sub("", line) for line in lines))


def _plain(text: str) -> str | bool | None:
    text = text.strip()
    return None if text in NOTHING else FLAGS.get(text, text)


def _quoted(text: str) -> str | None:
    found = (_DOUBLE if text.startswith('"') else _SINGLE).match(text)
    return (
        _unquoted(found[0]) if found and not _COMMENT.sub("", text[found.end() :]).strip() else None
    )


def _unquoted(quoted: str) -> str:
    return _unescaped(quoted[1:-1]) if quoted[0] == '"' else quoted[1:-1].replace("''", "'")


_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U(00[01][0-9A-Fa-f]{5})|(.))", re.DOTALL
)
_ESCAPES = dict(
    zip('0abtnvfre "/\\N_LP', '\0\a\b\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True)
)


def _unescaped(text: str) -> str:
    """
    Replace the escapes in *text*, unless one is none of YAML's.

    Such a text, for example a path of Windows, is meant as written.
    """
    escapes = [*_ESCAPE.finditer(text)]
    if any(escape[4] and escape[4] not in _ESCAPES for escape in escapes):
        return text

    def character(escape: re.Match[str]) -> str:
        code = escape[1] or escape[2] or escape[3]
        return chr(int(code, 16)) if code else _ESCAPES[escape[4]]

    return _ESCAPE.sub(character, text)


def _flow_or_text(text: str) -> FrontValue | None:
    """
    Return the texts of a list in brackets and of its inner lists.

    A map gives None. A text that only begins with a bracket stays a text.
    """
    items, end = _flow_items(text)
    if _COMMENT.sub("", text[end:]).strip():
        return _plain(_folded(text.split("\n")))
    return items if text[0] == "[" else None


def _flow_items(text: str) -> tuple[tuple[str, ...], int]:
    """
    Return the texts in the leading brackets of *text*, and their end.

    Texts in maps are left out.
    """
    items, open_brackets, at = list[str](), list[str](), 0
    while at < len(text):
        character = text[at]
        if character in "[{":
            open_brackets.append("]" if character == "[" else "}")
        elif character in "]}":
            if open_brackets.pop() != character:
                break
            if not open_brackets:
                return tuple(items), at + 1
        elif character not in ", \t\n":
            found = _flow_text(text, at)
            if "}" not in open_brackets:
                items.append(_label(_scalar(found[0].split("\n"))))
            at = found.end() - 1
        at += 1
    raise _UnreadableValueError(f"the brackets of {text[:SHOWN_CHARACTERS]!r} are not closed")


def _flow_text(text: str, at: int) -> re.Match[str]:
    quoted = {'"': _DOUBLE, "'": _SINGLE}.get(text[at])
    found = (quoted.match(text, at) if quoted else None) or _FLOW_TEXT.match(text, at)
    if found is None:
        raise _UnreadableValueError(
            f"{text[at:][:SHOWN_CHARACTERS]!r} can't stand in a list of texts"
        )
    return found


def _label(value: FrontValue | None) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value or "")


def _written(value: FrontValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    is_plain = _PLAIN.fullmatch(value) and _plain(value) == value
    return value if is_plain else json.dumps(value, ensure_ascii=False)
