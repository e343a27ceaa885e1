"""
Sections put into a memory file and taken out of it; all else stays as it is.

A file of the project's memory: sections in order of time, between markers, and whatever the user adds to it.

What of a session stands in the project's files.
"""

import datetime as dt
import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.context import FRONT_MATTER
from hardwon.domain.model.conversation.details import Note
from hardwon.domain.model.conversation.session import PERMANENT_MARK, timestamp
from hardwon.domain.model.formats.anchors import Extent, extents, sections
from hardwon.domain.model.formats.conversation_format import (
    SESSION,
    TIME,
    heading,
    outline,
    permanence_of,
    time_span_of,
    unescaped,
)
from hardwon.domain.model.formats.document_format import FrontValue
from hardwon.domain.model.identity import IDENTITY
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import Kind

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


_PERMANENT = re.compile(r"^permanent[ \t]*:.*$", re.MULTILINE)
_PERMANENT_LINE = "permanent: true"
_TITLE = re.compile(r'^title:[ \t]*(?:"(?P<quoted>[^\n]*)"|(?P<plain>[^"\'\n][^\n]*?))[ \t]*$', re.MULTILINE)
_HEADING = re.compile(r"^# (?!\[PERMANENT\])(?P<title>.*)$", re.MULTILINE)
_OUR_HEAD = re.compile(r"\ufeff?---[ \t]*|(?:title|type|date|project|branch|permanent):.*")


class _Edit(NamedTuple):
    """What stands in place of a part of a text."""

    start: int
    stop: int
    text: str


def as_section(note: Note) -> str:
    """Return how *note* stands in a file, its markers included."""
    return f"<!-- ANCHOR:{note.note_id} -->\n{note.text}\n<!-- /ANCHOR:{note.note_id} -->"


def with_notes(file: MemoryFile, notes: Iterable[Note]) -> str:
    """
    Return *file* with the sections of *notes*, each in place of its earlier one or where its time puts it.

    All else stays as it is, but for the head, which says that the file is kept for
    good if a note is; its title says so too if that is the first one. What is never closed may hide a section: look whether it is found.
    """
    notes = sorted(notes, key=_key)
    earlier = {each.anchor_id: each for each in file.own}
    replaced = [_Edit(old.start, old.stop, as_section(note)) for note in notes if (old := earlier.get(note.note_id))]
    new = [note for note in notes if note.note_id not in earlier]
    text = _edited(file.text, [*replaced, *_insertions(file, new)])
    permanent = {note.note_id for note in notes if note.permanent}
    if not permanent:
        return text
    kept = _kept_for_good(text, file.body_start)
    return _titled_for_good(kept) if permanent.intersection(memory_file(text).note_ids[:1]) else kept


def without_notes(file: MemoryFile, note_ids: Collection[str]) -> str:
    """Return *file* without the sections of these names; nothing where nothing but what we wrote is left of it."""
    gone = [
        _Edit(*_with_space(file.text, each.start, each.stop), "") for each in file.own if each.anchor_id in note_ids
    ]
    text = _edited(file.text, gone)
    left = memory_file(text)
    return "" if gone and not left.own and _is_ours(left) else text


def _insertions(file: MemoryFile, notes: Iterable[Note]) -> Iterator[_Edit]:
    """Yield where *notes*, which are in order, are put in."""
    keys = list(zip(file.times(), file.note_ids, strict=True))
    end = file.own[-1].stop if file.own else len(file.text.rstrip("\n"))
    last = list[Note]()
    for note in notes:
        if (place := bisect(keys, _key(note))) < len(keys):
            start = file.own[place].start
            yield _Edit(start, start, f"{as_section(note)}\n\n")
        else:
            last.append(note)
    if last:
        stop = end if file.own else len(file.text)
        line_end = "" if file.text[stop:] else "\n"
        yield _Edit(end, stop, "".join(f"\n\n{as_section(note)}" for note in last) + line_end)


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    """Return *text* with *edits*; of those that overlap the first counts."""
    parts, done = list[str](), 0
    for edit in sorted(edits, key=lambda each: (each.start, each.stop)):
        if edit.start >= done:
            parts += (text[done : edit.start], edit.text)
            done = edit.stop
    return "".join(parts) + text[done:]


def _key(note: Note) -> tuple[str, str]:
    return (time_key(timestamp(note.at.astimezone(dt.UTC))), note.note_id)


def _with_space(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return where a section stands together with the blank line before it."""
    before = re.search(r"(?:\r?\n){0,2}\Z", text[max(0, start - 4) : start])
    return start - len(before[0] if before else ""), stop


def _is_ours(file: MemoryFile) -> bool:
    """Tell whether a file without sections holds what we begin one with, and no more."""
    head, body = file.text[: file.body_start], file.text[file.body_start :]
    titles = [line for line in body.splitlines() if line.strip()]
    is_title_alone = len(titles) <= 1 and all(line.startswith("# ") for line in titles)
    return is_title_alone and all(map(_OUR_HEAD.fullmatch, head.splitlines()))


def _kept_for_good(text: str, body_start: int) -> str:
    if not body_start:
        return text
    head, body = text[:body_start], text[body_start:]
    if _PERMANENT.search(head):
        return _PERMANENT.sub(_PERMANENT_LINE, head, count=1) + body
    before, end = head.rsplit("\n", 1)
    return f"{before}\n{_PERMANENT_LINE}\n{end}{body}"


def _titled_for_good(text: str) -> str:
    """Return *text* with the mark before the title in its head, and before its heading, if it is not there yet."""
    start = memory_file(text).body_start
    head, body = text[:start], text[start:]
    headed = _HEADING.sub(lambda found: f"# {PERMANENT_MARK}{found['title']}", body, count=1)
    return _TITLE.sub(_marked_title, head, count=1) + headed


def _marked_title(found: re.Match[str]) -> str:
    title = found["plain"] if found["quoted"] is None else found["quoted"]
    return found[0] if title.startswith(PERMANENT_MARK) else f'title: "{PERMANENT_MARK}{title}"'


class SectionOfSession(NamedTuple):
    """
    A section of a memory file that says which session it comes from.

    Attributes:
        note_id: Its anchor: 16 hex digits.
        kind: Conversation, decision, gotcha or preference.
        starts_at: When its first exchange began, in UTC.
        ends_at: When its last exchange began, in UTC.
        permanent: Whether it says that it is kept for good.

    """

    note_id: str
    kind: Kind
    starts_at: dt.datetime
    ends_at: dt.datetime
    permanent: bool


def sections_of_session(text: str, kind: Kind, session_id: str) -> Iterator[SectionOfSession]:
    """Yield the sections of a memory file *text* of that *kind* that name the session, and when they were said."""
    for note_id, section in sections_in(text).items():
        read = outline(section)
        named = read.facts.get(SESSION) if read else None
        if read and named and unescaped(named) == session_id and (said := time_span_of(read)):
            yield SectionOfSession(note_id, kind, said.first, said.last, bool(permanence_of(section)))
