"""The block's section of related conversations, one line each."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hardwon.domain.model.host_text import without_host_text
from hardwon.domain.model.injection.entry_text import LARGEST_ENTRY, Length, units
from hardwon.domain.model.injection.neutral_text import RELATED, neutral_line
from hardwon.domain.model.text import CHARACTERS_A_TOKEN, split_sentences
from hardwon.domain.model.vocabulary import Kind

ITEM = "- "
TITLE_ROOM = 100
SUMMARY_ROOM = 200
"""Characters."""

SUMMARISED_CHARACTERS = 2_000
"""Characters of a description that are read for its summary."""

HEADING_WORDS = 4
"""
Maximum words of a paragraph that is a heading of the next.

Punctuation does not end it.
"""

_ENDED = r"[.!?…:;][\"')\]]*\Z"
_SPEAKER = r"(?i)(?:user|human|assistant|agent|claude)\b(?:\s*\(.*)?\s*(?::|\Z)"
_PARAGRAPH = r"\n\s*\n"


def _shortened(text: str, room: int) -> str:
    from hardwon.domain.model.excerpt import shortened  # noqa: PLC0415  # most session starts print no conversation

    return shortened(text, room)


class ConversationSummary(NamedTuple):
    """
    The fields that the line of a conversation needs.

    They may be those of an entry captured from one.

    A tuple: importing attrs alone costs a session start three times Python's own start.
    """

    number: int
    entry_id: str
    kind: Kind
    name: str
    description: str
    updated_at: dt.datetime

    @property
    def line(self) -> str:
        """
        Title, kind, day and summary on one line.

        The title is left out when the summary begins with it.
        """
        title, summary = _shortened(self.name, TITLE_ROOM), summarised(self.description, self.name)
        when = f"({self.kind}, {self.updated_at:%Y-%m-%d})"
        is_repeated = re.match(rf"{re.escape(title)}(?!\w)", summary)
        text = (
            f"{summary} {when}"
            if is_repeated
            else f"{title} {when}{': ' if summary else ''}{summary}"
        )
        return ITEM + neutral_line(text)

    def cut(self, room: int) -> str:
        """Truncate the line to *room* characters."""
        return ITEM + _shortened(self.line.removeprefix(ITEM), room - len(ITEM))


def summarised(text: str, title: str) -> str:
    """
    Return the first sentences of *text*, at most 200 characters.

    Repeats of *title* are dropped, and the text from the first line that begins with a speaker's
    name: an exchange is no summary.
    """
    paragraphs = list(_own_words(without_host_text(text), title))
    while len(paragraphs) > 1 and _is_heading(paragraphs[0]):
        paragraphs.pop(0)
    return _first_sentences(paragraphs[0]) if paragraphs else ""


def _own_words(text: str, title: str) -> Iterator[str]:
    wanted = " ".join(title.split())
    for paragraph in re.split(_PARAGRAPH, text):
        lines = [" ".join(line.split()) for line in paragraph.splitlines()]
        spoken = next((at for at, line in enumerate(lines) if re.match(_SPEAKER, line)), len(lines))
        if own := " ".join(line for line in lines[:spoken] if line and line != wanted):
            yield own
        if spoken < len(lines):
            return


def _is_heading(paragraph: str) -> bool:
    return len(paragraph.split()) <= HEADING_WORDS and not re.search(_ENDED, paragraph)


def _first_sentences(paragraph: str) -> str:
    first, *others = split_sentences(paragraph)
    if len(first) > SUMMARY_ROOM:
        return _shortened(first, SUMMARY_ROOM)
    summary = first
    for sentence in others:
        if len(summary) + 1 + len(sentence) > SUMMARY_ROOM:
            break
        summary = f"{summary} {sentence}"
    return summary


THIS_SESSION = "This session, before the compaction:"
OTHERS = "Other conversations:"
SHORTEST_LINE = 24
"""Characters. A line is not cut shorter."""


class RelatedLine(NamedTuple):
    """
    A conversation as it is printed.

    Attributes:
        room: How many characters the line was cut to, 0 if it is whole.
    """

    conversation: ConversationSummary
    text: str
    room: int = 0


class RelatedSection(NamedTuple):
    """
    The section as it is printed.

    Attributes:
        text: Its lines from the heading on and a blank one; empty without a conversation.
    """

    text: str = ""
    lines: tuple[RelatedLine, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The store's numbers of the conversations, in order."""
        return tuple(line.conversation.number for line in self.lines)

    def adding(self, opening: str, line: RelatedLine) -> "RelatedSection":
        """Add *line* after *opening*."""
        above = self.text.removesuffix("\n") if self.text else f"{RELATED}\n"
        return RelatedSection(f"{above}{opening}{line.text}\n\n", (*self.lines, line))


class Room(NamedTuple):
    """
    The upper bounds of the section's length.

    Attributes:
        most_units: The maximum length as the host counts it, so that the block keeps room for
            lessons.
    """

    budget_tokens: int
    most_units: int = LARGEST_ENTRY
    length: Length = units

    @property
    def characters(self) -> int:
        """The budget in characters."""
        return self.budget_tokens * CHARACTERS_A_TOKEN

    def holds(self, section: RelatedSection) -> bool:
        """Return whether *section* fits in."""
        return len(section.text) <= self.characters and self.length(section.text) <= self.most_units


def related_section(
    of_session: Sequence[ConversationSummary], others: Sequence[ConversationSummary], room: Room
) -> RelatedSection:
    """
    Return the section of the lines that fit.

    Those of the session come first, then the others.

    A line that does not fit is skipped; the very first is cut once instead.
    """
    section = _with_lines(RelatedSection(), of_session, label=THIS_SESSION, room=room)
    return _with_lines(section, others, label=OTHERS if section.text else "", room=room)


def _with_lines(
    section: RelatedSection, conversations: Sequence[ConversationSummary], label: str, room: Room
) -> RelatedSection:
    gap = "\n" if section.text else ""
    opening = f"{gap}{label}\n" if label else ""
    for conversation in conversations:
        longer = section.adding(opening, RelatedLine(conversation, conversation.line))
        if not section.text and not room.holds(longer):
            longer = _cut(opening, conversation, room)
        if room.holds(longer):
            section, opening = longer, ""
    return section


def _cut(opening: str, conversation: ConversationSummary, room: Room) -> RelatedSection:
    """
    Return a section of one cut line.

    It exceeds *room* when fewer than 24 characters would be left.
    """
    left = room.characters - len(
        RelatedSection().adding(opening, RelatedLine(conversation, "")).text
    )
    characters = max(left, SHORTEST_LINE)
    return RelatedSection().adding(
        opening, RelatedLine(conversation, conversation.cut(characters), characters)
    )
