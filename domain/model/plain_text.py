"""Markdown without its formatting: every word stays, in code too."""

import re

_RULE = re.compile(r"^[\s|:=_~+*`-]*$")
_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[ \t]*[^`\s]*[ \t]*$")
_HEAD = re.compile(r"^(?P<indent>[^\S\n]*+)(?:(?:#{1,6}|[-+])(?:\s++|$)|>\s*+|~{3,}+\s*+)++")
_CLOSING_HASHES = re.compile(r"\s#+\s*$")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\(([^()\s]{0,2000})\)")
_ANY_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\](?:\([^()\s]{0,2000}\)|\[[^\[\]\n]{0,500}\])")
_COMMENT_MARK = re.compile(r"<!--|-->")
_MARKS = re.compile(r"(?P<between>(?<=[^\W_])[*`]++(?=[^\W_]))|[*`]++")
_GAP = re.compile(r"\n{3,}")


def plain_text(markdown: str) -> str:
    """
    Return *markdown* with its formatting stripped, its words in order.

    Marks of headings, lists, quotes, emphasis, code, comments, rules and tables
    go; what they mark stays, as do numbers such as `#12` and names such as `C#`.
    """
    lines = map(_plain_line, _LINK.sub(r"\1 (\2)", markdown).split("\n"))
    return _GAP.sub("\n\n", "\n".join(lines)).strip()


def without_links(markdown: str) -> str:
    """Return *markdown* with the text alone of each link and image."""
    return _ANY_LINK.sub(r"\1", markdown)


def _plain_line(line: str) -> str:
    if _RULE.match(line) or _FENCE.match(line):
        return ""
    unmarked = _MARKS.sub(_gap, _COMMENT_MARK.sub(" ", line))
    return _CLOSING_HASHES.sub("", _HEAD.sub(r"\g<indent>", unmarked)).rstrip()


def _gap(marks: re.Match[str]) -> str:
    """Return what takes the place of *marks*: a space where they alone kept two words apart."""
    return " " if marks["between"] else ""
