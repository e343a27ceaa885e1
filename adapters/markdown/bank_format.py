"""Parser of a markdown file of a knowledge bank. Standard library only, for the hook's fallback."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import (
    CONFIDENCE,
    ENTRY_HEAD,
    LAST_OBSERVED,
    METADATA_HEAD,
    OBSERVATION_COUNT,
    BankEntry,
    name_in,
    text_after,
)
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.text import CONTINUES, with_newlines
from hardwon.domain.model.vocabulary import CONFIDENCES, Category, Confidence

DEFAULT_OBSERVATION_COUNT = 1
DEFAULT_CONFIDENCE: Confidence = "medium"
CONFIDENCE_BY_WORD: dict[str, Confidence] = {word: word for word in CONFIDENCES}

MAX_PARSED_COUNT = 2**63 - 1  # the widest integer a database column holds; beyond it only the order matters
MAX_DIGITS = 4300  # CPython's own limit, held here too because PYTHONINTMAXSTRDIGITS can lift it

ENTRY_MARK = re.compile(rf"^{ENTRY_HEAD}", re.MULTILINE)
_METADATA_MARK = re.compile(rf"^{METADATA_HEAD}", re.MULTILINE)

_Value = TypeVar("_Value")


def parse_bank(text: str, category: Category) -> list[BankEntry]:
    """
    Parse the entries of a file, in order.

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
    text, metadata = body[:metadata_start], body[metadata_start:].strip()
    lines, name = _lines(metadata), name_in(heading)
    return BankEntry(
        category=category,
        heading=heading,
        name=name,
        description=text.strip(),
        metadata=metadata,
        observation_count=_last_value(lines, OBSERVATION_COUNT, whole_number, DEFAULT_OBSERVATION_COUNT),
        confidence=_last_value(lines, CONFIDENCE, _confidence, DEFAULT_CONFIDENCE),
        last_observed=_last_value(lines, LAST_OBSERVED, str, None),
        position=position,
        notes=tuple(line for line in lines if not _is_field(line)),
        is_continued=bool(name) and text.lstrip("\n").startswith(CONTINUES),
    )


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
    if len(text) > MAX_DIGITS:
        return None
    try:
        return max(-MAX_PARSED_COUNT, min(int(text), MAX_PARSED_COUNT))
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


@lru_cache(maxsize=16)
def entries_of(text: str, category: Category) -> tuple[BankEntry, ...]:
    """Parse the entries of a file, with any line ends."""
    return tuple(parse_bank(with_newlines(text), category))


def counts_of(text: str, category: Category) -> dict[str, int]:
    """Return the highest count of every lesson of a file by its identity."""
    counts = dict[str, int]()
    for entry in filter(lambda entry: entry.text, entries_of(text, category)):
        identity = identity_of(entry.text)
        counts[identity] = max(entry.observation_count, counts.get(identity, 0))
    return counts


def is_same(entry: BankEntry, identity: str) -> bool:
    """Return whether *entry* is the lesson of that identity."""
    return bool(entry.text) and identity_of(entry.text) == identity


@lru_cache(maxsize=4096)
def identity_of(description: str) -> str:
    """Return the id that the import gives to an entry with that description."""
    return content_hash(stored_form(description))


def line_end(text: str) -> str:
    """Return the line end of *text*."""
    return "\r\n" if "\r\n" in text else "\n"
