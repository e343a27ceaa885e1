"""A file of the project's memory: sections in order of time, between markers, and whatever the user adds to it."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.conversation.chunk import timestamp
from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.feature_description import FRONT_MATTER
from hardwon.domain.model.files.anchors import Extent, extents, sections
from hardwon.domain.model.files.markdown import FrontValue
from hardwon.domain.model.identity import IDENTITY
from hardwon.domain.model.line_ends import with_newlines
from hardwon.domain.model.sections.section_text import TIME
from hardwon.domain.model.sections.verbatim import heading

_TIME = re.compile(rf"^- \*\*{TIME}:\*\* (?P<first>\S+)", re.MULTILINE)
_IS_PERMANENT = re.compile(r"^permanent[ \t]*:[ \t]*true[ \t]*$", re.MULTILINE | re.IGNORECASE)
_MARK = "\ufeff"


class MemoryFile(NamedTuple):
    """
    A memory file, read once.

    Attributes:
        text: All of it.
        body_start: Where its head ends, 0 where it has none.
        own: The sections that go by a name of ours, in the order they begin.

    """

    text: str
    body_start: int
    own: tuple[Extent, ...]

    @property
    def note_ids(self) -> tuple[str, ...]:
        """The names of these sections."""
        return tuple(each.anchor_id for each in self.own)

    @property
    def is_permanent(self) -> bool:
        """Whether its head says that it is kept for good."""
        return _IS_PERMANENT.search(self.text, 0, self.body_start) is not None

    def times(self) -> Iterator[str]:
        """Yield when each section began; one that no longer says so stays behind the one before it."""
        latest = ""
        for each in self.own:
            head_end = self.text.find("\n### ", each.start, each.stop)
            found = _TIME.search(self.text, each.start, each.stop if head_end < 0 else head_end)
            latest = max(latest, time_key(found["first"]) if found else "")
            yield latest


def front_matter(note: Note) -> dict[str, FrontValue]:
    """Return what stands at the head of a file that *note* begins."""
    return {
        "title": note.title,
        "type": note.kind,
        "date": timestamp(note.at),
        "project": note.project,
        **({"branch": note.branch} if note.branch else {}),
        **({"permanent": True} if note.permanent else {}),
    }


def first_body(note: Note) -> str:
    """Return what stands below the head of that file, before any section."""
    return f"\n# {heading(note.title)}\n"


@lru_cache(maxsize=64)
def memory_file(text: str) -> MemoryFile:
    """Return the file *text* with where its sections stand; what was just written need not be parsed to be read."""
    begins = _body_start(text)
    body = text[begins:].replace("\r\n", " \n").replace("\r", "\n")  # each as long as it was
    own = (each for each in extents(body) if IDENTITY.fullmatch(each.anchor_id))
    return MemoryFile(
        text, begins, tuple(Extent(each.anchor_id, each.start + begins, each.stop + begins) for each in own)
    )


def sections_in(text: str) -> Mapping[str, str]:
    """Return what stands in each section of ours, as whoever reads the file *text* finds it, by its name."""
    body = with_newlines(text[_body_start(text) :])
    return {each.anchor_id: each.text for each in sections(body).found if IDENTITY.fullmatch(each.anchor_id)}


def time_key(stamp: str) -> str:
    """Return what orders a time stamp in UTC among others, with or without milliseconds."""
    return stamp.removesuffix("Z")


def _body_start(text: str) -> int:
    mark = len(_MARK) if text.startswith(_MARK) else 0
    head = FRONT_MATTER.match(text[mark:].replace("\r\n", " \n"))
    return mark + head.end() if head else 0
