"""
The one line of the block that says how it came about (requirement A-D10).

How sections and entries are headed in the block. Standard library only.

The markdown that an agent reads at session start (requirement A-I10.1).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from hardwon.domain.model.injection.entry_text import Printable, framed, neutral, piece_text, units
from hardwon.domain.model.injection.rules import ConstitutionalText
from hardwon.domain.model.ranking.category_balancer import QUOTA
from hardwon.domain.model.vocabulary import Category

QUERY_CHARACTERS = 30
SETUP_COMMAND = "make install"


class Diagnostics(NamedTuple):
    """
    What the line tells; what is counted are learnings.

    Attributes:
        total: Learnings in the store, and whatever else is printed.
        vector: Those with a vector that the query was compared with.
        keyword: Those that hold a word of the query, uncut.
        pending: Those still without a vector.
        query: The search text, None when there was no signal.
        model: What embedded the query, None when nothing did.
        numpy_missing: Vectors can't be compared in this installation.

    """

    total: int
    vector: int = 0
    keyword: int = 0
    pending: int = 0
    query: str | None = None
    model: str | None = None
    numpy_missing: bool = False

    def line(self, printed: int) -> str:
        """Return the line for a block of *printed* entries."""
        return (
            f"*Memory: {printed} entries from {self.total} | semantic: {self._state()} "
            f"| context: {self._context()} | model: {self.model or 'none'}*"
        )

    def _state(self) -> str:
        if self.numpy_missing:
            return f"degraded (numpy unavailable, run: {SETUP_COMMAND})"
        pending = f", pending_embedding={self.pending}" if self.pending else ""
        return f"active (vector={self.vector}, fts5={self.keyword}{pending})"

    def _context(self) -> str:
        if self.query is None:
            return "none"
        return f'"{neutral(" ".join(self.query.split())[:QUERY_CHARACTERS])}..."'


TITLE = "## Engineering Memory (from knowledge bank)"
CONSTITUTIONAL = "### Constitutional Memories"
RELATED = "### Related Conversations"
END = "---"

SECTIONS: dict[Category, str] = {
    "anti-patterns": "### Anti-Patterns to Avoid",
    "heuristics": "### Heuristics",
    "patterns": "### Patterns to Follow",
}
"""Category to section heading, in the order of printing."""

P = TypeVar("P", bound=Printable)

MAX_UNITS = 9_500
"""UTF-16 units of all that is printed; Claude Code cuts what one hook prints at 10,000."""

LARGEST_ENTRY = MAX_UNITS // 3
"""When not all fits, an entry that needs more than a third of the room goes first."""


def needs_too_much_room(entry: Printable) -> bool:
    """Return whether *entry* is the first to be left out when not all fits."""
    return units(piece_text("lesson", entry)) > LARGEST_ENTRY


def in_order_of_text(entries: Sequence[P]) -> list[P]:
    """Return *entries*, best first, in the order in which the block prints them: by category."""
    return [entry for category in SECTIONS for entry in entries if entry.category == category]


class MemoryBlock(NamedTuple):
    """
    The block for entries that are chosen and ranked.

    Attributes:
        diagnostic: Gives the diagnostic line for a number of entries.
        sizes: How many entries each category has in the store.
        framed: Whether one line before and one after mark the block for the host.
        rules: What stands first, whatever else is printed.
        related: The section that stands last, whatever else is printed; empty for none.

    """

    diagnostic: Callable[[int], str]
    sizes: Mapping[Category, int]
    framed: bool = False
    rules: Sequence[ConstitutionalText] = ()
    related: str = ""

    def fit(self, ranked: Sequence[P]) -> list[P]:
        """Return the entries of *ranked*, best first, that fit as a whole into the room."""
        sizes = [units(piece_text("lesson", entry)) for entry in ranked]
        kept = list(range(len(ranked)))
        if self._around(Counter(entry.category for entry in ranked)) + sum(sizes) > MAX_UNITS:
            kept = [place for place in kept if sizes[place] <= LARGEST_ENTRY]
        counts, total = Counter(ranked[place].category for place in kept), sum(sizes[place] for place in kept)
        while self._around(counts) + total > MAX_UNITS:
            place = self._least_missed(ranked, kept, counts)
            kept.remove(place)
            counts[ranked[place].category] -= 1
            total -= sizes[place]
        return [ranked[place] for place in kept]

    def render(self, entries: Sequence[Printable]) -> str:
        """Return the text for *entries*, by category, best first within each; nothing for nothing to say."""
        texts: dict[Category | None, str] = {}
        for entry in entries:
            texts[entry.category] = texts.get(entry.category, "") + piece_text("lesson", entry)
        return self._assembled(len(entries), texts)

    def _assembled(self, count: int, texts: Mapping[Category | None, str]) -> str:
        """Return the block around the texts of each category that has entries."""
        if not (texts or self.rules or self.related):
            return ""
        sections = "".join(f"{SECTIONS[category]}\n{texts[category]}" for category in SECTIONS if category in texts)
        printed = count + len(self.rules)
        block = f"{TITLE}\n\n{self.diagnostic(printed)}\n\n{self._rules_text()}{sections}{self.related}{END}\n"
        return framed(block) if self.framed else block

    def _rules_text(self) -> str:
        return "".join([f"{CONSTITUTIONAL}\n", *(rule.text for rule in self.rules)]) if self.rules else ""

    def _around(self, counts: Mapping[Category | None, int]) -> int:
        """Return the length of the block without the texts of so many entries."""
        return units(self._assembled(sum(counts.values()), {each: "" for each, count in counts.items() if count}))

    def _least_missed(
        self, ranked: Sequence[Printable], kept: Sequence[int], counts: Mapping[Category | None, int]
    ) -> int:
        can_spare = {each for each, count in counts.items() if each and count > min(QUOTA, self.sizes[each])}
        return next((place for place in reversed(kept) if ranked[place].category in can_spare), kept[-1])
