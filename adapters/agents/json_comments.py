"""Comments in JSON, as some agents allow them."""

import re

_PART = re.compile(r'"(?:\\.|[^"\\])*"?|//[^\r\n]*|/\*.*?\*/|/\*.*', re.DOTALL)
_NO_LINE_END = re.compile(r"[^\r\n]")


def blanked(text: str) -> str:
    """Return *text* with a space for every character of a comment, line ends aside; one without an end stays."""
    return _PART.sub(lambda found: _NO_LINE_END.sub(" ", found[0]) if _is_comment(found[0]) else found[0], text)


def comments_in(text: str) -> list[str]:
    """Return the comments in order."""
    return [part for part in _PART.findall(text) if _is_comment(part)]


def _is_comment(part: str) -> bool:
    return part.startswith("//") or (part.startswith("/*") and part.endswith("*/") and part != "/*/")
