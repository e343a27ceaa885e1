"""Splitting of text and markdown into sentences. Standard library only: the session-start hook needs it."""

import re
from collections.abc import Iterator

from hardwon.domain.model.plain_text import COMMENT_OR_FENCE, plain_text

ENDS = ".!?"

_CUT = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+|(?<=[。！？])")  # noqa: RUF001
_ABBREVIATIONS = frozenset("e.g. i.e. vs. cf. approx. Mr. Mrs. Ms. Dr.".split())
_LONGEST = len("(approx.")
_OPENING = "([\"'"


def split_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of *line* in order, and the rest after the last; an abbreviation ends none."""
    start = 0
    for cut in _CUT.finditer(line):
        before = line[max(start, cut.start() - _LONGEST) : cut.start()]
        if before.rpartition(" ")[2].lstrip(_OPENING) not in _ABBREVIATIONS:
            yield line[start : cut.end()].strip()
            start = cut.end()
    if rest := line[start:].strip():
        yield rest


_TABLE_ROW = re.compile(r"[ \t]*\|")
_ITEM = re.compile(r"[ \t>]*(?:[-+*•]|\d{1,4}[.)])[ \t]+")
_BREAK = re.compile(r"[ \t>]*(?:#{1,6}(?:[ \t]|$)|[-*_=]{3,}[ \t]*$|$)")
_HAS_WORD = re.compile(r"[^\W_]{2}")


def sentences(markdown: str) -> list[str]:
    """
    Return the sentences of *markdown* in order, each one line of plain text.

    Fenced code, comments, tables and the marks of lists and headings are left out; an item of a list, and a heading, is a
    sentence even without its full stop.
    """
    return [
        sentence
        for paragraph in _paragraphs(COMMENT_OR_FENCE.sub("\n\n", markdown))
        for sentence in split_sentences(" ".join(plain_text(paragraph).split()))
        if _HAS_WORD.search(sentence)
    ]


def _paragraphs(markdown: str) -> Iterator[str]:
    """Yield the paragraphs, list items and headings, without the marks of lists."""
    running = list[str]()
    for line in markdown.split("\n"):
        item = _ITEM.match(line)
        begins_block = item or _BREAK.match(line) or _TABLE_ROW.match(line)
        if begins_block and running:
            yield "\n".join(running)
            running = []
        if not _TABLE_ROW.match(line):
            running.append(line[item.end() :] if item else line)
        if line.lstrip(" \t>").startswith("#"):  # a heading is a block of its own
            yield running.pop()
    yield "\n".join(running)
