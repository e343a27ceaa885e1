"""The markdown that an agent reads at session start (requirement A-I10.1)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import attrs

from hardwon.domain.model.block.frame import framed
from hardwon.domain.model.block.headings import END, NAME_PREFIXES, SECTIONS, TITLE
from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.ranking.category_balancer import QUOTA
from hardwon.domain.model.vocabulary import Category

MAX_UNITS = 9_500
"""UTF-16 units of all that is printed; Claude Code cuts what one hook prints at 10,000."""

LARGEST_SHARE = 3
"""An entry that needs more than one part in three of the room is left out."""


def units(text: str) -> int:
    """Return the length of *text* in UTF-16 units, as the host counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@attrs.frozen(kw_only=True)
class MemoryBlock:
    """
    The block for entries that are chosen and ranked.

    Attributes:
        diagnostic: Gives the diagnostic line for a number of entries.
        sizes: How many entries each category has in the store.
        framed: Whether one line before and one after mark the block for the host.

    """

    diagnostic: Callable[[int], str]
    sizes: Mapping[Category, int]
    framed: bool = False

    def fit(self, ranked: Sequence[Entry]) -> list[Entry]:
        """Return the entries of *ranked*, best first, that fit as a whole into the room."""
        kept = [entry for entry in ranked if units(_entry_text(entry)) * LARGEST_SHARE <= MAX_UNITS]
        while kept and units(self.render(kept)) > MAX_UNITS:
            kept.remove(self._least_missed(kept))
        return kept

    def render(self, entries: Sequence[Entry]) -> str:
        """Return the text for *entries*, by category, best first within each; nothing for none."""
        if not entries:
            return ""
        sections = "".join(self._section(category, entries) for category in SECTIONS)
        block = f"{TITLE}\n\n{self.diagnostic(len(entries))}\n\n{sections}{END}\n"
        return framed(block) if self.framed else block

    def _section(self, category: str, entries: Sequence[Entry]) -> str:
        texts = "".join(_entry_text(entry) for entry in entries if entry.category == category)
        return f"{SECTIONS[category]}\n{texts}" if texts else ""

    def _least_missed(self, kept: Sequence[Entry]) -> Entry:
        counts = Counter(entry.category for entry in kept)
        spare = [entry for entry in kept if counts[entry.category] > min(QUOTA, self.sizes[entry.category])]
        return (spare or kept)[-1]


def _entry_text(entry: Entry) -> str:
    lines = [
        f"### {NAME_PREFIXES[entry.category]}{neutral(entry.name)}",
        neutral(entry.description),
        *filter(None, [neutral(entry.notes)]),
        f"- Observation count: {entry.observation_count}",
        f"- Confidence: {entry.confidence}",
        "",
    ]
    return "\n".join(lines) + "\n"
