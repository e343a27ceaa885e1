"""JSON changed as text: what does not change stays as the user wrote it."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.json_shapes import distinct_members

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
MARK = "\ufeff"
INDENT = "  "
_FIRST_INDENT = re.compile(r"\{\r?\n([ \t]+)")


def read_document(text: str) -> dict[str, Any]:
    """
    Return the object in *text*; nothing but space is an empty one.

    Raises:
        UneditableFileError: it is no plain JSON, no object, or has a name twice.
    """
    bare = text.removeprefix(MARK)
    try:
        document = json.loads(bare, object_pairs_hook=distinct_members) if bare.strip() else {}
    except RecursionError as error:
        raise UneditableFileError("too deeply nested") from error
    except ValueError as error:
        raise UneditableFileError(f"not plain JSON: {error}") from error
    if isinstance(document, dict):
        return document
    raise UneditableFileError("JSON, but no object")


def edited(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """
    Return *text*, which holds *before*, changed to hold *after*.

    Args:
        text: As `read_document` reads it.
        before: What it holds.
        after: Only what differs from *before* is written anew.

    """
    if before == after:
        return text
    bare = text.removeprefix(MARK)
    if not bare.strip():
        return f"{json.dumps(after, indent=INDENT, ensure_ascii=False)}\n"
    start = _past_space(bare, 0)
    end = _DECODER.raw_decode(bare, start)[1]
    changed = _Editing(bare).value(start, before, after, "")
    return f"{text[: len(text) - len(bare)]}{bare[:start]}{changed}{bare[end:]}"


class _Item(NamedTuple):
    """
    A member of an object or a list.

    Attributes:
        key: None in a list.
        lead: The space before it.
        start: Where it begins.
        value: Where its value begins.
        end: Where both end.
        trail: The space after it.
        is_last: Whether the object or list ends then.

    """

    key: str | None
    lead: str
    start: int
    value: int
    end: int
    trail: str
    is_last: bool


class _Editing:
    """The writing of one text anew: what stands in it already is cut out of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._indent = found[1] if (found := _FIRST_INDENT.search(text)) else INDENT

    def value(self, at: int, before: object, after: object, margin: str) -> str:
        """Return the text of *after* in place of *before*, which stands *at* in a line that begins with *margin*."""
        if isinstance(before, dict) and isinstance(after, dict) and before and after:
            return f"{{{self._members(self._items(at), before, after, margin)}}}"
        if isinstance(before, list) and isinstance(after, list) and before and after:
            return f"[{self._elements(self._items(at), before, after, margin)}]"
        return self._dumped(after, margin)

    def _members(self, items: list[_Item], before: dict[str, Any], after: dict[str, Any], margin: str) -> str:
        kept = {str(item.key): item for item in items if item.key in after}
        texts = [self._member(item, before[key], after[key]) for key, item in kept.items()]
        lead, inner = _layout(items[-1].lead, margin)
        new = (key for key in after if key not in kept)
        texts += [f"{lead}{json.dumps(key, ensure_ascii=False)}: {self._dumped(after[key], inner)}" for key in new]
        return f"{','.join(texts)}{items[-1].trail}"

    def _member(self, item: _Item, before: object, after: object) -> str:
        if before == after:
            return self._kept(item)
        value = self.value(item.value, before, after, item.lead.rpartition("\n")[2])
        return f"{item.lead}{self._text[item.start : item.value]}{value}{'' if item.is_last else item.trail}"

    def _elements(self, items: list[_Item], before: list[Any], after: list[Any], margin: str) -> str:
        kept = list[_Item]()
        for item, value in zip(items, before, strict=True):
            if len(kept) < len(after) and value == after[len(kept)]:
                kept.append(item)
        lead, inner = _layout(items[-1].lead, margin)
        texts = [self._kept(item) for item in kept]
        texts += [f"{lead}{self._dumped(value, inner)}" for value in after[len(kept) :]]
        return f"{','.join(texts)}{items[-1].trail}"

    def _kept(self, item: _Item) -> str:
        return f"{item.lead}{self._text[item.start : item.end]}{'' if item.is_last else item.trail}"

    def _dumped(self, value: object, margin: str) -> str:
        lines = json.dumps(value, indent=self._indent, ensure_ascii=False)
        return lines.replace("\n", f"{self._newline}{margin}")

    def _items(self, at: int) -> list[_Item]:
        is_object = self._text[at] == "{"
        items = list[_Item]()
        position = at + 1
        while True:
            start = _past_space(self._text, position)
            key, value = self._key(start) if is_object else (None, start)
            end = _DECODER.raw_decode(self._text, value)[1]
            after = _past_space(self._text, end)
            items.append(
                _Item(
                    key, self._text[position:start], start, value, end, self._text[end:after], self._text[after] != ","
                )
            )
            if items[-1].is_last:
                return items
            position = after + 1

    def _key(self, start: int) -> tuple[str, int]:
        key, end = _DECODER.raw_decode(self._text, start)
        return key, _past_space(self._text, _past_space(self._text, end) + 1)


def _layout(lead: str, margin: str) -> tuple[str, str]:
    """Return what stands before a new member beside one with that *lead*, and how the lines in it begin."""
    return (lead, lead.rpartition("\n")[2]) if "\n" in lead else (lead or " ", margin)


def _past_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position
