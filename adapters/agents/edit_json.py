"""Edit JSON as text, so that unchanged parts stay as written."""

import json
import re
from collections.abc import Mapping
from typing import Any

import attrs

from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.json_shapes import distinct_members

_PART = re.compile(r'"(?:\\.|[^"\\])*"?|//[^\r\n]*|/\*.*?\*/|/\*.*', re.DOTALL)
_NO_LINE_END = re.compile(r"[^\r\n]")


def blanked(text: str) -> str:
    """Replace comments by spaces, but keep line ends and an unclosed comment."""
    return _PART.sub(
        lambda found: _NO_LINE_END.sub(" ", found[0]) if _is_comment(found[0]) else found[0], text
    )


def comments_in(text: str) -> list[str]:
    """Return the comments in order."""
    return [part for part in _PART.findall(text) if _is_comment(part)]


def _is_comment(part: str) -> bool:
    return part.startswith("//") or (
        part.startswith("/*") and part.endswith("*/") and part != "/*/"
    )


_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
MARK = "\ufeff"
INDENT = "  "
_FIRST_INDENT = re.compile(r"\{\r?\n([ \t]+)")


def read_document(text: str, *, may_comment: bool = False) -> dict[str, Any]:
    """Parse the object in *text*, where blank text is an empty object."""
    bare = blanked(text.removeprefix(MARK)) if may_comment else text.removeprefix(MARK)
    try:
        document = json.loads(bare, object_pairs_hook=distinct_members) if bare.strip() else {}
    except RecursionError as error:
        raise UneditableFileError("too deeply nested") from error
    except ValueError as error:
        raise UneditableFileError(f"not plain JSON: {error}") from error
    if isinstance(document, dict):
        return document
    raise UneditableFileError("JSON, but no object")


def edited(
    text: str, before: Mapping[str, Any], after: Mapping[str, Any], *, may_comment: bool = False
) -> str:
    """
    Change *text* from the JSON of *before* to that of *after*.

    Only the differences are written.

    Raises:
        UneditableFileError: a comment would be lost.
    """
    if before == after:
        return text
    bare = text.removeprefix(MARK)
    blank = blanked(bare) if may_comment else bare
    if not bare.strip():
        return f"{json.dumps(after, indent=INDENT, ensure_ascii=False)}\n"
    start = _past_space(blank, 0)
    end = _DECODER.raw_decode(blank, start)[1] if blank.strip() else start
    changed = _Editing(bare, blank).value(start, before, after=after, margin="")
    whole = f"{text[: len(text) - len(bare)]}{bare[:start]}{changed}{bare[end:]}"
    if blank != bare and (
        comments_in(whole) != comments_in(bare) or read_document(whole, may_comment=True) != after
    ):
        raise UneditableFileError("its comments would be lost")
    return whole


@attrs.frozen(kw_only=True)
class _Item:
    """
    A member of an object or list, located in the text.

    Attributes:
        key: None in a list.
        lead: The space and comments before it.
        gap: `lead` without comments.
        trail: The space and comments after it.
    """

    key: str | None
    lead: str
    gap: str
    start: int
    value: int
    end: int
    trail: str
    is_last: bool

    @property
    def comments(self) -> str:
        return self.lead.rstrip()


class _Editing:
    def __init__(self, text: str, blank: str) -> None:
        self._text = text
        self._blank = blank
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._indent = found[1] if (found := _FIRST_INDENT.search(text)) else INDENT

    def value(self, at: int, before: object, after: object, margin: str) -> str:
        """
        Return the text of *after*, to replace *before*.

        *before* begins at position *at*, in a line indented by *margin*.
        """
        if isinstance(before, dict) and isinstance(after, dict) and before and after:
            return f"{{{self._members(self._items(at), before, after=after, margin=margin)}}}"
        if isinstance(before, list) and isinstance(after, list) and before and after:
            return f"[{self._elements(self._items(at), before, after=after, margin=margin)}]"
        return self._dumped(after, margin)

    def _members(
        self, items: list[_Item], before: dict[str, Any], after: dict[str, Any], margin: str
    ) -> str:
        kept = [
            self._member(item, before[item.key], after[item.key]) if item.key in after else None
            for item in items
        ]
        lead, inner = self._layout(items[-1], margin)
        new = [
            f"{lead}{json.dumps(key, ensure_ascii=False)}: {self._dumped(value, inner)}"
            for key, value in after.items()
            if key not in before
        ]
        return _joined(items, kept, new)

    def _member(self, item: _Item, before: object, after: object) -> str:
        if before == after:
            return self._kept(item)
        value = self.value(item.value, before, after=after, margin=item.lead.rpartition("\n")[2])
        return f"{item.lead}{self._text[item.start : item.value]}{value}{'' if item.is_last else item.trail}"

    def _elements(
        self, items: list[_Item], before: list[Any], after: list[Any], margin: str
    ) -> str:
        kept, count = list[str | None](), 0
        for item, value in zip(items, before, strict=True):
            is_kept = count < len(after) and value == after[count]
            kept.append(self._kept(item) if is_kept else None)
            count += is_kept
        lead, inner = self._layout(items[-1], margin)
        return _joined(
            items, kept, [f"{lead}{self._dumped(value, inner)}" for value in after[count:]]
        )

    def _kept(self, item: _Item) -> str:
        return f"{item.lead}{self._text[item.start : item.end]}{'' if item.is_last else item.trail}"

    def _dumped(self, value: object, margin: str) -> str:
        lines = json.dumps(value, indent=self._indent, ensure_ascii=False)
        return lines.replace("\n", f"{self._newline}{margin}")

    def _items(self, at: int) -> list[_Item]:
        is_object = self._blank[at] == "{"
        items = list[_Item]()
        position = at + 1
        while not items or not items[-1].is_last:
            items.append(self._item(position, is_object=is_object))
            position = items[-1].end + len(items[-1].trail) + 1
        return items

    def _item(self, at: int, *, is_object: bool) -> _Item:
        start = _past_space(self._blank, at)
        key, value = self._key(start) if is_object else (None, start)
        end = _DECODER.raw_decode(self._blank, value)[1]
        after = _past_space(self._blank, end)
        lead, gap, trail = self._text[at:start], self._blank[at:start], self._text[end:after]
        return _Item(
            key=key,
            lead=lead,
            gap=gap,
            start=start,
            value=value,
            end=end,
            trail=trail,
            is_last=self._blank[after] != ",",
        )

    def _key(self, start: int) -> tuple[str, int]:
        key, end = _DECODER.raw_decode(self._blank, start)
        return key, _past_space(self._blank, _past_space(self._blank, end) + 1)

    def _layout(self, item: _Item, margin: str) -> tuple[str, str]:
        """Return the space before a new member, and the indentation of its lines."""
        last = item.gap.rpartition("\n")[2]
        if "\n" in item.gap:
            return (item.lead if item.lead == item.gap else f"{self._newline}{last}", last)
        return (item.lead if item.lead and item.lead == item.gap else " ", margin)


def _joined(items: list[_Item], kept: list[str | None], new: list[str]) -> str:
    """
    Join the kept and new texts.

    Comments survive their item.
    """
    texts, comments = list[str](), ""
    for item, text in zip(items, kept, strict=True):
        if text is None:
            comments += item.comments
        else:
            texts.append(f"{comments}{text}")
            comments = ""
    tail = f"{comments}{items[-1].trail}"
    if not new:
        return f"{','.join(texts)}{tail}"
    comments = tail.rstrip()  # they belong to the item before them
    return (
        f"{','.join(texts)}{',' if texts else ''}{comments}{','.join(new)}{tail[len(comments) :]}"
    )


def _past_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position
