"""A lesson that a knowledge-bank file has already, counted once more; all else of the file stays byte for byte."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.knowledge_bank import (
    COUNT_LABEL,
    LAST_OBSERVED_LABEL,
    BankEntry,
    text_after,
    whole_number,
)
from hardwon.domain.model.retro.bank_lesson import entries_of, is_same, line_end
from hardwon.domain.model.retro.bank_view import BankView, Span
from hardwon.domain.model.vocabulary import Category


class _Edit(NamedTuple):
    place: Span
    text: str


def with_count(text: str, category: Category, identity: str, day: str) -> str:
    """
    Return *text* with the lesson observed once more, on *day*; as it is when the lesson is not there.

    Raises:
        InvalidEntryError: the file can't be changed so that only that changes.
    """
    view, before = BankView(text), entries_of(text, category)
    chunks = list(view.chunks())
    known = [entry for entry in before if is_same(entry, identity)]
    after = _edited(text, [edit for entry in known for edit in _edits(view, chunks[entry.position], day)])
    expected = [_once_more(entry, day) if entry in known else entry for entry in before]
    if known and not _say_the_same(entries_of(after, category), expected):
        raise InvalidEntryError(
            f"the count of {identity} in {category}.md can't be told from its HTML comments: move them"
        )
    return after


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    """Return *text* with all *edits*; what comes to one place stands there in the order of *edits*."""
    end = line_end(text)
    for edit in sorted(edits, key=lambda each: each.place)[::-1]:
        text = text[: edit.place.start] + edit.text.replace("\n", end) + text[edit.place.end :]
    return text


def _say_the_same(some: Sequence[BankEntry], others: Sequence[BankEntry]) -> bool:
    """Tell whether two readings differ in nothing but how the metadata is written."""
    return len(some) == len(others) and all(
        one == other or _noted(one) == _noted(other) for one, other in zip(some, others, strict=True)
    )


def _noted(entry: BankEntry) -> BankEntry:
    return entry._replace(metadata="\n".join(entry.notes))


def _edits(view: BankView, chunk: Span, day: str) -> Iterator[_Edit]:
    """Yield what makes the entry of *chunk* observed once more: two values, or lines for those that are missing."""
    lines = _metadata(view, chunk)
    counts = [
        line for line in lines if whole_number(text_after(COUNT_LABEL, view.text[slice(*line)]) or "") is not None
    ]
    days = [line for line in lines if text_after(LAST_OBSERVED_LABEL, view.text[slice(*line)]) is not None]
    missing = ""
    if counts:
        value = _value(view, counts[-1])
        yield _Edit(view.raw(value), str(_next(whole_number(view.text[slice(*value)]) or 0)))
    else:
        missing += f"\n- Observation count: {_next(1)}"
    if days:
        value = _value(view, days[-1])
        yield _Edit(view.raw(value), day if value.start < value.end else f" {day}")
    else:
        missing += f"\n- Last observed: {day}"
    if missing:
        end = chunk.start + len(view.text[chunk.start : chunk.end].rstrip())
        yield _Edit(view.raw(Span(end, end)), missing)


def _metadata(view: BankView, chunk: Span) -> list[Span]:
    _, *lines = view.lines(chunk)
    first = next((at for at, line in enumerate(lines) if view.text.startswith("- ", line.start, line.end)), len(lines))
    return lines[first:]


def _value(view: BankView, line: Span) -> Span:
    """Return where the value of a metadata line stands, without the space around it."""
    start = view.text.index(":", line.start) + 1
    said = view.text[start : line.end]
    start += len(said) - len(said.lstrip())
    return Span(start, start + len(said.strip()))


def _next(count: int) -> int:
    return min(max(1, count) + 1, MAX_COUNT)


def _once_more(entry: BankEntry, day: str) -> BankEntry:
    return entry._replace(observation_count=_next(entry.observation_count), last_observed=day)
