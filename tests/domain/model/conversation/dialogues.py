"""Realistic conversations, for tests of the chunker and of descriptions."""

from collections.abc import Iterable

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.session import Answered, Exchange
from tests.conversations import MINUTE
from tests.strategies import NOW

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
