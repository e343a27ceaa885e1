"""Keyword search: the full-text index, and the trigger phrases for prompts."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.vocabulary import Kind, Tier
from hardwon.ports.vectors import Matches

Mode = Literal["any", "all"]


class KeywordIndex(Protocol):
    """
    Full-text search over name, description, notes, labels, reasoning and citations of entries.

    The words of an entry's references count as labels. The files that a lesson cites are found by
    `match` with `citations.tokens_to_find`.
    """

    def size(self) -> int:
        """
        Return the number of indexed entries.

        Raises:
            KeywordIndexUnavailableError: there is no usable index.
        """
        ...

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        """
        Return the document frequency of each term, 0 for unknown ones.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> Matches:
        """
        Return the entries of *only* that contain any, or all, of *terms*.

        They are scored by BM25, higher is better. A term is text, never query syntax. No terms find
        nothing.

        Args:
            terms: The words to find.
            mode: `any`: one term is enough, keyword labels included; `all`: an entry's own texts
                contain every term.
            only: The entries searched; term frequencies are those of the whole index.
            deadline: When the answer is due.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> Matches:
        """
        Return entries of *only* with any of *terms*, scored by passage.

        The score is `passage_evidence` of their best passage. A passage with all terms scores at
        least `ScoreStatistics.full`. Identifiers such as `parseRequest` are also found by their
        parts. When terms are too frequent to be read in time, only the rarest count.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...

    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        """
        Return words that begin with *beginning*, the most frequent first.

        `keywords.completions` chooses them. Texts are scanned for it: it is for a word that is
        being typed, not for every question.

        Args:
            beginning: Lower case, letters and digits.
            only: The entries whose own texts are scanned.
            deadline: When the answer is due.

        Raises:
            KeywordIndexUnavailableError: there is no usable index, or *deadline* passed.
        """
        ...


class TriggerOwner(NamedTuple):
    """
    An entry with trigger phrases, without its text.

    Attributes:
        title: The entry's name.
        file_path: Its file; None for a learning.
        anchor_id: The section of that file; empty for the whole file.
        phrases: The user's words that trigger it.
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
    """The stored trigger phrases, with the version numbers that a cache needs."""

    def own_changes(self) -> int:
        """
        Return the number of changes made over this connection.

        Reads nothing from the store.
        """
        ...

    def version(self) -> int:
        """
        Return a number that differs after every change of an entry.

        Changes by other processes count, too.
        """
        ...

    def owners(self, only: EntryFilter) -> Sequence[TriggerOwner]:
        """
        Return the entries of *only* with trigger phrases, by number.

        Deprecated and expired ones are left out.
        """
        ...
