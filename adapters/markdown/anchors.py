"""
Parse anchored sections, the convention of spec-kit's memory files.

A section is enclosed in `<!-- ANCHOR:id -->` and `<!-- /ANCHOR:id -->`, in any case.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hardwon.adapters.markdown.document_format import first_of
from hardwon.domain.model.plain_text import COMMENT_OR_FENCE

ID_LENGTH = 120
MAX_DEPTH = 8
"""
Upper bound of nesting.

Without it the sections' text would be quadratic in the file's length.
"""

SHOWN_CHARACTERS = 60

COMMENT = "<!--"

_ID = re.compile(rf"[\w./-]{{1,{ID_LENGTH}}}")
_MARKER = r"<!--\s*(?P<end>/?)anchor:(?P<id>[^\n]*?)-->"
_MARKER_OR_SILENT = re.compile(
    rf"(?i:{_MARKER})|{COMMENT_OR_FENCE.pattern}", re.DOTALL | re.MULTILINE
)


class AnchorSection(NamedTuple):
    """
    An anchored section of a file.

    Attributes:
        anchor_id: As written: 1 to 120 letters, digits and `-_./`.
        text: Not blank, without markers.
    """

    anchor_id: str
    text: str


class AnchorSections(NamedTuple):
    """
    The anchored sections of a file.

    Attributes:
        found: In the order of their beginnings, without duplicate ids.
        complaints: Faults of the markers, at most six lines.
    """

    found: tuple[AnchorSection, ...]
    complaints: tuple[str, ...] = ()


class Extent(NamedTuple):
    """
    The position of a section in a body, with its markers.

    Attributes:
        start: Where its first marker begins.
        stop: Where its last marker ends; of an unclosed section, where the next marker begins or
            the body ends.
    """

    anchor_id: str
    start: int
    stop: int


class _Marker(NamedTuple):
    anchor_id: str
    is_end: bool
    start: int
    stop: int


def sections(body: str) -> AnchorSections:
    """
    Return the anchored sections of *body* in linear time.

    Markers in code or in other comments don't count. A section includes those nested in it. An
    unclosed one runs to the next marker or the end; of duplicate ids the first wins.
    """
    markers, pairing = _paired(body)
    found = [
        AnchorSection(markers[a].anchor_id, _between(body, markers, begin=a, end=b))
        for a, b in pairing.spans()
    ]
    blank = [
        f"the anchor {section.anchor_id!r} holds nothing" for section in found if not section.text
    ]
    complaints = first_of(pairing.complaints + blank, "complaints about anchors")
    return AnchorSections(tuple(section for section in found if section.text), complaints)


def extents(body: str) -> tuple[Extent, ...]:
    """Return the positions of all anchored sections of *body*, blank ones too."""
    markers, pairing = _paired(body)
    return tuple(
        Extent(
            markers[begin].anchor_id,
            markers[begin].start,
            _stop(body, markers, begin=begin, end=end),
        )
        for begin, end in pairing.spans()
    )


def without_markers(body: str) -> str:
    """Remove the markers of sections from *body*, and nothing else."""
    edges = [
        0,
        *(edge for marker in _markers(body) for edge in (marker.start, marker.stop)),
        len(body),
    ]
    return "".join(body[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True))


def _paired(body: str) -> tuple[list[_Marker], "_Pairing"]:
    markers = list(_markers(body))
    pairing = _Pairing()
    for number, marker in enumerate(markers):
        pairing.add(number, marker)
    return markers, pairing


def _stop(body: str, markers: Sequence[_Marker], begin: int, end: int) -> int:
    if end == len(markers):
        return len(body)
    is_own = markers[end].is_end and markers[end].anchor_id == markers[begin].anchor_id
    return markers[end].stop if is_own else markers[end].start


def _markers(body: str) -> Iterator[_Marker]:
    for found in _MARKER_OR_SILENT.finditer(body) if COMMENT in body else ():
        start, stop = found.span()
        is_code = body[start - 1 : start] == "`" == body[stop : stop + 1]
        if found["id"] is not None and not is_code:
            yield _Marker(
                anchor_id=found["id"].strip(), is_end=bool(found["end"]), start=start, stop=stop
            )


def _between(body: str, markers: Sequence[_Marker], begin: int, end: int) -> str:
    """
    Return the text between two markers, without nested markers.

    *end* may be one past the last.
    """
    stops = [marker.stop for marker in markers[begin:end]]
    starts = [marker.start for marker in markers[begin + 1 : end + 1]]
    return "".join(body[start:stop] for start, stop in zip_longest(stops, starts)).strip()


class _Pairing:
    """Pairs of begin and end markers, by their numbers."""

    def __init__(self) -> None:
        self._begins: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._open = Counter[str]()
        self.complaints = list[str]()

    def add(self, number: int, marker: _Marker) -> None:
        if not _ID.fullmatch(marker.anchor_id):
            self._complain(
                marker.anchor_id, f"is left out: write up to {ID_LENGTH} letters, digits and -_./"
            )
        elif marker.is_end:
            self._end(number, marker.anchor_id)
        else:
            self._begin(number, marker.anchor_id)

    def spans(self) -> list[tuple[int, int]]:
        """
        Return the first and last marker of each section, in order.

        Sections nested too deeply are left out.
        """
        spans = list[tuple[int, int]]()
        around = list[int]()  # ends of the sections that enclose this one
        for anchor_id, begin in self._begins.items():
            around = [end for end in around if end > begin]
            if len(around) == MAX_DEPTH:
                self._complain(anchor_id, f"is left out: it lies in {MAX_DEPTH} others")
                continue
            spans.append((begin, self._end_of(anchor_id, begin)))
            around.append(spans[-1][1])
        return spans

    def _begin(self, number: int, anchor_id: str) -> None:
        self._open[anchor_id] += 1
        if anchor_id in self._begins:
            self._complain(anchor_id, "stands there twice: the first counts")
        self._begins.setdefault(anchor_id, number)

    def _end(self, number: int, anchor_id: str) -> None:
        if not self._open[anchor_id]:
            self._complain(anchor_id, "is closed but not open")
            return
        self._open[anchor_id] -= 1
        if not self._open[anchor_id]:
            self._ends.setdefault(anchor_id, number)

    def _end_of(self, anchor_id: str, begin: int) -> int:
        if anchor_id not in self._ends:
            self._complain(anchor_id, f"is never closed: end it with <!-- /ANCHOR:{anchor_id} -->")
        return self._ends.get(anchor_id, begin + 1)

    def _complain(self, anchor_id: str, what: str) -> None:
        self.complaints.append(f"the anchor {anchor_id[:SHOWN_CHARACTERS]!r} {what}")
