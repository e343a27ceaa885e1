"""A lesson that a knowledge-bank file has already, counted once more; all else of the file stays byte for byte."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.bank_grammar import LAST_OBSERVED, METADATA_HEAD, OBSERVATION_COUNT, metadata_line, text_after
from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.knowledge_bank import BankEntry, whole_number
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
    count = _last(view, lines, OBSERVATION_COUNT, lambda text: whole_number(text) is not None)
    last = _last(view, lines, LAST_OBSERVED, lambda _: True)
    said = whole_number(view.text[slice(*count)]) if count else 1
    missing = ""
    for value, label, now in ((count, OBSERVATION_COUNT, str(_next(said or 0))), (last, LAST_OBSERVED, day)):
        if value is None:
            missing += f"\n{metadata_line(label, now)}"
        else:
            yield _Edit(view.raw(value), now if value.start < value.end else f" {now}")
    if missing:
        end = chunk.start + len(view.text[chunk.start : chunk.end].rstrip())
        yield _Edit(view.raw(Span(end, end)), missing)


def _last(view: BankView, lines: Sequence[Span], label: str, is_value: Callable[[str], bool]) -> Span | None:
    """Return where the value stands that the last line with that *label* has."""
    for line in reversed(lines):
        text = text_after(label, view.text[slice(*line)])
        if text is not None and is_value(text):
            return _value(view, line)
    return None


def _metadata(view: BankView, chunk: Span) -> list[Span]:
    _, *lines = view.lines(chunk)
    first = next(
        (at for at, line in enumerate(lines) if view.text.startswith(METADATA_HEAD, line.start, line.end)), len(lines)
    )
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
