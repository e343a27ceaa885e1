"""How an entry stands in an injected text: as a lesson with its track record, or as a note without."""

from typing import Any, Literal, TypeAlias, overload

from hardwon.domain.model.bank_grammar import CONFIDENCE, ENTRY_HEAD, NAME_PREFIXES, OBSERVATION_COUNT, metadata_line
from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.block.printable import Noted, Printable
from hardwon.domain.model.repetition import says_something, split_by_title
from hardwon.domain.model.vocabulary import Confidence, Kind

EntryForm: TypeAlias = Literal["lesson", "note"]


def units(text: str) -> int:
    """Return the length of *text* in UTF-16 units, as the host counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def form_of(kind: Kind) -> EntryForm:
    """Return how an entry of that kind stands in a text, unless it is a rule: then it is a note."""
    return "lesson" if kind == "learning" else "note"


@overload
def piece_text(form: Literal["note"], entry: Noted) -> str: ...
@overload
def piece_text(form: EntryForm, entry: Printable) -> str: ...
def piece_text(form: EntryForm, entry: Any) -> str:
    """Return all that is printed of *entry* in that form, with an empty line after it."""
    return _lesson_text(entry) if form == "lesson" else _note_text(entry)


def track_record_text(observation_count: int, confidence: Confidence) -> str:
    """Return how a lesson ends: how often it was observed, how sure its authors are, and an empty line."""
    return f"{metadata_line(OBSERVATION_COUNT, observation_count)}\n{metadata_line(CONFIDENCE, confidence)}\n\n"


def _lesson_text(entry: Printable) -> str:
    """Return all that is printed of a learning, with an empty line after it; its title is not said twice."""
    split = split_by_title(entry.name, entry.description)
    lines = [
        f"{ENTRY_HEAD}{NAME_PREFIXES[entry.category]}{neutral(entry.name)}",
        *([neutral(split.continued)] if says_something(split.rest) or not split.beginning else []),
        *filter(None, [neutral(entry.notes)]),
        track_record_text(entry.observation_count, entry.confidence),
    ]
    return "\n".join(lines)


def _note_text(entry: Noted) -> str:
    """Return all that is printed of an entry whose track record does not matter, with an empty line after it."""
    texts = filter(None, map(neutral, (entry.description, entry.notes)))
    return "\n".join((f"{ENTRY_HEAD}{neutral(entry.name)}", *texts, "\n"))
