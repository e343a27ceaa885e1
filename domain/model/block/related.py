"""The section of conversations that bear on the work at hand (requirements C-T7.6, C-T7.7)."""

from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.block.entry_texts import units
from hardwon.domain.model.block.headings import RELATED
from hardwon.domain.model.block.memory_block import LARGEST_ENTRY
from hardwon.domain.model.block.summary import ITEM, ToldConversation
from hardwon.domain.model.recall.excerpt import shortened
from hardwon.domain.model.token_budget import CHARACTERS_A_TOKEN

THIS_SESSION = "This session, before the compaction:"
OTHERS = "Other conversations:"
SHORTEST_LINE = 24
"""Characters; what is left of a line that is cut further says nothing."""


class RelatedSection(NamedTuple):
    """
    The section as it is printed.

    Attributes:
        text: Its lines from the heading on and a blank one; empty when nothing is told.
        seqs: The numbers of what is told, in order.

    """

    text: str = ""
    seqs: tuple[int, ...] = ()

    def adding(self, opening: str, line: str, seq: int) -> "RelatedSection":
        """Return the section with one more *line*, after *opening*."""
        above = self.text.removesuffix("\n") if self.text else f"{RELATED}\n"
        return RelatedSection(f"{above}{opening}{line}\n\n", (*self.seqs, seq))


class Room(NamedTuple):
    """
    How long the section may be.

    Attributes:
        budget_tokens: Of 4 characters each.
        most_units: UTF-16 units, so that the block keeps room for lessons.

    """

    budget_tokens: int
    most_units: int = LARGEST_ENTRY

    @property
    def characters(self) -> int:
        """How many there may be."""
        return self.budget_tokens * CHARACTERS_A_TOKEN

    def holds(self, section: RelatedSection) -> bool:
        """Tell whether *section* fits in."""
        return len(section.text) <= self.characters and units(section.text) <= self.most_units


def related_section(
    of_session: Sequence[ToldConversation], others: Sequence[ToldConversation], room: Room
) -> RelatedSection:
    """
    Return what fits of both, in this order, in whole lines.

    A line that does not fit is passed over; the very first is cut once instead.

    Args:
        of_session: What was said in the session itself, before its compaction.
        others: The best first.
        room: What all of it must fit in.

    """
    section = _with_lines(RelatedSection(), of_session, THIS_SESSION, room)
    return _with_lines(section, others, OTHERS if section.text else "", room)


def _with_lines(
    section: RelatedSection, conversations: Sequence[ToldConversation], label: str, room: Room
) -> RelatedSection:
    gap = "\n" if section.text else ""
    opening = f"{gap}{label}\n" if label else ""
    for each in conversations:
        longer = section.adding(opening, each.line, each.seq)
        if not section.text and not room.holds(longer):
            longer = _cut(opening, each, room)
        if room.holds(longer):
            section, opening = longer, ""
    return section


def _cut(opening: str, told: ToldConversation, room: Room) -> RelatedSection:
    """Return a section of the beginning of one line; one that does not fit when too little is left of it."""
    left = room.characters - len(RelatedSection().adding(opening, "", 0).text)
    beginning = shortened(told.line.removeprefix(ITEM), max(left, SHORTEST_LINE) - len(ITEM))
    return RelatedSection().adding(opening, ITEM + beginning, told.seq)
