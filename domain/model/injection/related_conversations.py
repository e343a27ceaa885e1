"""
The section of conversations that bear on the work at hand (requirements C-T7.6, C-T7.7).

The line that stands for a whole conversation (requirement C-T7.8).
"""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.conversation.sentences import split_sentences
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.injection.block import LARGEST_ENTRY, RELATED
from hardwon.domain.model.injection.entry_text import neutral, units
from hardwon.domain.model.text import CHARACTERS_A_TOKEN
from hardwon.domain.model.vocabulary import Kind

ITEM = "- "
TITLE_ROOM = 100
SUMMARY_ROOM = 200
"""Characters."""

TOLD_CHARACTERS = 2_000
"""Of a description; a summary stands in the beginning."""

HEADING_WORDS = 4
"""A paragraph of no more, which no sentence ends, reads as a heading of what follows."""

_ENDED = re.compile(r"[.!?…:;][\"')\]]*\Z")
_SPEAKER = re.compile(r"(?:user|human|assistant|agent|claude)\b(?:\s*\(.*)?\s*(?::|\Z)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n\s*\n")


class ConversationSummary(NamedTuple):
    """
    A conversation, or what came of one, as it is told.

    A tuple, as importing attrs alone costs a session start three times Python's own start.

    Attributes:
        seq: The store's number of it.
        entry_id: Its id.
        kind: What it is.
        name: Its title.
        description: The beginning of its text.
        updated_at: Its day is told.

    """

    seq: int
    entry_id: str
    kind: Kind
    name: str
    description: str
    updated_at: dt.datetime

    @property
    def line(self) -> str:
        """Title, kind, day and summary on one line; a summary that begins with the title stands for both."""
        title, summary = shortened(self.name, TITLE_ROOM), summarised(self.description, self.name)
        when = f"({self.kind}, {self.updated_at:%Y-%m-%d})"
        is_repeated = re.match(rf"{re.escape(title)}(?!\w)", summary)
        told = f"{summary} {when}" if is_repeated else f"{title} {when}{': ' if summary else ''}{summary}"
        return neutral(ITEM + told)

    def cut(self, room: int) -> str:
        """Return the beginning of the line, of at most *room* characters."""
        return ITEM + shortened(self.line.removeprefix(ITEM), room - len(ITEM))


def summarised(text: str, title: str) -> str:
    """
    Return the first sentences of *text* on one line, at most 200 characters; what only repeats *title* is left out.

    Nothing that a speaker's name begins is told, nor what follows it: an exchange is no summary.
    """
    paragraphs = list(_own_words(text, title))
    while len(paragraphs) > 1 and _is_heading(paragraphs[0]):
        paragraphs.pop(0)
    return _first_sentences(paragraphs[0]) if paragraphs else ""


def _own_words(text: str, title: str) -> Iterator[str]:
    """Yield the paragraphs before the first exchange, each on one line."""
    wanted = " ".join(title.split())
    for paragraph in _PARAGRAPH.split(text):
        lines = [" ".join(line.split()) for line in paragraph.splitlines()]
        spoken = next((at for at, line in enumerate(lines) if _SPEAKER.match(line)), len(lines))
        if told := " ".join(line for line in lines[:spoken] if line and line != wanted):
            yield told
        if spoken < len(lines):
            return


def _is_heading(paragraph: str) -> bool:
    return len(paragraph.split()) <= HEADING_WORDS and not _ENDED.search(paragraph)


def _first_sentences(paragraph: str) -> str:
    """Return as many whole sentences as there is room for; of a first one that is too long, its beginning."""
    first, *others = split_sentences(paragraph)
    if len(first) > SUMMARY_ROOM:
        return shortened(first, SUMMARY_ROOM)
    told = first
    for sentence in others:
        if len(told) + 1 + len(sentence) > SUMMARY_ROOM:
            break
        told = f"{told} {sentence}"
    return told


THIS_SESSION = "This session, before the compaction:"
OTHERS = "Other conversations:"
SHORTEST_LINE = 24
"""Characters; what is left of a line that is cut further says nothing."""


class RelatedLine(NamedTuple):
    """
    A conversation as it is printed.

    Attributes:
        told: Which.
        text: Its line.
        room: How many characters the line was cut to, 0 for a whole one.

    """

    told: ConversationSummary
    text: str
    room: int = 0


class RelatedSection(NamedTuple):
    """
    The section as it is printed.

    Attributes:
        text: Its lines from the heading on and a blank one; empty when nothing is told.
        lines: What is told, in order.

    """

    text: str = ""
    lines: tuple[RelatedLine, ...] = ()

    @property
    def seqs(self) -> tuple[int, ...]:
        """The numbers of what is told, in order."""
        return tuple(line.told.seq for line in self.lines)

    def adding(self, opening: str, line: RelatedLine) -> "RelatedSection":
        """Return the section with one more *line*, after *opening*."""
        above = self.text.removesuffix("\n") if self.text else f"{RELATED}\n"
        return RelatedSection(f"{above}{opening}{line.text}\n\n", (*self.lines, line))


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
        """Return whether *section* fits in."""
        return len(section.text) <= self.characters and units(section.text) <= self.most_units


def related_section(
    of_session: Sequence[ConversationSummary], others: Sequence[ConversationSummary], room: Room
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
    section: RelatedSection, conversations: Sequence[ConversationSummary], label: str, room: Room
) -> RelatedSection:
    gap = "\n" if section.text else ""
    opening = f"{gap}{label}\n" if label else ""
    for each in conversations:
        longer = section.adding(opening, RelatedLine(each, each.line))
        if not section.text and not room.holds(longer):
            longer = _cut(opening, each, room)
        if room.holds(longer):
            section, opening = longer, ""
    return section


def _cut(opening: str, told: ConversationSummary, room: Room) -> RelatedSection:
    """Return a section of the beginning of one line; one that does not fit when too little is left of it."""
    left = room.characters - len(RelatedSection().adding(opening, RelatedLine(told, "")).text)
    characters = max(left, SHORTEST_LINE)
    return RelatedSection().adding(opening, RelatedLine(told, told.cut(characters), characters))
