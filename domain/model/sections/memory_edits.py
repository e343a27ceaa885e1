"""Sections put into a memory file and taken out of it; all else stays as it is."""

import datetime as dt
import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from hardwon.domain.model.conversation.chunk import PERMANENT_MARK, timestamp
from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.sections.memory_file import MemoryFile, memory_file, time_key

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
