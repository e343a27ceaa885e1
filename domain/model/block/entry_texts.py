"""How an entry stands in an injected text: as a lesson with its track record, or as a note without."""

from hardwon.domain.model.block.headings import NAME_PREFIXES
from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.block.printable import Printable


def units(text: str) -> int:
    """Return the length of *text* in UTF-16 units, as the host counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lesson_text(entry: Printable) -> str:
    """Return all that is printed of a learning, with an empty line after it."""
    lines = [
        f"### {NAME_PREFIXES[entry.category]}{neutral(entry.name)}",
        neutral(entry.description),
        *filter(None, [neutral(entry.notes)]),
        f"- Observation count: {entry.observation_count}",
        f"- Confidence: {entry.confidence}",
        "",
    ]
    return "\n".join(lines) + "\n"


def note_text(name: str, description: str, notes: str) -> str:
    """Return all that is printed of an entry whose track record does not matter, with an empty line after it."""
    texts = filter(None, map(neutral, (description, notes)))
    return "\n".join((f"### {neutral(name)}", *texts, "\n"))
