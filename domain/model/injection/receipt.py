"""
The sign that an injected entry was of use.

An injected text as its pieces and what frames them, so that it can be put together again.

What keeps an entry out of an injected text, in a few words.

What an injection leaves behind, so that it can be explained and proved later.

What an agent did since it was last asked.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

How: TypeAlias = Literal["answer", "edit", "validation"]
"""Where the sign stood: in the agent's answer, in one of its edits, in somebody's judgement."""


class Influence(NamedTuple):
    """
    One entry that was used in one session.

    Attributes:
        entry_id: Which.
        session_id: Where it had been injected.
        how: Where the sign stood.
        phrase: The words of the entry that were found there; empty for a judgement.
        at: When it was seen.

    """

    entry_id: str
    session_id: str
    how: How
    phrase: str
    at: dt.datetime


SHA256_MODULES = ("_sha2", "_sha256", "hashlib")
"""Python's own, by version; hashlib has it too, but brings OpenSSL: 5 ms of a session start."""


def text_digest(text: str) -> str:
    """Return the sha256 of *text* as UTF-8, in hex; lone surrogates count as they are."""
    return str(_sha256_module().sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def framed_by(text: str, pieces: Sequence[str]) -> tuple[str, ...]:
    """
    Return what stands in *text* before, between and after *pieces*, one more than there are.

    Args:
        text: The whole.
        pieces: Parts of it, in the order in which they stand there; each is taken where it comes first.

    Raises:
        ValueError: a piece does not stand in *text* after those before it.

    """
    return tuple(_frame(text, pieces))


def assembled(frame: Sequence[str], pieces: Sequence[str]) -> str:
    """
    Return the text of which *frame* is what `framed_by` returned for *pieces*.

    Raises:
        ValueError: *frame* does not have one part more than there are *pieces*.
    """
    if len(frame) != len(pieces) + 1:
        raise ValueError(f"a frame of {len(frame)} parts does not go around {len(pieces)} pieces")
    return frame[0] + "".join(piece + after for piece, after in zip(pieces, frame[1:], strict=True))


def _frame(text: str, pieces: Sequence[str]) -> Iterator[str]:
    end = 0
    for place, piece in enumerate(pieces):
        begin = text.find(piece, end)
        if begin < 0:
            raise ValueError(f"piece {place} does not stand in the text after those before it: {piece!r:.60}")
        yield text[end:begin]
        end = begin + len(piece)
    yield text[end:]


@cache
def _sha256_module() -> Any:
    for name in SHA256_MODULES[:-1]:
        try:
            return import_module(name)
        except ImportError:
            continue
    return import_module(SHA256_MODULES[-1])


MAX_MISSED = 3
"""So many of those that nearly were in a text are told."""

NO_ROOM = "no room"
TOO_LOW = "below the last place"
OWED = "the places that were left are owed to other categories"
TOO_WEAK = "too weak"
SHOWN_ALREADY = "shown already in this session"
OF_ANOTHER_PROJECT = "of another project"


def said_by(name: str) -> str:
    """Return the reason of an entry that stands in a file of that name, which the agent is given anyway."""
    return f"{name} says it already"


Event: TypeAlias = Literal["start", "prompt"]
"""What an injection answered: a session's start, or a prompt."""

Form: TypeAlias = Literal["lesson", "note", "conversation"]
"""How an entry stands in the text: as a lesson of the block, as a plain note (a rule does too), as one line."""


class Shown(NamedTuple):
    """
    One entry in an injected text.

    Attributes:
        entry_id: Which.
        form: How it stands there.
        digest: `text_digest` of its part of the text.
        score: What it was ranked by; None for what no search chose.
        parts: What the score is made of, by name.
        room: How many characters its line was cut to, 0 for all of it.

    """

    entry_id: str
    form: Form
    digest: str
    score: float | None = None
    parts: Mapping[str, float] = {}
    room: int = 0


class NearMiss(NamedTuple):
    """
    An entry that nearly was in the text.

    Attributes:
        entry_id: Which.
        score: What it was ranked by.
        why: What kept it out, in a few words.

    """

    entry_id: str
    score: float
    why: str


class Receipt(NamedTuple):
    """
    One injection.

    Attributes:
        session_id: The session, as the host names it; empty when it does not.
        event: What it answered.
        at: When.
        project: The name of the user's project.
        query: The search text, without secrets; None when there was no signal.
        space: The model that embedded the query, None when none did.
        policy: What ranked.
        digest: `text_digest` of the whole text.
        frame: What stands before, between and after the entries, one more than `shown`.
        shown: The entries, in the order of the text.
        missed: The best that are not in it, best first.
        keyword_text: The text that was searched by keyword, without secrets; None when it was the query.
        number: The store's number of the receipt, 0 before it has one.

    """

    session_id: str
    event: Event
    at: dt.datetime
    project: str
    query: str | None
    space: str | None
    policy: str
    digest: str
    frame: tuple[str, ...]
    shown: tuple[Shown, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    keyword_text: str | None = None
    number: int = 0


class Turn(NamedTuple):
    """
    The end of a session, as far as it is known.

    Attributes:
        answer: What the agent said last.
        edits: What it wrote into files since the user's last prompt.
        given: What stood there without it: what the user said, what an edit replaced or left as it was.

    """

    answer: str = ""
    edits: str = ""
    given: str = ""
