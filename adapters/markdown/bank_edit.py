"""Edit lessons in knowledge banks byte by byte."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

import attrs

from hardwon.adapters.markdown.file_text import OPENING
from hardwon.adapters.markdown.knowledge_bank import (
    ENTRY_MARK,
    counts_of,
    entries_of,
    identity_of,
    is_same,
    line_end,
    whole_number,
)
from hardwon.domain.model.entry import MAX_COUNT
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.excerpt import Span
from hardwon.domain.model.knowledge_bank import (
    CONFIDENCE,
    ENTRY_HEAD,
    LAST_OBSERVED,
    METADATA_HEAD,
    NAME_PREFIXES,
    OBSERVATION_COUNT,
    OBSERVED_IN,
    TITLES,
    BankEntry,
    BankScope,
    metadata_line,
    text_after,
)
from hardwon.domain.model.retro.bank_edit import BankLesson, BankPlace
from hardwon.domain.model.text import CONTINUES, with_newlines
from hardwon.domain.model.vocabulary import Category

_CARRIAGE_RETURN = re.compile(r"\r(?=\n)")


class BankView:
    """
    A file as `parse_bank` reads it: no HTML comments, only newlines.

    Args:
        raw: The file's text with its original line ends.
    """

    def __init__(self, raw: str) -> None:
        kept = list(_visible(raw))
        self.text = "".join(raw[span.start : span.end] for span in kept).replace("\r", "\n")
        self._raw_starts = [span.start for span in kept]
        self._starts = list[int]()
        at = 0
        for span in kept:
            self._starts.append(at)
            at += span.end - span.start

    def raw(self, span: Span) -> Span:
        """
        Map *span* of the text to the file.

        An empty span comes right after the character before it.
        """
        if span.start == span.end:
            after = self._place(span.start - 1) + 1 if span.start else 0
            return Span(after, after)
        return Span(self._place(span.start), self._place(span.end - 1) + 1)

    def chunks(self) -> Iterator[Span]:
        """Yield the spans between the marks of entries, from the file's beginning."""
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


def _visible(raw: str) -> Iterator[Span]:
    """Yield the parts of *raw* that are parsed, none of them empty."""
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


MISREAD = (ENTRY_HEAD, METADATA_HEAD, OPENING, CONTINUES)
"""
Beginnings of a line that would not be read as text.

A space before it keeps the lesson.
"""


def with_lesson(text: str, lesson: BankLesson) -> str:
    """Append *lesson* to *text*."""
    used = {entry.name for entry in entries_of(text, lesson.category)}
    named = attrs.evolve(lesson, name=_unused(lesson.name, used))
    after = _appended(text, named)
    if _is_read_back(text, after, named):
        return after
    raise InvalidEntryError(
        f"{lesson.name!r} would not be read back from {lesson.category}.md as it is: say it without"
        " HTML comments and tags, and close those of the file"
    )


def _appended(text: str, lesson: BankLesson) -> str:
    before = text or f"# {TITLES[lesson.category]}\n"
    end = line_end(before)
    gap = "" if before.endswith(end * 2) else end if before.endswith(end) else end * 2
    return before + gap + end.join(_lines(lesson)) + end


def _is_read_back(before: str, after: str, lesson: BankLesson) -> bool:
    entries = entries_of(after, lesson.category)
    return entries[:-1] == entries_of(before, lesson.category) and _is_lesson(entries[-1:], lesson)


def _lines(lesson: BankLesson) -> Iterator[str]:
    yield f"{ENTRY_HEAD}{NAME_PREFIXES[lesson.category]}{lesson.name}"
    yield from _text_lines(lesson.description)
    if lesson.observed_in:
        yield metadata_line(OBSERVED_IN, lesson.observed_in)
    yield metadata_line(OBSERVATION_COUNT, lesson.observation_count)
    yield metadata_line(CONFIDENCE, lesson.confidence)
    yield metadata_line(LAST_OBSERVED, lesson.day)


def _text_lines(description: str) -> Iterator[str]:
    for line in with_newlines(description).split("\n"):
        yield f" {line}" if line.startswith(MISREAD) else line


def _is_lesson(entries: Sequence[BankEntry], lesson: BankLesson) -> bool:
    notes = (metadata_line(OBSERVED_IN, lesson.observed_in),) if lesson.observed_in else ()
    wanted = (
        lesson.name,
        lesson.identity,
        notes,
        lesson.observation_count,
        lesson.confidence,
        lesson.day,
    )
    return [wanted] == [
        (
            entry.name,
            identity_of(entry.text),
            entry.notes,
            entry.observation_count,
            entry.confidence,
            entry.last_observed,
        )
        for entry in entries
    ]


def _unused(name: str, used: Collection[str]) -> str:
    """Return *name*, numbered if used: an import skips duplicate headings."""
    return next(
        candidate
        for candidate in chain([name], (f"{name} ({number})" for number in count(2)))
        if candidate not in used
    )


class _Edit(NamedTuple):
    place: Span
    text: str


def with_count(text: str, category: Category, identity: str, day: str) -> str:
    """
    Increment the lesson's observation count, observed last on *day*.

    A *text* without the lesson is unchanged.
    """
    view, before = BankView(text), entries_of(text, category)
    chunks = list(view.chunks())
    known = [entry for entry in before if is_same(entry, identity)]
    after = _edited(
        text, [edit for entry in known for edit in _edits(view, chunks[entry.position], day)]
    )
    expected = [_incremented(entry, day) if entry in known else entry for entry in before]
    if known and not _are_equal(entries_of(after, category), expected):
        raise InvalidEntryError(
            f"the count of {identity} in {category}.md can't be told from its HTML comments: move"
            " them"
        )
    return after


def with_wording(text: str, category: Category, identity: str, name: str, description: str) -> str:
    """
    Replace the lesson's *description*, and its *name* unless that is empty.

    Raises:
        InvalidEntryError: it would not be read back unchanged, or other text would change too.
    """
    for known in entries_of(text, category):
        if is_same(known, identity):
            text = _reworded(text, known, name=name, description=description)
    return text


def _reworded(text: str, known: BankEntry, name: str, description: str) -> str:
    before = entries_of(text, known.category)
    used = {entry.name for entry in before if entry != known}
    lesson = BankLesson(
        category=known.category,
        name=_unused(name or known.name, used),
        description=description,
        observed_in="",
        observation_count=1,
        confidence=known.confidence,
        day="",
    )
    after = _edited(text, list(_new_wording(text, known, lesson)))
    if _is_reworded(entries_of(after, known.category), before, known=known, lesson=lesson):
        return after
    raise InvalidEntryError(
        f"{known.name!r} would not be read back from {known.category}.md as it is: say it without"
        " HTML comments and tags, and move the comments that the file has in its text"
    )


def _new_wording(text: str, known: BankEntry, lesson: BankLesson) -> Iterator[_Edit]:
    """
    Yield the edits of heading and description.

    There are none if a comment would be lost.
    """
    view = BankView(text)
    chunk = list(view.chunks())[known.position]
    heading, *_ = view.lines(chunk)
    metadata = _metadata(view, chunk)
    description = _stripped(view, Span(heading.end, metadata[0].start if metadata else chunk.end))
    if "<!--" in text[slice(*view.raw(description))]:
        return
    if lesson.name != known.name:
        prefix = known.heading.removesuffix(known.name)
        yield _Edit(view.raw(_stripped(view, heading)), prefix + lesson.name)
    yield _Edit(view.raw(description), "\n".join(_text_lines(lesson.description)))


def _stripped(view: BankView, span: Span) -> Span:
    text = view.text[slice(*span)]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))


def _is_reworded(
    after: Sequence[BankEntry], before: Sequence[BankEntry], known: BankEntry, lesson: BankLesson
) -> bool:
    """Return whether only name and description of *known* changed, to those of *lesson*."""
    if len(after) != len(before):
        return False
    now = after[before.index(known)]
    unchanged = now._replace(
        heading=known.heading,
        name=known.name,
        description=known.description,
        is_continued=known.is_continued,
    )
    others = [entry if entry != now else known for entry in after]
    return (
        [*before] == others
        and unchanged == known
        and (now.name, identity_of(now.text)) == (lesson.name, lesson.identity)
    )


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    """Apply *edits*, where those at the same position keep their order."""
    end = line_end(text)
    for edit in sorted(edits, key=lambda edit: edit.place)[::-1]:
        text = text[: edit.place.start] + edit.text.replace("\n", end) + text[edit.place.end :]
    return text


def _are_equal(some: Sequence[BankEntry], others: Sequence[BankEntry]) -> bool:
    """Return whether two readings are equal but for the form of their metadata."""
    return len(some) == len(others) and all(
        first == second or _noted(first) == _noted(second)
        for first, second in zip(some, others, strict=True)
    )


def _noted(entry: BankEntry) -> BankEntry:
    return entry._replace(metadata="\n".join(entry.notes))


def _edits(view: BankView, chunk: Span, day: str) -> Iterator[_Edit]:
    lines = _metadata(view, chunk)
    count = _last(
        view, lines, label=OBSERVATION_COUNT, is_value=lambda text: whole_number(text) is not None
    )
    last = _last(view, lines, label=LAST_OBSERVED, is_value=lambda _: True)
    present = whole_number(view.text[slice(*count)]) if count else 1
    missing = ""
    for value, label, now in (
        (count, OBSERVATION_COUNT, str(_next(present or 0))),
        (last, LAST_OBSERVED, day),
    ):
        if value is None:
            missing += f"\n{metadata_line(label, now)}"
        else:
            yield _Edit(view.raw(value), now if value.start < value.end else f" {now}")
    if missing:
        end = chunk.start + len(view.text[chunk.start : chunk.end].rstrip())
        yield _Edit(view.raw(Span(end, end)), missing)


def _last(
    view: BankView, lines: Sequence[Span], label: str, is_value: Callable[[str], bool]
) -> Span | None:
    for line in reversed(lines):
        text = text_after(label, view.text[slice(*line)])
        if text is not None and is_value(text):
            return _value(view, line)
    return None


def _metadata(view: BankView, chunk: Span) -> list[Span]:
    _, *lines = view.lines(chunk)
    first = next(
        (
            at
            for at, line in enumerate(lines)
            if view.text.startswith(METADATA_HEAD, line.start, line.end)
        ),
        len(lines),
    )
    return lines[first:]


def _value(view: BankView, line: Span) -> Span:
    return _stripped(view, Span(view.text.index(":", line.start) + 1, line.end))


def _next(count: int) -> int:
    return min(max(1, count) + 1, MAX_COUNT)


def _incremented(entry: BankEntry, day: str) -> BankEntry:
    return entry._replace(observation_count=_next(entry.observation_count), last_observed=day)


class MarkdownBanks(NamedTuple):
    """
    The texts of banks' files, satisfying `Banks`.

    Attributes:
        texts: The text of every file, empty if missing.
    """

    texts: Mapping[BankPlace, str]

    def counts(self, place: BankPlace) -> Mapping[str, int]:
        return counts_of(self.texts[place], place.category)

    def with_lesson(self, scope: BankScope, lesson: BankLesson) -> "MarkdownBanks":
        place = BankPlace(scope, lesson.category)
        return self._with(place, with_lesson(self.texts[place], lesson))

    def with_count(self, place: BankPlace, identity: str, day: str) -> "MarkdownBanks":
        return self._with(
            place, with_count(self.texts[place], place.category, identity=identity, day=day)
        )

    def with_wording(
        self, place: BankPlace, identity: str, name: str, description: str
    ) -> "MarkdownBanks":
        return self._with(
            place,
            with_wording(
                self.texts[place],
                place.category,
                identity=identity,
                name=name,
                description=description,
            ),
        )

    def _with(self, place: BankPlace, text: str) -> "MarkdownBanks":
        return MarkdownBanks({**self.texts, place: text})
