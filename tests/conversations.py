"""Sessions: drawn by Hypothesis, and dialogues with known topics."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import attrs
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import Chunker
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


DATABASE = (
    (
        "How should we design the Postgres schema for the orders?",
        "An orders table with a foreign key to customers.",
    ),
    (
        "Do orders need an index on the customer column?",
        "Yes, a btree index makes the customer lookup fast.",
    ),
    (
        "How do we migrate the schema without downtime?",
        "Add the nullable column first, then backfill the orders table.",
    ),
    (
        "Will the index slow down inserts into the orders table?",
        "A little; Postgres updates the index on each insert.",
    ),
)
FRONTEND = (
    (
        "The button animation stutters in Safari, why?",
        "Safari repaints the shadow; animate transform and opacity only.",
    ),
    (
        "Can the hover animation be pure CSS?",
        "Yes, a CSS transition on transform gives a smooth hover animation.",
    ),
    (
        "And for the mobile menu, which CSS transition?",
        "Slide the menu with transform, and ease out the animation.",
    ),
    (
        "Does Safari respect reduced motion?",
        "Yes, the prefers-reduced-motion media query stops the CSS animation.",
    ),
)
DEEP_TALK = tuple(
    (
        f"What does the parser do with {case} in a feed?",
        f"The parser reads {case}, then the feed decoder checks it.",
    )
    for case in (
        "a BOM",
        "mixed encodings",
        "bare ampersands",
        "missing dates",
        "huge titles",
        "broken links",
        "tabs",
    )
)
SHORT_QUESTIONS = (
    ("Which port?", "5432."),
    ("Tabs or spaces?", "Spaces."),
    ("Is CI green?", "Yes."),
    ("What year is it?", "2026."),
    ("Who wrote this?", "Ada."),
)


def dialogue(*utterances: tuple[str, str]) -> tuple[Exchange, ...]:
    """Return an exchange for each prompt and reply, a minute between."""
    return tuple(
        Exchange(user, assistant, NOW + place * MINUTE)
        for place, (user, assistant) in enumerate(utterances)
    )


def prompts(*utterances: str) -> tuple[Exchange, ...]:
    """Return exchanges in which the agent only agrees."""
    return dialogue(*((prompt, "Yes.") for prompt in utterances))


def asked(question: str, answer: str, *options: str) -> Exchange:
    """Return an exchange in which the agent asked something by a tool."""
    return Exchange(
        "Set the project up.", "I set it up.", NOW, (Answered(question, answer, options),)
    )


def sizes(exchanges: Iterable[Exchange], chunker: Chunker | None = None) -> list[int]:
    """Return how many exchanges each chunk has."""
    return [len(draft.exchanges) for draft in (chunker or Chunker()).chunk(exchanges)]
