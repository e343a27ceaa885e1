"""The sign that an injected entry was of use."""

import datetime as dt
from typing import Literal, NamedTuple, TypeAlias

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
