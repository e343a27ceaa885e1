from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import Kind, Tier
from hardwon.ports.vectors import Matches

Mode = Literal["any", "all"]


class KeywordIndex(Protocol):
    """Finds entries by the words of their name, description, notes, keywords and reasoning."""

    def size(self) -> int:
        """
        Return how many entries are indexed.

        Raises:
            KeywordIndexUnavailableError: there is no usable index.
        """
        ...

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        """
        Return for each term in how many entries it occurs, 0 for none.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def match(self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline) -> Matches:
        """
        Return the entries of *only* that hold any, or all, of *terms*, scored by BM25.

        A term is text, never query syntax. The best match has the highest
        score. No terms find nothing.

        Args:
            terms: What to look for.
            mode: Whether one term is enough, labels included, or all must stand in an entry's own texts.
            only: Which entries are searched; how rare a term is shows in the whole index.
            deadline: When the answer must be there.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> Matches:
        """
        Return the entries of *only* that hold any of *terms*, scored by `passage_evidence` of their best passage.

        A passage that holds all terms scores at least `ScoreStatistics.full`.
        Identifiers such as `parseRequest` are also found by the words they are made of.
        Of terms that are too frequent to be read in time the rarest count.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...


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
        phrases: The words of a user that bring it up.

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
    """The stored trigger phrases, for a cache of them."""

    def own_changes(self) -> int:
        """Return how much this connection has written so far; reads nothing."""
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
