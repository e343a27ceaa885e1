"""
Stored text made harmless for an agent: none of it reads as hardwon's frame, as a heading, or as the host's own words.

Lines that a reader of markdown takes for structure get a backslash: headings, their underlines, the block's last
line, and fences that nothing closes. Code in a closed fence stays as it is, but for the frame's own
lines. All of it takes linear time. Standard library only, for the hook.
"""

import re
from collections.abc import Iterator, Sequence

from hardwon.domain.model.injection.frame import HEADINGS, TAG

# Characters without a width that scripts and emoji need, so that they stay; a line is judged without them.
_MARKS = frozenset("\u034f" + "".join(map(chr, range(0xFE00, 0xFE10))))
"""Those of `_UNSEEN` that Python calls printable."""

_UNSEEN = "[\u00ad\u034f\u200c-\u200f\ufe00-\ufe0f]"
_HOST_TAGS = (
    r"system(?:-reminder)?|hook_context|(?:user-prompt-submit|session-start|(?:pre|post)-tool-use)-hook|task-notification"
    r"|(?:local-)?command-\w+|bash-(?:input|std\w+)|ide_\w+|environment_context|user_instructions|tool_\w+|function_\w+|antml:\w+"
)
_TAG = rf"(?i)<(?=\s*(?:/\s*)?(?:{TAG}|(?:{_HOST_TAGS})\b))"

# Control characters, bidi marks and zero-width characters, which could hide words from a reviewer of
# a lesson. Joiners that scripts and emoji need stay, and so do all line ends.
_HIDDEN = (
    "[\0-\b\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_END = r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]"


def without_tags(text: str) -> str:
    """
    Return *text* without zero-width, bidi and control characters.

    The tags that frame the block, and those of the host's own messages, lose their bracket.
    """
    if _is_plain(text):
        return text
    text = re.sub(_HIDDEN, "", text)
    bare = re.sub(_UNSEEN, "", text)
    if bare == text:
        return re.sub(_TAG, "&lt;", text)
    brackets = {found.start() for found in re.finditer(_TAG, bare)}
    if not brackets:
        return text
    seen = (at for at, character in enumerate(text) if not re.match(_UNSEEN, character))
    tags = {at for place, at in enumerate(seen) if place in brackets}
    return "".join("&lt;" if at in tags else character for at, character in enumerate(text))


def neutral(text: str) -> str:
    """Return *text* as data below a line of the block: `without_tags`, newlines as line ends, structure with a backslash."""
    if _is_plain(text) and not any(map(_may_be_structure, text.split("\n"))):
        return text
    lines = without_tags(re.sub(_LINE_END, "\n", text)).split("\n")
    return "\n".join(_defused(lines, [re.sub(_UNSEEN, "", line) for line in lines]))


def _is_plain(text: str) -> bool:
    """Return whether *text* has neither tags nor characters that are not seen, as most: then no pattern is compiled."""
    is_seen = text.replace("\n", "").replace("\t", "").isprintable()
    return is_seen and "<" not in text and (text.isascii() or _MARKS.isdisjoint(text))


def _may_be_structure(line: str) -> bool:
    """Return whether markdown may take a line of plain text for structure."""
    shown = line.strip(" \t")
    return shown.startswith(("#", "`", "~", "=")) or (shown.startswith("-") and not shown.strip("-"))


def neutral_line(text: str) -> str:
    """Return *text*, such as a label, on one line and as `neutral` does."""
    return neutral(" ".join(filter(None, map(str.strip, text.splitlines()))))


def neutral_name(name: str) -> str:
    """Return *name* as the heading of an entry: as `neutral_line` does, and none of the block's own headings."""
    line = neutral_line(name)
    return f"\\{line}" if _letters(line) in _RESERVED else line


def _letters(heading: str) -> str:
    """Return what is read of *heading*: its letters and digits, in lower case."""
    return "".join(filter(str.isalnum, heading.casefold()))


_RESERVED = frozenset(map(_letters, HEADINGS))

COMMENT, COMMENT_END = "<!--", "-->"
_HEADING = r" {0,3}#{1,6}(?:\s|$)|[ \t]*(?:#{2,3}(?:\s|$)|---[ \t]*$)"
_OF_FRAME = r"[ \t]*(?:#{2,3}(?:\s|$)|---[ \t]*$)"
_UNDERLINE = r" {0,3}(?:=+|-+)[ \t]*$"
_OPENING = r"(?P<indent> {0,3})(?P<fence>`{3,}(?=[^`]*$)|~{3,})"
_CLOSING = r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*$"
_HTML = r" {0,3}</?[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$)"
"""Begins HTML in which, up to a blank line, markdown is not read."""

_RAW = r"(?i) {0,3}<(?P<kind>\?|!\[CDATA\[|![A-Za-z]|(?:pre|script|style|textarea)(?=[\s>]|$))"
"""Begins HTML that goes on over blank lines, to an end of its own."""


def _defused(lines: Sequence[str], bare: Sequence[str]) -> Iterator[str]:
    """Yield *lines* with a backslash before structure; *bare* are the same lines as they are seen."""
    fences: _Fences | None = None
    closed_at, in_html, below_text = -1, False, True
    for at, (line, seen) in enumerate(zip(lines, bare, strict=True)):
        if at <= closed_at:
            yield f"\\{line}" if re.match(_OF_FRAME, seen) else line
            below_text = False
            continue
        if opening := re.match(_OPENING, seen):
            fences = fences or _Fences(bare)
            if not in_html and (end := fences.end(at, opening)) is not None:
                closed_at = end
                yield line
                continue
        is_structure = opening or re.match(_HEADING, seen) or (below_text and re.match(_UNDERLINE, seen))
        yield f"\\{line}" if is_structure else _without_open_html(line, seen)
        below_text = bool(seen.strip())
        in_html = below_text and (in_html or re.match(_HTML, seen) is not None)


def _without_open_html(line: str, seen: str) -> str:
    """Return *line* with HTML that would hide the lines after it made text."""
    raw = re.match(_RAW, seen)
    if raw and _end_of(raw["kind"]) not in seen[raw.end() :].lower():
        line = line.replace("<", "&lt;", 1)
    if COMMENT not in seen:
        return line
    ended = line.rfind(COMMENT_END) + len(COMMENT_END) if COMMENT_END in line else 0
    return line[:ended] + line[ended:].replace("<", "&lt;")


def _end_of(kind: str) -> str:
    return {"?": "?>", "![cdata[": "]]>"}.get(kind.lower(), ">" if kind[0] == "!" else f"</{kind.lower()}>")


class _Fences:
    """The lines that may close a fence, looked up in short time."""

    def __init__(self, lines: Sequence[str]) -> None:
        size = len(lines)
        self._lengths = [0] * size
        self._longer = [size] * size
        self._next = {mark: [size] * (size + 1) for mark in "`~"}
        self._less_indented = [[size] * (size + 1) for _ in range(4)]
        self._size = size
        for at in range(size - 1, -1, -1):
            self._add(at, lines[at])

    def _add(self, at: int, line: str) -> None:
        for following in (*self._next.values(), *self._less_indented):
            following[at] = following[at + 1]
        if line.strip():
            indent = len(line) - len(line.lstrip(" "))
            for wanted in range(indent + 1, 4):
                self._less_indented[wanted][at] = at
        if closing := re.match(_CLOSING, line):
            fence = closing["fence"]
            self._lengths[at] = len(fence)
            longer = self._next[fence[0]][at + 1]
            while longer < self._size and self._lengths[longer] <= len(fence):
                longer = self._longer[longer]
            self._longer[at] = longer
            self._next[fence[0]][at] = at

    def end(self, at: int, opening: re.Match[str]) -> int | None:
        """
        Return the line that closes the fence that opens *at* a line, None without one.

        A fence with an indent may belong to a list item, which a line with less ends: that must not come first.
        """
        fence, indent = opening["fence"], len(opening["indent"])
        end = self._next[fence[0]][at + 1]
        while end < self._size and self._lengths[end] < len(fence):
            end = self._longer[end]
        return end if end < self._less_indented[indent][at + 1] else None
