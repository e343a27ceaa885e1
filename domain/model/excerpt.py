"""Excerpts: the passage of a text with most of the search terms."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, repeat
from typing import NamedTuple

from hardwon.domain.model.identity import searchable, unaccented
from hardwon.domain.model.text import is_unspaced, split_at_runs

CUT = "..."
SHORT = 2
"""Letters. A shorter term is highlighted as a whole word only."""


class Span(NamedTuple):
    """A slice of a text."""

    start: int
    end: int


class MarkedText(NamedTuple):
    """
    A text of one line, with the spans to highlight.

    Attributes:
        spans: In order, without overlap.
    """

    text: str
    spans: tuple[Span, ...] = ()

    def after(self, prefix: str) -> "MarkedText":
        """Put *prefix* before the text."""
        shift = len(prefix)
        return MarkedText(
            prefix + self.text, tuple(Span(start + shift, end + shift) for start, end in self.spans)
        )


class _Mark(NamedTuple):
    span: Span
    term: int


def excerpt(text: str, terms: Sequence[str], room: int) -> MarkedText:
    """
    Return the passage of *text* with most of *terms*.

    It is the first of several, cut at word borders.
    """
    line = " ".join(text.split())
    marks = list(_marks(line, terms))
    if len(line) <= room:
        return MarkedText(line, _joined(mark.span for mark in marks))
    inside = room - 2 * len(CUT)
    if inside <= 0:
        return MarkedText(line[: max(0, room)])
    return _cut_out(line, marks, _at_borders(line, _richest(marks, inside), inside))


def shortened(text: str, room: int) -> str:
    """Return the beginning of *text* on one line, cut to *room*."""
    return excerpt(text, (), room).text


def _marks(line: str, terms: Sequence[str]) -> Iterator[_Mark]:
    """
    Yield the positions of *terms*, in order.

    Within scripts without spaces they match anywhere, else as beginnings of words, with or without
    accents.
    """
    if not terms:
        return
    line, places = _plain(line)
    terms = [*map(unaccented, terms)]
    spaced = [term for term in terms if not is_unspaced(term)]
    unspaced = [term for term in terms if is_unspaced(term)]
    between = "".join(
        " " * len(part) if at % 2 else part for at, part in enumerate(split_at_runs(line))
    )
    for (start, end), term in merge(
        _words_marked(between, spaced), _runs_marked(line, unspaced, len(spaced))
    ):
        yield _Mark(Span(places[start], max(places[start] + 1, places[end])), term)


def _plain(line: str) -> tuple[str, Sequence[int]]:
    """
    Return *line* in plain letters, and the places of these in it.

    The last place is the end of *line*.
    """
    if line.isascii():
        return line, range(len(line) + 1)
    plain = [unaccented(searchable(sign)) for sign in line]
    places = (repeat(place, len(letters)) for place, letters in enumerate(plain))
    return "".join(plain), [*chain.from_iterable(places), len(line)]


def _words_marked(line: str, terms: Sequence[str]) -> Iterator[_Mark]:
    if not terms:
        return
    endings = ("" if len(term) <= SHORT else r"[^\W_]*" for term in terms)
    words = "|".join(
        f"({re.escape(term)}{ending})" for term, ending in zip(terms, endings, strict=True)
    )
    for found in re.finditer(rf"(?<![^\W_])(?:{words})(?![^\W_])", line, re.IGNORECASE):
        yield _Mark(Span(*found.span()), found.lastindex or 0)


def _runs_marked(line: str, terms: Sequence[str], before: int) -> Iterator[_Mark]:
    """
    Yield the positions of *terms*, also overlapping ones.

    They are numbered after the *before* others.
    """
    if not terms:
        return
    for found in re.finditer(
        f"(?={'|'.join(f'({re.escape(term)})' for term in terms)})", line, re.IGNORECASE
    ):
        number = found.lastindex or 0
        yield _Mark(Span(*found.span(number)), before + number)


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined = list[Span]()
    for span in spans:
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _richest(marks: Sequence[_Mark], room: int) -> Span:
    """
    Return the first span of at most *room* characters with most terms.

    One long word may exceed it.
    """
    inside, best, richest, first = Counter[int](), 0, Span(0, 0), 0
    for mark in marks:
        inside[mark.term] += 1
        while marks[first] is not mark and mark.span.end - marks[first].span.start > room:
            left_behind = marks[first].term
            inside[left_behind] -= 1
            if not inside[left_behind]:
                del inside[left_behind]
            first += 1
        if len(inside) > best:
            best, richest = len(inside), Span(marks[first].span.start, mark.span.end)
    return richest


def _at_borders(line: str, core: Span, room: int) -> Span:
    core_end = min(core.end, core.start + room)
    around = room - (core_end - core.start)
    start = max(0, min(core.start - around // 2, len(line) - room))
    if start and line[start - 1] != " ":
        start = line.find(" ", start, core.start) + 1 or core.start
    end = min(len(line), start + room)
    if end < len(line) and line[end] != " ":
        border = line.rfind(" ", core_end, end)
        end = border if border > 0 else end
    return Span(start, end)


def _cut_out(line: str, marks: Sequence[_Mark], passage: Span) -> MarkedText:
    start, end = passage
    within = (Span(max(span.start, start), min(span.end, end)) for span, _ in marks)
    spans = _joined(Span(left - start, right - start) for left, right in within if left < right)
    tail = CUT if end < len(line) else ""
    return MarkedText(line[start:end] + tail, spans).after(CUT if start else "")
