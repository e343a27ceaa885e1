"""The block of the markdown-only pipeline."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.injection.neutral_text import END, SECTIONS, TITLE
from hardwon.domain.model.knowledge_bank import BankEntry, BankScope
from hardwon.domain.model.vocabulary import Confidence

OWED_PER_CATEGORY = 3

_CONFIDENCE_RANK: dict[Confidence, int] = {"high": 3, "medium": 2, "low": 1}


class SourcedEntry(NamedTuple):
    """An entry with its source: the project's own files or the store."""

    entry: BankEntry
    source: BankScope


def deduplicate(entries: Iterable[SourcedEntry]) -> list[SourcedEntry]:
    """
    Keep one entry per content hash of the description, over all categories.

    Of duplicates the one with the highest observation count is kept, at the position of the first.
    """
    kept: dict[str, SourcedEntry] = {}
    for sourced in entries:
        key = content_hash(sourced.entry.text)
        seen = kept.get(key)
        if seen is None or sourced.entry.observation_count > seen.entry.observation_count:
            kept[key] = sourced
    return list(kept.values())


def rank(entries: Iterable[SourcedEntry]) -> list[SourcedEntry]:
    """Sort by observation count, confidence and recency, descending and stable."""
    return sorted(entries, key=_prominence, reverse=True)


def select(ranked: Iterable[SourcedEntry], limit: int) -> list[SourcedEntry]:
    """
    Choose at most *limit* entries, in the order of choice.

    With room for three of every category that has entries, each gets up to three first; the rest is
    filled category by category.

    Args:
        ranked: The entries of all categories, best first.
        limit: Zero and less choose nothing.
    """
    if limit <= 0:
        return []
    groups = _by_category(ranked)
    owed = OWED_PER_CATEGORY if limit >= OWED_PER_CATEGORY * len(groups) else 0
    firsts = [sourced for group in groups for sourced in group[:owed]]
    others = [sourced for group in groups for sourced in group[owed:]]
    return (firsts + others)[:limit]


def render(selected: Sequence[SourcedEntry]) -> str:
    """Render the block with its final newline, empty when nothing is selected."""
    if not selected:
        return ""
    lines = [TITLE, "", _diagnostic_line(selected), ""]
    for group in _by_category(selected):
        lines.append(SECTIONS[group[0].entry.category])
        for sourced in group:
            lines.extend(_entry_lines(sourced.entry))
    return "\n".join((*lines, END)) + "\n"


def count_source(entries: Iterable[SourcedEntry], source: BankScope) -> int:
    """Return how many of *entries* come from *source*."""
    return sum(sourced.source == source for sourced in entries)


def _by_category(entries: Iterable[SourcedEntry]) -> list[list[SourcedEntry]]:
    groups: dict[str, list[SourcedEntry]] = {category: [] for category in SECTIONS}
    for sourced in entries:
        groups[sourced.entry.category].append(sourced)
    return [group for group in groups.values() if group]


def _prominence(sourced: SourcedEntry) -> tuple[int, int, float]:
    entry = sourced.entry
    return entry.observation_count, _CONFIDENCE_RANK[entry.confidence], _recency(entry)


def _recency(entry: BankEntry) -> float:
    if entry.last_observed is None:
        return entry.position
    try:
        return dt.datetime.fromisoformat(entry.last_observed).timestamp()
    except (
        ValueError,
        OverflowError,
        OSError,
    ):  # not a date, or one the platform's local time can't express
        return entry.position


def _diagnostic_line(selected: Sequence[SourcedEntry]) -> str:
    local, global_ = count_source(selected, "local"), count_source(selected, "global")
    return (
        f"*Memory: {len(selected)} entries ({local} local, {global_} global) | semantic: disabled*"
    )


def _entry_lines(entry: BankEntry) -> Iterable[str]:
    yield f"### {entry.heading}"
    if entry.description:
        yield entry.description
    if entry.metadata:
        yield entry.metadata
    yield ""
