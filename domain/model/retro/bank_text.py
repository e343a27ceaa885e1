"""A new lesson in a knowledge-bank file; what stands there already stays byte for byte."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

from hardwon.domain.model.bank_grammar import (
    CONFIDENCE,
    ENTRY_HEAD,
    LAST_OBSERVED,
    METADATA_HEAD,
    NAME_PREFIXES,
    OBSERVATION_COUNT,
    OBSERVED_IN,
    TITLES,
    metadata_line,
)
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.knowledge_bank import BankEntry
from hardwon.domain.model.line_ends import with_newlines
from hardwon.domain.model.repetition import CONTINUES, split_by_title
from hardwon.domain.model.retro.bank_lesson import BankLesson, entries_of, identity_of, line_end

SPLITTING = (ENTRY_HEAD, METADATA_HEAD)
"""How a line begins that would end a description; a space before it takes that from it and is no change of the lesson."""


def with_lesson(text: str, lesson: BankLesson) -> str:
    """
    Return *text* with *lesson* at its end.

    Raises:
        InvalidEntryError: it would not be read back as it is, or change how the rest is read.
    """
    for form in _forms(lesson, {entry.name for entry in entries_of(text, lesson.category)}):
        after = _appended(text, form)
        if _is_read_back(text, after, form.lesson):
            return after
    raise InvalidEntryError(
        f"{lesson.name!r} would not be read back from {lesson.category}.md as it is: say it without HTML comments"
        " and tags, and close those of the file"
    )


class _Form(NamedTuple):
    """A lesson, and what stands below its name."""

    lesson: BankLesson
    body: str


def _forms(lesson: BankLesson, used: Collection[str]) -> Iterator[_Form]:
    """Yield how *lesson* may stand in a file: with its name said once if its text begins with it, else as it is."""
    split = split_by_title(lesson.name, lesson.description)
    if split.beginning and split.beginning not in used:
        yield _Form(lesson._replace(name=split.beginning), split.continued)
    body = lesson.description
    escaped = CONTINUES + body if body.startswith(CONTINUES) else body
    yield _Form(lesson._replace(name=_unused(lesson.name, used)), escaped)


def _appended(text: str, form: _Form) -> str:
    before = text or f"# {TITLES[form.lesson.category]}\n"
    end = line_end(before)
    gap = "" if before.endswith(end * 2) else end if before.endswith(end) else end * 2
    return before + gap + end.join(_lines(form)) + end


def _is_read_back(before: str, after: str, lesson: BankLesson) -> bool:
    """Tell whether *after* says what *before* did, and *lesson*."""
    entries = entries_of(after, lesson.category)
    return entries[:-1] == entries_of(before, lesson.category) and _says(entries[-1:], lesson)


def _lines(form: _Form) -> Iterator[str]:
    lesson = form.lesson
    yield f"{ENTRY_HEAD}{NAME_PREFIXES[lesson.category]}{lesson.name}"
    for line in with_newlines(form.body).split("\n"):
        yield f" {line}" if line.startswith(SPLITTING) else line
    if lesson.observed_in:
        yield metadata_line(OBSERVED_IN, lesson.observed_in)
    yield metadata_line(OBSERVATION_COUNT, lesson.observation_count)
    yield metadata_line(CONFIDENCE, lesson.confidence)
    yield metadata_line(LAST_OBSERVED, lesson.day)


def _says(entries: Sequence[BankEntry], lesson: BankLesson) -> bool:
    """Tell whether the one of *entries* is *lesson*."""
    notes = (metadata_line(OBSERVED_IN, lesson.observed_in),) if lesson.observed_in else ()
    wanted = (lesson.name, lesson.identity, notes, lesson.observation_count, lesson.confidence, lesson.day)
    return [wanted] == [
        (
            each.name,
            identity_of(each.text),
            each.notes,
            each.observation_count,
            each.confidence,
            each.last_observed,
        )
        for each in entries
    ]


def _unused(name: str, used: Collection[str]) -> str:
    """Return *name*, numbered when another lesson has it: an import passes over a heading it has seen."""
    return next(each for each in chain([name], (f"{name} ({number})" for number in count(2))) if each not in used)
