"""
How any text stands in a markdown section and reads back as it was.

Lines of a quote begin with `> `, so that nothing in them is a heading or a fence
of ours; what would begin a comment is written as `&lt;!--`, as GitHub shows it.
"""

import re
from collections.abc import Iterable

_WRITTEN_BEFORE = re.compile(r"&(?=(?:amp;)*(?:lt;!--|#[1-9][0-9]{0,2};))")
_ESCAPE = re.compile(r"&(?P<levels>(?:amp;)*)(?:lt;(?=!--)|#(?P<code>[1-9][0-9]{0,2});)")
_LEADING = "#*>-+`~=|"
_IN_LISTS = ",[]`"


def escaped(text: str, special: str = "") -> str:
    """Return *text* without what begins a comment, and without the characters *special*; `unescaped` undoes it."""
    kept = _WRITTEN_BEFORE.sub("&amp;", text).replace("<!--", "&lt;!--")
    return "".join(f"&#{ord(each)};" if each in special else each for each in kept)


def unescaped(text: str) -> str:
    """Return what `escaped` made *text* of."""
    return _ESCAPE.sub(_original, text)


def _original(escape: re.Match[str]) -> str:
    if escape["levels"]:
        return escape[0].replace("amp;", "", 1)
    return chr(int(escape["code"])) if escape["code"] else "<"


def heading(title: str) -> str:
    """Return *title* so that none of it is taken for HTML, as a tag that is never closed would swallow what follows."""
    return escaped(title, "<")


def paragraph(line: str) -> str:
    """Return *line* so that it begins nothing but a paragraph."""
    return escaped(line[:1], _LEADING) + escaped(line[1:]) if line[:1] in _LEADING else escaped(line)


def quote(text: str) -> str:
    """Return *text* as a quote."""
    return "\n".join(f"> {line}" if line else ">" for line in escaped(text).split("\n"))


def unquoted(lines: Iterable[str]) -> str:
    """Return the text that `quote` made *lines* of."""
    return unescaped("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))


def enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line."""
    return ", ".join(escaped(item, _IN_LISTS) for item in items)


def code_enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line, each as code."""
    return ", ".join(f"`{escaped(item, _IN_LISTS)}`" for item in items)


def enumerated(line: str) -> tuple[str, ...]:
    """Return the items that stand on *line*, written by either of the two; of links their texts."""
    texts = (re.sub(r"^\[(.*)\]\(.*\)$", r"\1", item) for item in line.split(", ")) if line else ()
    return tuple(unescaped(text.strip("`")) for text in texts)
