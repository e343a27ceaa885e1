"""The line that stands for a whole conversation (requirement C-T7.8)."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import NamedTuple

from hardwon.domain.model.block.neutral import neutral
from hardwon.domain.model.chunking.sentence_ends import split_sentences
from hardwon.domain.model.recall.excerpt import shortened
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


class ToldConversation(NamedTuple):
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
