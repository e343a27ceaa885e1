"""What an injection leaves behind, so that it can be explained and proved later."""

import datetime as dt
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

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
