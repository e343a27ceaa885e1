"""A knowledge-bank file as it is read, with where each character of it stands in the file."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from hardwon.domain.model.knowledge_bank import ENTRY_MARK

_CARRIAGE_RETURN = re.compile(r"\r(?=\n)")


class Span(NamedTuple):
    """A part of a text: from *start* to before *end*."""

    start: int
    end: int


class BankView:
    """
    What `parse_bank` sees of a file: no HTML comments, newlines as the only line ends.

    Args:
        raw: The file's text, its line ends as they are.

    """

    def __init__(self, raw: str) -> None:
        kept = list(_kept(raw))
        self.text = "".join(raw[span.start : span.end] for span in kept).replace("\r", "\n")
        self._raw_starts = [span.start for span in kept]
        self._starts = list[int]()
        at = 0
        for span in kept:
            self._starts.append(at)
            at += span.end - span.start

    def raw(self, span: Span) -> Span:
        """Return where *span* of the text stands in the file; an empty one stands behind the character before it."""
        if span.start == span.end:
            after = self._place(span.start - 1) + 1 if span.start else 0
            return Span(after, after)
        return Span(self._place(span.start), self._place(span.end - 1) + 1)

    def chunks(self) -> Iterator[Span]:
        """Yield what stands between the marks of entries, the text before the first included."""
        marks = list(ENTRY_MARK.finditer(self.text))
        starts = [0, *(mark.end() for mark in marks)]
        ends = [*(mark.start() for mark in marks), len(self.text)]
        yield from map(Span, starts, ends)

    def lines(self, chunk: Span) -> Iterator[Span]:
        """Yield the lines of *chunk*, without their ends."""
        at = chunk.start
        for line in self.text[chunk.start : chunk.end].split("\n"):
            yield Span(at, at + len(line))
            at += len(line) + 1

    def _place(self, index: int) -> int:
        piece = bisect_right(self._starts, index) - 1
        return self._raw_starts[piece] + index - self._starts[piece]


def _kept(raw: str) -> Iterator[Span]:
    """Yield the parts of *raw* that are read, none of them empty."""
    for part in _uncommented(raw):
        at = part.start
        for dropped in _CARRIAGE_RETURN.finditer(raw, part.start, min(part.end + 1, len(raw))):
            if dropped.start() > at:
                yield Span(at, dropped.start())
            at = dropped.end()
        if at < part.end:
            yield Span(at, part.end)


def _uncommented(raw: str) -> Iterator[Span]:
    at = 0
    while (start := raw.find("<!--", at)) >= 0 and (end := raw.find("-->", start + 4)) >= 0:
        yield Span(at, start)
        at = end + 3
    yield Span(at, len(raw))
