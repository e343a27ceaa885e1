"""What an item of a retrospective becomes: an entry of the store, and a lesson of the knowledge bank."""

import datetime as dt
import re
from typing import Any

import attrs

from hardwon.domain.model.bank_grammar import OBSERVED_IN, metadata_line, text_after
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.keyword_labels import valid_labels
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.retro.answer import Answer, RetroItem
from hardwon.domain.model.retro.bank_lesson import BankLesson
from hardwon.domain.model.retro.made_name import made_name
from hardwon.domain.model.retro.references import chosen_references

_NOT_A_NAME = re.compile(r"(?:\s|#+(?=\s|$)|(?:Anti-)?Pattern:)+", re.IGNORECASE)
"""What a knowledge bank's headings begin with of themselves."""


@attrs.frozen(kw_only=True)
class Feature:
    """
    Where a retrospective looks back from.

    Attributes:
        name: The feature, else the branch; empty when neither is known.
        project: The project's name.
        files: The files of its diff.

    """

    name: str
    project: str
    files: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Lesson:
    """
    One item, ready to be kept.

    Attributes:
        place: Where it stood in the answer.
        entry: For the store, without secrets.
        observed_in: For the knowledge bank.
        dropped: Keywords of the agent that can't be used.
        surplus: Keywords that could be used, but for which there is no room.

    """

    place: str
    entry: Entry
    observed_in: str
    dropped: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()

    def for_bank(self, count: int) -> BankLesson:
        """Return it for the knowledge bank, observed *count* times."""
        return bank_lesson(self.entry, self.observed_in, count)


def bank_lesson(entry: Entry, observed_in: str, count: int) -> BankLesson:
    """Return a learning for the knowledge bank, last observed when it was last changed."""
    if entry.category is None:
        raise InvalidEntryError(f"{entry.entry_id} is a {entry.kind}: a knowledge bank holds learnings alone")
    return BankLesson(
        category=entry.category,
        name=_heading(entry.name) or entry.name,
        description=entry.description,
        observed_in=observed_in,
        observation_count=count,
        confidence=entry.confidence,
        day=day_of(entry.updated_at),
    )


def day_of(moment: dt.datetime) -> str:
    """Return the day of *moment* in UTC, `YYYY-MM-DD`."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d}"


def observed_in_of(notes: str) -> str:
    """Return the last place that *notes* say it was observed in, empty without one."""
    said = [text_after(OBSERVED_IN, line) for line in notes.split("\n")]
    return next(filter(None, reversed(said)), "")


def read_lessons(answer: Answer, feature: Feature, now: dt.datetime) -> tuple[Lesson, ...]:
    """
    Return what the items of *answer* become.

    Raises:
        InvalidAnswerError: it has troubles, an item breaks a rule, or two say the same; each is told.

    """
    lessons, troubles = dict[str, Lesson](), [*answer.troubles]
    for item in answer.items:
        try:
            lesson = _lesson(item, feature, now)
        except InvalidEntryError as error:
            troubles.append(f"{item.place}: {_in_its_words(str(error), item)}")
            continue
        twin = lessons.setdefault(lesson.entry.entry_id, lesson)
        if twin is not lesson:
            troubles.append(f"{item.place} says the same as {twin.place}: keep one of them")
    if troubles:
        raise InvalidAnswerError(troubles)
    return tuple(lessons.values())


def _lesson(item: RetroItem, feature: Feature, now: dt.datetime) -> Lesson:
    words = tuple(map(redact, item.keywords))
    labels = valid_labels(words)
    entry = redact_entry(_entry(item, labels, feature, now))
    name = _heading(entry.name) or _heading(made_name(entry.description)) or item.place
    return Lesson(
        place=item.place,
        entry=attrs.evolve(entry, name=name),
        observed_in=observed_in_of(entry.notes),
        dropped=tuple(word for word in words if not valid_labels([word])),
        surplus=tuple(word for word in words if not {*valid_labels([word])} <= {*labels}),
    )


def _entry(item: RetroItem, keywords: tuple[str, ...], feature: Feature, now: dt.datetime) -> Entry:
    observed_in = _one_line(item.provenance) or feature.name
    values: dict[str, Any] = {"confidence": item.confidence}
    return Entry(
        name=item.name.strip() or made_name(redact(item.text)),
        description=item.text,
        reasoning=item.reasoning,
        notes=metadata_line(OBSERVED_IN, observed_in) if observed_in else "",
        category=item.category,
        keywords=keywords,
        references=chosen_references(item.said, feature.files),
        source="retro",
        source_project=None if item.universal else feature.project,
        created_at=now,
        updated_at=now,
        **values,
    )


def _heading(name: str) -> str:
    """Return *name* without what a heading of its category begins with of itself."""
    start = _NOT_A_NAME.match(name)
    return name[start.end() :] if start else name


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _in_its_words(message: str, item: RetroItem) -> str:
    """Return a message on an entry in the words of the answer, whose text may be the name too."""
    return re.sub(r"^description\b" if item.name.strip() else r"^(?:description|name)\b", "text", message)
