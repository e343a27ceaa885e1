import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, Protocol

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.entry_text import PrintedEntry
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.injection.rules import ConstitutionalText
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.vocabulary import Category

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

Field = Literal["kind", "category", "confidence", "source", "source_project", "tier", "context_type", "spec_folder"]

Order = Literal["updated_at", "created_at", "importance_weight"]


class EntryState(Protocol):
    """The state of all entries, as both roles below see it."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Return a context in which all reads, of every index too, see one and the same state."""
        ...

    def count(self, only: EntryFilter) -> int:
        """Return how many entries there are within *only*."""
        ...

    def retire_expired(self, now: dt.datetime) -> int:
        """
        Take what has expired by *now* out of every index, for good; return how many entries that were.

        Called before anything is ranked; with nothing to do it writes nothing.

        Raises:
            StorageError: there is something to do and the store can't be written now.
        """
        ...


class EntryRepository(EntryState, Protocol):
    """The entries, added, changed and found as a whole; every index is derived from them."""

    def transaction(self) -> AbstractContextManager[None]:
        """
        Return a context in which all changes happen together or not at all.

        Other writers wait until it ends.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def get(self, entry_id: str) -> "Entry | None":
        """Return the entry of that id, None when there is none."""
        ...

    def with_number(self, number: int) -> "Entry | None":
        """Return the entry of that number, None when there is none."""
        ...

    def put(self, entry: "Entry") -> None:
        """
        Add *entry*, or replace the one of its id but for its `created_at`; doing it twice changes nothing more.

        The keyword index follows at once; vectors of an earlier text are dropped.
        What is deprecated is in no index, keeps no vector and is never ranked.
        Counters are not touched: only the `UsageLog` changes them.

        Raises:
            StorageError: another entry stands for the same section of a file, or the store can't be written now.

        """
        ...

    def delete(self, entry_id: str) -> bool:
        """
        Forget the entry of that id with all that hangs on it; tell whether there was one.

        Its number is never given to another entry.
        """
        ...

    def with_file(self, file_path: str) -> "Entry | None":
        """Return the entry that stands for the whole file of that absolute path, None when there is none."""
        ...

    def sections_of(self, file_path: str) -> "list[Entry]":
        """Return the entries that stand for sections of the file of that absolute path, in the order of their anchors."""
        ...

    def files_starting_with(self, prefix: str) -> list[str]:
        """Return the paths of files that begin with *prefix*, in order, each once."""
        ...

    def find(
        self,
        only: EntryFilter,
        *,
        limit: int,
        offset: int = 0,
        order: Order = "updated_at",
        after: "Entry | None" = None,
    ) -> "list[Entry]":
        """
        Return entries of *only*, those of the greatest *order* first, then the newest `updated_at`, then by id.

        Args:
            only: Which entries.
            limit: How many at most.
            offset: How many of the first are left out.
            order: The field that decides before `updated_at`.
            after: Only entries that come after this one by `updated_at` and id; it need not be in the store.

        """
        ...

    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        """Return how many entries there are for each value of *field*, the most frequent first; none is empty text."""
        ...

    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return at most *limit* ids that begin with *prefix*, in order."""
        ...


class RankingReads(EntryState, Protocol):
    """Narrow reads of entries by their numbers, for ranking, recall and a session start."""

    def hydrate(self, seqs: Sequence[int]) -> "list[Entry]":
        """Return the entries of *seqs* in that order; numbers not in the store are left out."""
        ...

    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        """Return what the block prints of the entries *seqs*, in that order; numbers not in the store are left out."""
        ...

    def summaries(self, seqs: Sequence[int]) -> list[ConversationSummary]:
        """
        Return what a session start tells of the entries *seqs*, in that order; numbers not in the store are left out.

        Of each description the first 2,000 characters are enough.
        """
        ...

    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        """Return what is told of at most *limit* entries of *only*, the newest first, then by id."""
        ...

    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        """Return what ranking reads of the entries *seqs*, in no particular order."""
        ...

    def recall_facts(self, seqs: Iterable[int]) -> list[RecallFacts]:
        """Return what the policies of recall read of the entries *seqs*, in no particular order."""
        ...

    def references(self, seqs: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        """Return the files and features that each of *seqs* is about; numbers not in the store are left out."""
        ...

    def newest_by_track_record(self, k: int) -> list[RankingFacts]:
        """
        Return the *k* newest learnings of each track record, of those that may be ranked.

        A track record is a combination of category, observation count, confidence
        and `min(recall_count, 10)`: among its entries only recency decides, so the
        *k* most prominent of all are among these. In no particular order.
        """
        ...

    def sizes(self) -> Mapping[Category, int]:
        """Return how many learnings that may be ranked each category has; empty ones are left out."""
        ...

    def most_observed(self) -> int:
        """Return the largest observation count of a learning that may be ranked, 1 when there is none."""
        ...

    def constitutional(self, project: str) -> list[ConstitutionalText]:
        """
        Return the constitutional entries that hold in *project*, in no particular order.

        These are learnings from anywhere and its own entries of other kinds, but no section of a file that is
        constitutional as a whole: it would say the same again.
        """
        ...
