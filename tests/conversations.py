"""Hypothesis strategies: utterances of sessions. Texts hold what markdown and anchors are made of."""

import datetime as dt
from typing import Any

import attrs
from hypothesis import strategies as st

from hardwon.domain.model.conversation.session import (
    Answered,
    Chunk,
    ChunkMetadata,
    Exchange,
    chunk_identity,
)
from tests.strategies import NOW, characters

MINUTE = dt.timedelta(minutes=1)

FRAGMENTS = (
    "We decided to use Postgres instead of MySQL because of the locks.",
    "Which encoding do we try first?",
    "/tlc:plan the parser",
    "ok, let's move on",
    "next",
    "Next.js renders the token",
    "On to the release: who signs the image, and with which key?",
    "No, that is wrong: the worktree is stale.",
    "I prefer tabs.",
    "Watch out: the migration is flaky.",
    "src/feeds/parser.py",
    "Phase 71",
    "<!-- ANCHOR:0123456789abcdef -->",
    "<!-- /ANCHOR:0123456789abcdef -->",
    "&lt;!-- &amp;lt;!--",
    "---",
    "```\ncode",
    "~~~",
    "> quoted",
    "# Title",
    "## Which encoding",
    "### Exchanges",
    "**User**",
    "- item",
    "  indented  ",
    "`tick`",
    "\\",
)
"""Texts that could be mistaken for a part of the file, a boundary or a decision."""

utterances = st.lists(
    st.sampled_from(FRAGMENTS) | st.text(characters, max_size=12), max_size=4
).map("\n".join)
lines = utterances.map(lambda text: " ".join(text.split()))
timestamps = st.integers(0, 10_000_000).map(
    lambda milliseconds: NOW + dt.timedelta(milliseconds=milliseconds)
)
answers = st.builds(Answered, lines, lines, st.lists(lines, max_size=2).map(tuple))


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    """Return any exchange in which something is said."""
    assistant = draw(utterances)
    user = draw(utterances) if assistant.strip() else "go on"
    return Exchange(user, assistant, draw(timestamps), tuple(draw(st.lists(answers, max_size=2))))


@st.composite
def sessions(draw: st.DrawFn, at_most: int = 30) -> list[Exchange]:
    """Return exchanges one after the other, a minute between."""
    drawn = draw(st.lists(exchanges(), max_size=at_most))
    return [
        Exchange(e.user, e.assistant, NOW + place * MINUTE, e.answers)
        for place, e in enumerate(drawn)
    ]


def talk(
    utterance: str = "Which encoding?", topic: str = "encoding", *, minute: int = 0, **more: Any
) -> Chunk:
    """Return a chunk of one exchange about which only what is named matters."""
    first = Exchange(
        utterance, "UTF-8 **it** is:\n\n```python\nopen(path)\n```", NOW + minute * MINUTE
    )
    facts = {
        "title": utterance,
        "summary": "In short.",
        "topic": topic,
        "exchanges": (first,),
    } | more
    return Chunk(chunk_id=chunk_identity("app", first), **facts)


not_blank = lines.map(lambda line: line or "Title")
listed = st.lists(not_blank, max_size=3, unique=True).map(tuple)
metadata = st.fixed_dictionaries(dict.fromkeys(attrs.fields_dict(ChunkMetadata), listed)).map(
    lambda fields: ChunkMetadata(**fields)
)


@st.composite
def chunks(draw: st.DrawFn) -> Chunk:
    """Return any chunk, its parts chosen independently of one another."""
    first, *more = draw(st.lists(exchanges(), min_size=1, max_size=4))
    return Chunk(
        chunk_id=chunk_identity("app", first),
        title=draw(not_blank),
        summary=draw(lines),
        topic=draw(st.sampled_from(["encoding", "partner feeds", "parser"])),
        exchanges=(first, *more),
        metadata=draw(metadata),
        session_id=draw(st.none() | not_blank),
        permanent=draw(st.booleans()),
    )
