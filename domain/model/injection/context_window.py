"""
Context windows: the memory that an agent of a session has been given and still has before it.

Standard library only: the hooks use it.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple, TypeAlias

Beginning: TypeAlias = Literal["new", "emptied", "continued"]
"""How a session starts: as a new one, after the host dropped its history, or going on with its history."""


class ContextWindow(NamedTuple):
    """
    The context window of one agent.

    Attributes:
        session_id: The session, by the host's name.
        agent: The subagent, by the host's name; empty for the session's own agent.

    """

    session_id: str
    agent: str = ""


class LastResponse(NamedTuple):
    """
    The last response in the history with which a session goes on, as the host describes it.

    Attributes:
        age: In whole seconds.
        tokens: Of the context, with the response.

    """

    age: int
    tokens: int


class Held(NamedTuple):
    """
    The injected memory in a context window.

    Attributes:
        entries: The ids of the entries.
        latest: The largest number of an entry when the last block was injected; None without a block.

    Examples:
        >>> held = Held(frozenset({"quotes"}), latest=5)
        >>> held.is_new("quotes", 3), held.is_new("commas", 4), held.is_new("headers", 6)
        (False, False, True)

    """

    entries: Collection[str] = frozenset()
    latest: int | None = None

    @property
    def has_block(self) -> bool:
        """Whether a block is among it, so that only what is new remains to be injected."""
        return self.latest is not None

    def is_new(self, entry_id: str, number: int) -> bool:
        """Return whether the entry was stored after the last block, and was not injected since."""
        return entry_id not in self.entries and (self.latest is None or number > self.latest)


NOTHING = Held()
