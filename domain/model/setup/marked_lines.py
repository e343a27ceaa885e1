"""Lines of ours at the end of a user's file whose comments begin with a hash."""

import re

from hardwon.domain.model.errors import UneditableFileError

BEGIN = "# hardwon:begin (written by hardwon init, removed by hardwon init --remove)"
END = "# hardwon:end"

_BLOCK = re.compile(r"(?:(?<=\n)\r?\n)?^# hardwon:begin\b.*?^# hardwon:end[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL)
_MARKER = re.compile(r"^# hardwon:(?:begin|end)\b", re.MULTILINE)


def with_lines(text: str, lines: str) -> str:
    """
    Return *text* with *lines* between our two marks, all else as it was; an empty line keeps them apart.

    Raises:
        UneditableFileError: there is a mark without its other, or there are several.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{lines}{END}\n".replace("\n", newline)
    if _is_marked(text):
        return _BLOCK.sub(lambda found: f"{newline if _is_apart(found[0]) else ''}{block}", text)
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}"


def without_lines(text: str) -> str:
    """Return *text* without our lines, their marks, and the empty line before them; what is raised is as above."""
    return _BLOCK.sub("", text) if _is_marked(text) else text


def _is_marked(text: str) -> bool:
    marks = len(_MARKER.findall(text))
    if marks and (marks != 2 or len(_BLOCK.findall(text)) != 1):  # noqa: PLR2004  # one begins, one ends
        raise UneditableFileError(f"its marks '# hardwon:begin' and {END!r} are not one of each, in order")
    return marks > 0


def _is_apart(block: str) -> bool:
    return block.startswith(("\n", "\r\n"))
