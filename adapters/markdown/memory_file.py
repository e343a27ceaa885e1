"""A memory file, and edits that keep all other text."""

import datetime as dt
import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from hardwon.adapters.markdown.anchors import Extent, extents, sections
from hardwon.adapters.markdown.conversation_format import outline, permanence_of, time_span_of
from hardwon.adapters.markdown.document import FileSection
from hardwon.adapters.markdown.document_format import FrontValue
from hardwon.adapters.markdown.section_text import SESSION, TIME, heading, unescaped
from hardwon.domain.model.conversation.session import timestamp
from hardwon.domain.model.conversation.title import PERMANENT_MARK
from hardwon.domain.model.identity import IDENTITY
from hardwon.domain.model.plain_text import FRONT_MATTER
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.documents import SectionOfSession

_TIME = re.compile(rf"^- \*\*{TIME}:\*\* (?P<first>\S+)", re.MULTILINE)
_IS_PERMANENT = re.compile(r"^permanent[ \t]*:[ \t]*true[ \t]*$", re.MULTILINE | re.IGNORECASE)
_MARK = "\ufeff"


class MemoryFile(NamedTuple):
    """
    A memory file, read once.

    Attributes:
        body_start: Where its head ends, 0 without one.
        own: The captured sections, in the order of their beginnings.
    """

    text: str
    body_start: int
    own: tuple[Extent, ...]

    @property
    def section_ids(self) -> tuple[str, ...]:
        """The ids of the captured sections."""
        return tuple(extent.anchor_id for extent in self.own)

    @property
    def is_permanent(self) -> bool:
        """Whether its head marks it as permanent."""
        return _IS_PERMANENT.search(self.text, 0, self.body_start) is not None

    def times(self) -> Iterator[str]:
        """
        Yield the start of each section.

        One without a time keeps its place behind the one before it.
        """
        latest = ""
        for extent in self.own:
            head_end = self.text.find("\n### ", extent.start, extent.stop)
            found = _TIME.search(self.text, extent.start, extent.stop if head_end < 0 else head_end)
            latest = max(latest, time_key(found["first"]) if found else "")
            yield latest


def front_matter(section: FileSection) -> dict[str, FrontValue]:
    """Return the head of a new file whose first section is *section*."""
    return {
        "title": section.title,
        "type": section.kind,
        "date": timestamp(section.at),
        "project": section.project,
        **({"branch": section.branch} if section.branch else {}),
        **({"permanent": True} if section.permanent else {}),
    }


def first_body(section: FileSection) -> str:
    """Return the text below the head of that file, before any section."""
    return f"\n# {heading(section.title)}\n"


@lru_cache(maxsize=64)
def memory_file(text: str) -> MemoryFile:
    """Parse the file *text*, cached."""
    begins = _body_start(text)
    body = text[begins:].replace("\r\n", " \n").replace("\r", "\n")  # same length
    own = (extent for extent in extents(body) if IDENTITY.fullmatch(extent.anchor_id))
    return MemoryFile(
        text,
        begins,
        tuple(
            Extent(extent.anchor_id, extent.start + begins, extent.stop + begins) for extent in own
        ),
    )


def sections_in(text: str) -> Mapping[str, str]:
    """Return the text of each captured section, by its id."""
    body = with_newlines(text[_body_start(text) :])
    return {
        section.anchor_id: section.text
        for section in sections(body).found
        if IDENTITY.fullmatch(section.anchor_id)
    }


def time_key(stamp: str) -> str:
    """Return the sort key of a UTC timestamp, with or without milliseconds."""
    return stamp.removesuffix("Z")


def _body_start(text: str) -> int:
    mark = len(_MARK) if text.startswith(_MARK) else 0
    head = FRONT_MATTER.match(text[mark:].replace("\r\n", " \n"))
    return mark + head.end() if head else 0


def sections_of_session(text: str, kind: Kind, session_id: str) -> Iterator[SectionOfSession]:
    """Yield the sections in *text* that name the session and a time."""
    for section_id, section in sections_in(text).items():
        read = outline(section)
        named = read.facts.get(SESSION) if read else None
        if read and named and unescaped(named) == session_id and (span := time_span_of(read)):
            yield SectionOfSession(
                section_id=section_id,
                kind=kind,
                starts_at=span.first,
                ends_at=span.last,
                permanent=bool(permanence_of(section)),
            )


_PERMANENT = re.compile(r"^permanent[ \t]*:.*$", re.MULTILINE)
_PERMANENT_LINE = "permanent: true"
_TITLE = re.compile(
    r'^title:[ \t]*(?:"(?P<quoted>[^\n]*)"|(?P<plain>[^"\'\n][^\n]*?))[ \t]*$', re.MULTILINE
)
_HEADING = re.compile(r"^# (?!\[PERMANENT\])(?P<title>.*)$", re.MULTILINE)
_GENERATED_HEAD = re.compile(r"\ufeff?---[ \t]*|(?:title|type|date|project|branch|permanent):.*")


class _Edit(NamedTuple):
    start: int
    stop: int
    text: str


def as_section(section: FileSection) -> str:
    """Return *section* with its markers."""
    return (
        f"<!-- ANCHOR:{section.section_id} -->\n{section.text}\n<!--"
        f" /ANCHOR:{section.section_id} -->"
    )


def with_sections(file: MemoryFile, sections: Iterable[FileSection]) -> str:
    """
    Put *sections* into *file*, replacing those with the same ids.

    All other text stays, but the file is marked as permanent if a section is, and its title too if
    that is the first section. An unclosed comment or fence may hide a section: check that it is
    found.
    """
    sections = sorted(sections, key=_key)
    earlier = {extent.anchor_id: extent for extent in file.own}
    replaced = [
        _Edit(old.start, old.stop, as_section(section))
        for section in sections
        if (old := earlier.get(section.section_id))
    ]
    new = [section for section in sections if section.section_id not in earlier]
    text = _edited(file.text, [*replaced, *_insertions(file, new)])
    permanent = {section.section_id for section in sections if section.permanent}
    if not permanent:
        return text
    kept = _kept_for_good(text, file.body_start)
    return (
        _titled_for_good(kept)
        if permanent.intersection(memory_file(text).section_ids[:1])
        else kept
    )


def without_sections(file: MemoryFile, section_ids: Collection[str]) -> str:
    """
    Remove these sections from *file*.

    Empty if only generated text is left.
    """
    gone = [
        _Edit(*_with_space(file.text, extent.start, extent.stop), "")
        for extent in file.own
        if extent.anchor_id in section_ids
    ]
    text = _edited(file.text, gone)
    left = memory_file(text)
    return "" if gone and not left.own and _is_generated(left) else text


def _insertions(file: MemoryFile, sections: Iterable[FileSection]) -> Iterator[_Edit]:
    keys = list(zip(file.times(), file.section_ids, strict=True))
    end = file.own[-1].stop if file.own else len(file.text.rstrip("\n"))
    last = list[FileSection]()
    for section in sections:
        if (place := bisect(keys, _key(section))) < len(keys):
            start = file.own[place].start
            yield _Edit(start, start, f"{as_section(section)}\n\n")
        else:
            last.append(section)
    if last:
        stop = end if file.own else len(file.text)
        line_end = "" if file.text[stop:] else "\n"
        yield _Edit(end, stop, "".join(f"\n\n{as_section(section)}" for section in last) + line_end)


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    parts, done = list[str](), 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        if edit.start >= done:
            parts += (text[done : edit.start], edit.text)
            done = edit.stop
    return "".join(parts) + text[done:]


def _key(section: FileSection) -> tuple[str, str]:
    return (time_key(timestamp(section.at.astimezone(dt.UTC))), section.section_id)


def _with_space(text: str, start: int, stop: int) -> tuple[int, int]:
    before = re.search(r"(?:\r?\n){0,2}\Z", text[max(0, start - 4) : start])
    return start - len(before[0] if before else ""), stop


def _is_generated(file: MemoryFile) -> bool:
    """Return whether a file without sections has only a new file's text."""
    head, body = file.text[: file.body_start], file.text[file.body_start :]
    titles = [line for line in body.splitlines() if line.strip()]
    is_title_alone = len(titles) <= 1 and all(line.startswith("# ") for line in titles)
    return is_title_alone and all(map(_GENERATED_HEAD.fullmatch, head.splitlines()))


def _kept_for_good(text: str, body_start: int) -> str:
    if not body_start:
        return text
    head, body = text[:body_start], text[body_start:]
    if _PERMANENT.search(head):
        return _PERMANENT.sub(_PERMANENT_LINE, head, count=1) + body
    before, end = head.rsplit("\n", 1)
    return f"{before}\n{_PERMANENT_LINE}\n{end}{body}"


def _titled_for_good(text: str) -> str:
    start = memory_file(text).body_start
    head, body = text[:start], text[start:]
    headed = _HEADING.sub(lambda found: f"# {PERMANENT_MARK}{found['title']}", body, count=1)
    return _TITLE.sub(_marked_title, head, count=1) + headed


def _marked_title(found: re.Match[str]) -> str:
    title = found["plain"] if found["quoted"] is None else found["quoted"]
    return found[0] if title.startswith(PERMANENT_MARK) else f'title: "{PERMANENT_MARK}{title}"'
