"""The memory of another program, in files that it wrote."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.entry import Entry


class ExternalConversation(NamedTuple):
    """A conversation, with its title in the other program."""

    name: str
    exchanges: Sequence[Exchange]


class ExternalMemory(Protocol):
    """
    Conversations and lessons of another program.

    Texts have no secrets. Unusable items are left out. Memory does not grow with the number of items.
    """

    @property
    def title(self) -> str:
        """Return what it is, for a person."""
        ...

    @property
    def projects(self) -> Sequence[str]:
        """Return the names of the projects in it, if it names any."""
        ...

    def conversations(self) -> Iterator[ExternalConversation]:
        """
        Yield all conversations with an exchange.

        Raises:
            UnreadableFileError: the file is cut off or damaged.
        """
        ...

    def lessons(self) -> Iterator[Entry]:
        """
        Yield all lessons.

        Raises:
            UnreadableFileError: the file is cut off or damaged.
        """
        ...
