"""Where a sentence ends. Standard library only: the session-start hook needs it."""

import re
from collections.abc import Iterator

ENDS = ".!?"

_CUT = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+|(?<=[。！？])")  # noqa: RUF001
_ABBREVIATIONS = frozenset("e.g. i.e. vs. cf. approx. Mr. Mrs. Ms. Dr.".split())
_LONGEST = len("(approx.")
_OPENING = "([\"'"


def split_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of *line* in order, and what follows the last one; an abbreviation ends none."""
    start = 0
    for cut in _CUT.finditer(line):
        before = line[max(start, cut.start() - _LONGEST) : cut.start()]
        if before.rpartition(" ")[2].lstrip(_OPENING) not in _ABBREVIATIONS:
            yield line[start : cut.end()].strip()
            start = cut.end()
    if rest := line[start:].strip():
        yield rest
