"""The markdown that an agent reads at session start (requirement A-I10.1)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from hardwon.domain.model.block.entry_texts import piece_text, units
from hardwon.domain.model.block.frame import framed
from hardwon.domain.model.block.headings import CONSTITUTIONAL, END, SECTIONS, TITLE
from hardwon.domain.model.block.printable import Printable
from hardwon.domain.model.importance.constitutional import ConstitutionalText
from hardwon.domain.model.ranking.category_balancer import QUOTA
from hardwon.domain.model.vocabulary import Category

P = TypeVar("P", bound=Printable)

MAX_UNITS = 9_500
"""UTF-16 units of all that is printed; Claude Code cuts what one hook prints at 10,000."""

LARGEST_ENTRY = MAX_UNITS // 3
"""When not all fits, an entry that needs more than a third of the room goes first."""


def needs_too_much_room(entry: Printable) -> bool:
    """Tell whether *entry* is the first to be left out when not all fits."""
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
