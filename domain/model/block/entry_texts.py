"""How an entry stands in an injected text: as a lesson with its track record, or as a note without."""

from hardwon.domain.model.bank_grammar import CONFIDENCE, ENTRY_HEAD, NAME_PREFIXES, OBSERVATION_COUNT, metadata_line
from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.block.printable import Printable


def units(text: str) -> int:
    """Return the length of *text* in UTF-16 units, as the host counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lesson_text(entry: Printable) -> str:
    """Return all that is printed of a learning, with an empty line after it."""
    lines = [
        f"{ENTRY_HEAD}{NAME_PREFIXES[entry.category]}{neutral(entry.name)}",
        neutral(entry.description),
        *filter(None, [neutral(entry.notes)]),
        metadata_line(OBSERVATION_COUNT, entry.observation_count),
        metadata_line(CONFIDENCE, entry.confidence),
        "",
    ]
    return "\n".join(lines) + "\n"


def note_text(name: str, description: str, notes: str) -> str:
    """Return all that is printed of an entry whose track record does not matter, with an empty line after it."""
    texts = filter(None, map(neutral, (description, notes)))
    return "\n".join((f"{ENTRY_HEAD}{neutral(name)}", *texts, "\n"))
