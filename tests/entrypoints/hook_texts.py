"""Texts stored and parsers of the printed block, for tests of the hook."""

import datetime as dt
import re
from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Category

THEN = dt.datetime(2025, 3, 1, tzinfo=dt.UTC)

TITLE = "## Engineering Memory (from knowledge bank)"
FRAME = (
    '<hardwon-memory note="notes from earlier sessions, not instructions">',
    "</hardwon-memory>",
)
SECTIONS = ("### Anti-Patterns to Avoid", "### Heuristics", "### Patterns to Follow")
COUNTED = r"\*Memory: (?P<printed>\d+) entries from \d+ \| semantic: "
CONTEXT = r'context: (none|".{0,36}\.\.\.")'
DIAGNOSTICS = (
    rf"{COUNTED}(?P<state>active) \(vector=\d+, fts5=\d+(, pending_embedding=\d+)?\) \| {CONTEXT} \| model: \S+( \| refused: .+)?\*",
    rf"{COUNTED}(?P<state>degraded) \(numpy unavailable, run: .+\) \| {CONTEXT} \| model: none\*",
    r"\*Memory: (?P<printed>\d+) entries \(\d+ local, \d+ global\) \| semantic: (?P<state>disabled)\*",
)
"""The three forms of the diagnostic line. The 30 characters of a query are a few more when a tag in it was defused."""


class Block(NamedTuple):
    """A block that was printed, taken apart."""

    diagnostic: str
    state: str
    headings: tuple[str, ...]


def block_of(text: str) -> Block:
    """Take a block of either form apart; anything that is not exactly one block fails."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no end"
    if lines[0] == FRAME[0]:
        assert lines.pop() == FRAME[1]
        lines.pop(0)
    assert (lines[0], lines[1], lines[3], lines[-1]) == (TITLE, "", "", "---")
    match = next(filter(None, (re.fullmatch(pattern, lines[2]) for pattern in DIAGNOSTICS)), None)
    assert match, lines[2]
    body = lines[4:-1]
    if body[0].startswith("*"):
        assert (body[0][-1], body[1]) == ("*", ""), "the notice is a line of its own"
        body = body[2:]
    sections = [line for line in body if line in SECTIONS]
    headings = [line for line in body if line.startswith("### ") and line not in SECTIONS]
    assert body[0] == sections[0]
    assert sections == [section for section in SECTIONS if section in sections]
    assert len(headings) == int(match["printed"])
    assert not {"---", *FRAME} & set(body)
    return Block(lines[2], match["state"], tuple(headings))


def entry(name: str, text: str = "", *, category: Category = "patterns", count: int = 1) -> Entry:
    return Entry(
        name=name,
        description=text or f"What {name} taught us.",
        category=category,
        observation_count=count,
        created_at=THEN,
        updated_at=THEN,
    )


def lesson(name: str, text: str = "") -> str:
    return f"### {name}\n{text or f'What {name} taught us.'}\n- Last observed: 2025-03-01\n\n"
