"""The memory block: the markdown of a session start."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from hardwon.domain.model.injection.entry_text import (
    LARGEST_ENTRY,
    MAX_UNITS,
    ConstitutionalText,
    Length,
    Printable,
    lesson_text,
    units,
)
from hardwon.domain.model.injection.neutral_text import (
    CONSTITUTIONAL,
    END,
    SECTIONS,
    TITLE,
    framed,
    neutral,
)
from hardwon.domain.model.ranking.selection import QUOTA
from hardwon.domain.model.vocabulary import Category

QUERY_CHARACTERS = 30
SETUP_COMMAND = "make install"
BEGINNING = "*Memory: "
"""The beginning of the diagnostic line."""


class Diagnostics(NamedTuple):
    """
    The values of the diagnostic line, which counts learnings.

    Attributes:
        total: Learnings in the store, and other entries that are printed.
        vector: Those with a vector that the query was compared with.
        keyword: Those that hold a word of the query.
        pending: Those still without a vector.
    """

    total: int
    vector: int = 0
    keyword: int = 0
    pending: int = 0
    query: str | None = None
    model: str | None = None
    numpy_missing: bool = False
    refused: Sequence[str] = ()

    def line(self, printed: int) -> str:
        """Return the line for a block of *printed* entries."""
        return (
            f"{BEGINNING}{printed} entries from {self.total} | semantic: {self._state()} "
            f"| context: {self._context()} | model: {self.model or 'none'}{self._refusal()}*"
        )

    def _refusal(self) -> str:
        return f" | refused: {', '.join(self.refused)} (hardwon trust)" if self.refused else ""

    def _state(self) -> str:
        if self.numpy_missing:
            return f"degraded (numpy unavailable, run: {SETUP_COMMAND})"
        pending = f", pending_embedding={self.pending}" if self.pending else ""
        return f"active (vector={self.vector}, fts5={self.keyword}{pending})"

    def _context(self) -> str:
        if self.query is None:
            return "none"
        return f'"{neutral(" ".join(self.query.split())[:QUERY_CHARACTERS])}..."'


def with_age(text: str, age: dt.timedelta) -> str:
    r"""
    Return a block with its *age* in the diagnostic line.

    Examples:
        >>> with_age("\n*Memory: 2 entries from 3 | model: none*\n", dt.timedelta(minutes=200))
        '\n*Memory: 2 entries from 3 | model: none | the server is away, as of 3 h 20 min ago*\n'
    """
    minutes = round(age.total_seconds() / 60)
    hours = f"{minutes // 60} h " if minutes >= 60 else ""  # noqa: PLR2004  # of an hour
    before, beginning, rest = text.partition(BEGINNING)
    line, end, after = rest.partition("*\n")
    as_of = f" | the server is away, as of {hours}{minutes % 60} min ago" if end else ""
    return f"{before}{beginning}{line}{as_of}{end}{after}"


P = TypeVar("P", bound=Printable)


def in_order_of_text(entries: Sequence[P]) -> list[P]:
    """Order *entries*, best first, as they are printed: by category."""
    return [entry for category in SECTIONS for entry in entries if entry.category == category]


class MemoryBlock(NamedTuple):
    """
    The block around chosen and ranked entries.

    Attributes:
        sizes: How many entries of each category the store has.
        rules: Constitutional entries, always printed first.
        related: The section of related conversations, always printed last; may be empty.
        notice: A line about this project, below the diagnostic one; may be empty.

    Examples:
        >>> from hardwon.domain.model.injection.entry_text import PrintedEntry
        >>> diagnostics = Diagnostics(total=3, vector=3, query="csv-reader", model="minilm")
        >>> lesson = PrintedEntry(1, "Quotes", "Escape quotes.", "", "patterns", 4, "high")
        >>> print(MemoryBlock(diagnostics.line, sizes={"patterns": 3}).render([lesson]))
        ## Engineering Memory (from knowledge bank)
        <BLANKLINE>
        *Memory: 1 entries from 3 | semantic: active (vector=3, fts5=0) | context: "csv-reader..." | model: minilm*
        <BLANKLINE>
        ### Patterns to Follow
        ### Pattern: Quotes
        Escape quotes.
        - Observation count: 4
        - Confidence: high
        <BLANKLINE>
        ---
        <BLANKLINE>
    """

    diagnostic: Callable[[int], str]
    sizes: Mapping[Category, int]
    framed: bool = False
    rules: Sequence[ConstitutionalText] = ()
    related: str = ""
    notice: str = ""
    length: Length = units

    def fit(self, ranked: Sequence[P]) -> list[P]:
        """
        Return the entries of *ranked*, best first, that fit into the block.

        Entries of more than a third of the room are dropped first, then the worst of a category
        that keeps its quota.
        """
        sizes = [self.length(lesson_text(entry)) for entry in ranked]
        kept = list(range(len(ranked)))
        if self._around(Counter(entry.category for entry in ranked)) + sum(sizes) > MAX_UNITS:
            kept = [place for place in kept if sizes[place] <= LARGEST_ENTRY]
        counts, total = (
            Counter(ranked[place].category for place in kept),
            sum(sizes[place] for place in kept),
        )
        while self._around(counts) + total > MAX_UNITS:
            place = self._least_missed(ranked, kept, counts)
            kept.remove(place)
            counts[ranked[place].category] -= 1
            total -= sizes[place]
        return [ranked[place] for place in kept]

    def render(self, entries: Sequence[Printable]) -> str:
        """
        Render *entries*, which are best first in each category.

        Empty without any content.
        """
        texts: dict[Category | None, str] = {}
        for entry in entries:
            texts[entry.category] = texts.get(entry.category, "") + lesson_text(entry)
        return self._assembled(len(entries), texts)

    def _assembled(self, count: int, texts: Mapping[Category | None, str]) -> str:
        if not (texts or self.rules or self.related):
            return ""
        sections = "".join(
            f"{SECTIONS[category]}\n{texts[category]}" for category in SECTIONS if category in texts
        )
        printed = count + len(self.rules)
        notice = f"*{self.notice}*\n\n" if self.notice else ""
        block = f"{TITLE}\n\n{self.diagnostic(printed)}\n\n{notice}{self._rules_text()}{sections}{self.related}{END}\n"
        return framed(block) if self.framed else block

    def _rules_text(self) -> str:
        return (
            "".join([f"{CONSTITUTIONAL}\n", *(rule.text for rule in self.rules)])
            if self.rules
            else ""
        )

    def _around(self, counts: Mapping[Category | None, int]) -> int:
        return self.length(
            self._assembled(
                sum(counts.values()), {category: "" for category, count in counts.items() if count}
            )
        )

    def _least_missed(
        self,
        ranked: Sequence[Printable],
        kept: Sequence[int],
        counts: Mapping[Category | None, int],
    ) -> int:
        can_spare = {
            name for name, count in counts.items() if name and count > min(QUOTA, self.sizes[name])
        }
        return next(
            (place for place in reversed(kept) if ranked[place].category in can_spare), kept[-1]
        )
