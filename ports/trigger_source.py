from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.vocabulary import Kind, Tier


class TriggerOwner(NamedTuple):
    """
    An entry that phrases bring up, without its text.

    Attributes:
        number: The store's number of it.
        entry_id: Its id.
        kind: Its kind.
        title: Its name.
        spec_folder: The specification it belongs to.
        file_path: Its file; None for a learning.
        anchor_id: The section of that file; empty for the whole file.
        tier: How much it matters.
        phrases: What a user says when it matters.

    """

    number: int
    entry_id: str
    kind: Kind
    title: str
    spec_folder: str | None
    file_path: str | None
    anchor_id: str
    tier: Tier
    phrases: tuple[str, ...]


class TriggerSource(Protocol):
    """The phrases that are stored, for those who keep them in memory."""

    def own_changes(self) -> int:
        """Return how much the connection behind this source has written so far; reads nothing."""
        ...

    def version(self) -> int:
        """Return a number that is another one after every change of an entry, by whatever process."""
        ...

    def owners(self, project: str) -> Sequence[TriggerOwner]:
        """
        Return the entries with trigger phrases that may come up in *project*, in the order of their numbers.

        These are learnings from anywhere and its own entries of other kinds, but for those
        that are deprecated or have expired.
        """
        ...
