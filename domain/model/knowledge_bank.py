"""
How a knowledge bank is written: the words that its reader, its writer and the block share. Standard library only.

The knowledge-bank format: what one markdown file says. Standard library only, for the hook's fallback.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from hardwon.domain.model.text import CONTINUES
from hardwon.domain.model.vocabulary import CONFIDENCES, Category, Confidence

BankScope: TypeAlias = Literal["local", "global"]
"""Whose bank: the project's own, or the user's of all projects."""

ENTRY_HEAD = "### "
"""What the heading of an entry begins with."""

NAME_PREFIXES: dict[Category | None, str] = {
    "anti-patterns": "Anti-Pattern: ",
    "heuristics": "",
    "patterns": "Pattern: ",
    None: "",
}
"""Category to what stands before a name in an entry's heading."""

TITLES: dict[Category, str] = {"anti-patterns": "Anti-Patterns", "patterns": "Patterns", "heuristics": "Heuristics"}
"""What a new file is headed with."""

METADATA_HEAD = "- "
"""What a line of an entry's metadata begins with."""

OBSERVED_IN = "Observed in"
OBSERVATION_COUNT = "Observation count"
CONFIDENCE = "Confidence"
LAST_OBSERVED = "Last observed"


def metadata_line(label: str, value: object) -> str:
    """Return the line that says so."""
    return f"{METADATA_HEAD}{label}: {value}"


def text_after(label: str, line: str) -> str | None:
    """Return what a metadata *line* says after its *label*, in any case; None when it is not that line."""
    stripped = line.strip()
    if not stripped.lower().startswith(f"{METADATA_HEAD}{label.lower()}:"):
        return None
    return stripped.partition(":")[2].strip()


DEFAULT_OBSERVATION_COUNT = 1
DEFAULT_CONFIDENCE: Confidence = "medium"
CONFIDENCE_BY_WORD: dict[str, Confidence] = {word: word for word in CONFIDENCES}

LARGEST_COUNT = 2**63 - 1  # the widest integer a database column holds; beyond it only the order matters
LONGEST_INTEGER = 4300  # CPython's own limit, held here too because PYTHONINTMAXSTRDIGITS can lift it

ENTRY_MARK = re.compile(rf"^{ENTRY_HEAD}", re.MULTILINE)
_METADATA_MARK = re.compile(rf"^{METADATA_HEAD}", re.MULTILINE)

_Value = TypeVar("_Value")


class BankEntry(NamedTuple):
    """
    One lesson of a knowledge-bank file, its texts as they stand there.

    Args:
        category: What the file name says: ``anti-patterns``, ``patterns`` or ``heuristics``.
        heading: The whole heading; may be empty.
        name: The heading without its ``Anti-Pattern: `` or ``Pattern: ``.
        description: The text above the metadata; may be empty, and begin with an ellipsis that stands for the name.
        metadata: The first line that starts with ``- `` and all below it; may be empty.
        observation_count: Any integer up to `LARGEST_COUNT` either way, zero and negative ones too.
        confidence: One of `CONFIDENCES`.
        last_observed: The text as written, which need not be a date; None without such a line.
        position: The index of the chunk among all chunks of the file.
    """

    category: Category
    heading: str
    name: str
    description: str
    metadata: str
    observation_count: int
    confidence: Confidence
    last_observed: str | None
    position: int

    @property
    def text(self) -> str:
        """The lesson: its description, which may go on from the name; of two ellipses the first says that it does not."""
        text = self.description.removeprefix(CONTINUES)
        is_continued = text != self.description and not text.startswith(CONTINUES)
        return self.name + text if is_continued and self.name else text

    @property
    def notes(self) -> tuple[str, ...]:
        """The metadata lines that no other field holds, in order; a count or confidence nobody can read is one."""
        return tuple(line for line in _lines(self.metadata) if not _is_field(line))


def parse_bank(text: str, category: Category) -> list[BankEntry]:
    """
    Return the entries of one file in the order they stand there.

    Args:
        text: Any text, with newlines as the only line ends.
        category: Carried into every entry.
    """
    chunks = ENTRY_MARK.split(_without_comments(text))
    return [_parse_chunk(chunk, category, position) for position, chunk in enumerate(chunks) if _is_entry(chunk)]


def _without_comments(text: str) -> str:
    # ``re.sub("<!--.*?-->")`` means the same but takes quadratic time when many comments are never closed.
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:]))


def _is_entry(chunk: str) -> bool:
    return bool(chunk.strip()) and not chunk.startswith(("## ", "# "))


def _parse_chunk(chunk: str, category: Category, position: int) -> BankEntry:
    first_line, _, body = chunk.partition("\n")
    heading = first_line.strip()
    mark = _METADATA_MARK.search(body)
    metadata_start = mark.start() if mark else len(body)
    metadata = body[metadata_start:].strip()
    lines = _lines(metadata)
    return BankEntry(
        category=category,
        heading=heading,
        name=_name(heading),
        description=body[:metadata_start].strip(),
        metadata=metadata,
        observation_count=_last_value(lines, OBSERVATION_COUNT, whole_number, DEFAULT_OBSERVATION_COUNT),
        confidence=_last_value(lines, CONFIDENCE, _confidence, DEFAULT_CONFIDENCE),
        last_observed=_last_value(lines, LAST_OBSERVED, str, None),
        position=position,
    )


def _name(heading: str) -> str:
    for prefix in filter(None, NAME_PREFIXES.values()):
        if heading.startswith(prefix):
            return heading[len(prefix) :]
    return heading


def _lines(metadata: str) -> Sequence[str]:
    return metadata.split("\n") if metadata else ()


def _last_value(lines: Sequence[str], label: str, parse: Callable[[str], _Value | None], default: _Value) -> _Value:
    for line in reversed(lines):
        text = text_after(label, line)
        value = None if text is None else parse(text)
        if value is not None:
            return value
    return default


def whole_number(text: str) -> int | None:
    """Read what ``int()`` reads (``+3``, ``1_0``, ``-2`` and digits of any script too), of a bounded length."""
    if len(text) > LONGEST_INTEGER:
        return None
    try:
        return max(-LARGEST_COUNT, min(int(text), LARGEST_COUNT))
    except ValueError:
        return None


def _confidence(text: str) -> Confidence | None:
    return CONFIDENCE_BY_WORD.get(text.lower())


def _is_field(line: str) -> bool:
    count = text_after(OBSERVATION_COUNT, line)
    confidence = text_after(CONFIDENCE, line)
    return (
        (count is not None and whole_number(count) is not None)
        or (confidence is not None and _confidence(confidence) is not None)
        or text_after(LAST_OBSERVED, line) is not None
    )
