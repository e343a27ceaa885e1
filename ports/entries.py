"""Entries: whole ones, narrow reads for ranking, and pairs."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.prominence import TrackRecord
from hardwon.domain.model.vocabulary import Category

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.ports.erasure import ForgottenTexts

Field = Literal[
    "kind",
    "category",
    "confidence",
    "source",
    "project",
    "source_project",
    "tier",
    "context_type",
    "spec_folder",
]

Order = Literal["updated_at", "created_at", "recall_count", "importance_weight"]
"""The fields to sort by, greatest first."""

ListOrder = Literal[Order, "oldest", "name"]
"""Also by age, and by name: capital letters of ASCII count as small ones."""


class EntryState(Protocol):
    """The operations that both roles below share."""

    def snapshot(self) -> AbstractContextManager[None]:
        """
        Return a context in which all reads see one consistent state.

        So do the reads of every index.
        """
        ...

    def prefetch(self, reads: Callable[[], object]) -> None:
        """
        Let a server answer all that *reads* asks for, before it is asked again.

        Nothing may depend on an answer, as every one is empty. Within a transaction the answers
        hold until what they are about is changed, and `put` only reads what it will need. An engine
        without a network does not call it.
        """
        ...

    def count(self, only: EntryFilter) -> int:
        """Return the number of entries of *only*."""
        ...

    def by_id(self, entry_id: str) -> "Entry | None":
        """Return the entry of that id, None without one."""
        ...

    def retire_expired(self, now: dt.datetime) -> int:
        """
        Remove entries that expired by *now* from every index, for good.

        Returns their number. Called before ranking; writes nothing when nothing has expired.

        Raises:
            StorageError: some have expired and the store can't be written now.
        """
        ...


class EntryRepository(EntryState, Protocol):
    """
    Adds, changes and finds whole entries.

    Every index is derived from them.

    Attributes:
        files_at_once: How many new files are stored in one transaction, for which other writers wait.
    """

    files_at_once: int = 1

    @property
    def forgotten(self) -> "ForgottenTexts":
        """The texts that may not be stored again."""
        ...

    def transaction(self, of: Collection[str] | None = None) -> AbstractContextManager[None]:
        """
        Return a context in which all changes are atomic.

        Other writers wait until it ends.

        Args:
            of: The ids of the only entries that are changed; writers of others need not wait.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def batch(self) -> AbstractContextManager[None]:
        """
        Return a transaction of many puts.

        The keyword index is updated at its end, so that nothing within may search. A nested batch
        joins the outer one.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def with_number(self, number: int) -> "Entry | None":
        """Return the entry of that number, None without one."""
        ...

    def put(self, entry: "Entry") -> None:
        """
        Add *entry*, or replace the one of its id except `created_at`.

        Idempotent. The keyword index is updated at once, or at the end of a `batch`; vectors of an earlier text are deleted.
        Deprecated entries are in no index, have no vector and are never ranked.
        Counters are unchanged: only the `UsageLog` changes them. On a server the lesson of another
        member keeps its tier.

        Raises:
            ForgottenError: the user had a text of it forgotten.
            StorageError: another entry represents the same section of a file, or the store can't be
                written now.
        """
        ...

    def reword(self, entry_id: str, entry: "Entry") -> None:
        """
        Replace the learning *entry_id* by *entry*, whose description differs.

        It keeps its number, and all that is stored about it: counters, history, places, receipts.
        `reworded` finds it by its earlier ids. The store has no other entry of the new id.

        Raises:
            ForgottenError: the user had a text of it forgotten.
            StorageError: the store can't be written now; nothing was changed.
        """
        ...

    def reworded(self, old_id: str) -> "Entry | None":
        """
        Return the entry that had that id until its description was changed.

        None without one, or if another has the id now.
        """
        ...

    def delete(self, entry_id: str) -> bool:
        """
        Delete the entry and all its data, and return success.

        Its number is never reused. On a server the entry of another member stays.
        """
        ...

    def with_file(self, file_path: str) -> "Entry | None":
        """Return a whole file's entry by its absolute path, or None."""
        ...

    def of_file(self, file_path: str) -> "list[Entry]":
        """
        Return the entries of a file by anchor, the whole one first.

        The path is absolute.
        """
        ...

    def files_starting_with(self, prefix: str) -> list[str]:
        """Return the paths of files that begin with *prefix*, sorted, without duplicates."""
        ...

    def matching(
        self,
        only: EntryFilter,
        *,
        limit: int,
        offset: int = 0,
        order: ListOrder = "updated_at",
        after: "Entry | None" = None,
    ) -> "list[Entry]":
        """
        Return entries of *only*, sorted.

        The order is by *order*, then the newest `updated_at`, then by id.

        Args:
            only: Which entries.
            limit: The maximum number.
            offset: How many of the first are skipped.
            order: The first sort key.
            after: Only entries after this one by `updated_at` and id; it need not be in the store.
        """
        ...

    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        """
        Return the number of entries by *field*, most frequent first.

        No value is empty text.
        """
        ...

    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        """
        Return at most *limit* ids of entries with a matching id, sorted.

        The present id or an earlier one begins with *prefix*.
        """
        ...


class RankingReads(EntryState, Protocol):
    """Narrow reads of entries by their numbers."""

    def hydrate(self, numbers: Sequence[int]) -> "list[Entry]":
        """Return the entries of *numbers* in that order, without unknown numbers."""
        ...

    def printed(self, numbers: Sequence[int]) -> list[PrintedEntry]:
        """Return the printed fields of *numbers* in that order, without unknown numbers."""
        ...

    def summaries(self, numbers: Sequence[int]) -> list[ConversationSummary]:
        """
        Return the summaries of *numbers*, in that order.

        Unknown numbers are left out. Descriptions may be cut after 2,000 characters.
        """
        ...

    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        """Return at most *limit* summaries, newest first, then by id."""
        ...

    def facts(self, numbers: Iterable[int]) -> list[RankingFacts]:
        """Return the fields that ranking reads of *numbers*, in no order."""
        ...

    def recall_facts(self, numbers: Iterable[int]) -> list[RecallFacts]:
        """Return the facts for recall of *numbers*, in no order."""
        ...

    def outdated(self, numbers: Iterable[int]) -> frozenset[int]:
        """
        Return those of *numbers* that another of them probably replaces.

        Pairs that the user decided to keep are left out.
        """
        ...

    def references(self, numbers: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        """
        Return the files and features that each of *numbers* refers to.

        Unknown numbers are left out.
        """
        ...

    def newest_by_track_record(
        self,
        k: int,
        visible_in: Visibility | None = None,
        of: Collection[TrackRecord] | None = None,
    ) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
        """
        Return the *k* newest learnings of each track record that may be ranked.

        They are the newest first, then by id. With *visible_in*, only those that may be shown
        there; with *of*, only those of these track records. A track record is a combination of
        category, observation count, confidence and `min(recall_count, 10)`: its entries differ in
        recency only, so the *k* most prominent of all are among these. Rows are decoded each time
        they are iterated over.
        """
        ...

    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        """
        Return the number of rankable learnings of each category.

        Empty categories are left out.
        """
        ...

    def most_observed(self, visible_in: Visibility | None = None) -> int:
        """
        Return the maximum observation count of learnings that may be ranked (there).

        It is 1 without any.
        """
        ...

    def constitutional(self, only: EntryFilter) -> list[ConstitutionalText]:
        """
        Return the rankable constitutional entries of *only*, unordered.

        Sections of a file that is constitutional as a whole are left out: they would repeat it.
        """
        ...


class Proposal(NamedTuple):
    """
    A pair to review.

    Attributes:
        older: The id of the earlier learning.
        newer: The id of the later one.
        probability: The probability that the later one replaces the earlier one.
    """

    older: str
    newer: str
    probability: float


class Proposals(Protocol):
    """The pairs of learnings to review."""

    def propose(self, proposal: Proposal) -> None:
        """
        Add *proposal*.

        A pair that is known, or of which an entry is gone, is unchanged.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def open(self, limit: int) -> list[Proposal]:
        """Return *limit* undecided pairs, most probable first, then by id."""
        ...

    def reject(self, older: str, newer: str) -> bool:
        """
        Keep both entries, and return whether the pair was open.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
