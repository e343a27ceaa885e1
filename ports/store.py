"""An open store, with its roles as attributes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from hardwon.ports.entries import EntryRepository, RankingReads
from hardwon.ports.vectors import VectorStore

if TYPE_CHECKING:
    import datetime as dt
    from contextlib import AbstractContextManager

    from hardwon.domain.model.embedding import Space
    from hardwon.domain.model.project import Registry
    from hardwon.domain.model.vocabulary import Kind, TrustMode
    from hardwon.ports.activity import (
        ContextWindows,
        Deliveries,
        History,
        Influences,
        Receipts,
        UsageLog,
    )
    from hardwon.ports.entries import Proposals
    from hardwon.ports.erasure import ErasableRows, KeptElsewhere
    from hardwon.ports.file_state import Absences, ImportLedger, Tombstones
    from hardwon.ports.keyword_index import KeywordIndex, TriggerSource
    from hardwon.ports.overview import Overview
    from hardwon.ports.projects import Projects
    from hardwon.ports.snapshots import Snapshots
    from hardwon.ports.transfer import StoreContents
    from hardwon.ports.vectors import VectorIndex

Warn = Callable[[str], None]


class Entries(EntryRepository, RankingReads, Protocol):
    """The entries in both of their roles."""


class ActiveVectors(VectorStore, Protocol):
    """Vectors whose space may become the one that the store's metadata names."""

    def activate(self) -> None:
        """Let the store's metadata name this space."""
        ...


class StoreMetadata(Protocol):
    """The store's own decisions."""

    @property
    def automatic_provider(self) -> str | None:
        """The provider that `auto` means here, None before a decision."""
        ...

    def decide_provider(self, provider: str, *, force: bool = False) -> None:
        """
        Store the provider that `auto` means in this store.

        *force* replaces an earlier decision.
        """
        ...

    @property
    def label_cursor(self) -> str | None:
        """
        The id of the imported entry whose labelling was tried last.

        None before the first; it may be deleted.
        """
        ...

    def move_label_cursor(self, entry_id: str) -> None:
        """Store the id of the imported entry whose labelling was tried last."""
        ...

    @property
    def citation_cursor(self) -> str | None:
        """The id of the entry whose citations were checked last."""
        ...

    def move_citation_cursor(self, entry_id: str) -> None:
        """Store the id of the last entry whose citations were checked."""
        ...

    def embed_cursor(self, space: "Space") -> int:
        """
        The number of the last entry embedded again in *space*.

        It is 0 where no run of embedding everything again was interrupted.
        """
        ...

    def state_at(self, now: "dt.datetime") -> str | None:
        """
        Return the state of everything that may be shown at *now*.

        It differs after each change of entries, vectors, projects and decisions, and in a store
        that took another's place. Records of activity and counters do not change it.

        Returns:
            None while an entry has expired that is not retired yet.
        """
        ...

    def move_embed_cursor(self, space: "Space", number: int) -> None:
        """
        Store the number of the last entry embedded again in *space*.

        It is 0 at the end of the run.
        """
        ...


class Upkeep(Protocol):
    """Checks and repairs of a store."""

    def size(self) -> int:
        """Return the size of the store in bytes."""
        ...

    def ensure_sound(self) -> None:
        """
        Read the whole store and check its structure.

        Raises:
            StorageError: something in it is damaged, or it can't be written.
        """
        ...

    def ensure_schema(self) -> int:
        """
        Check the schema, and return its version.

        Raises:
            StorageError: something drifted; the message names each difference.
        """
        ...

    def unreadable(self) -> list[str]:
        """
        Return a line for each row that can't be read.

        Rows that `ensure_sound` has just read are not read again.
        """
        ...

    def repair_rows(self) -> list[str]:
        """
        Repair the rows that can't be read, or set them aside.

        Returns a line for each.

        Raises:
            StorageError: the store can't be written.
        """
        ...

    def ensure_keyword_index(self) -> None:
        """
        Check the keyword index by a search.

        Raises:
            KeywordIndexUnavailableError: it can't be used; one line says why.
        """
        ...

    def has_keyword_index(self) -> bool:
        """Return whether there is a keyword index that fits the entries."""
        ...

    def has_outdated_keywords(self) -> bool:
        """
        Return whether the keyword index is of an earlier version.

        It answers until it is refreshed.
        """
        ...

    def refresh_keyword_index(self) -> int:
        """
        Update an index of an earlier version.

        Returns the number of entries that were indexed again.

        Raises:
            StorageError: it can't be written.
        """
        ...

    def rebuild_keyword_index(self) -> None:
        """
        Rebuild the keyword index.

        Raises:
            StorageError: the store can't be written.
        """
        ...

    def rebuild_vector_index(self, vectors: VectorStore) -> None:
        """
        Rebuild everything derived from *vectors*.

        Raises:
            StorageError: the store can't be written.
        """
        ...

    def pack(self) -> None:
        """
        Prepare fast searches.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def slow_searches(self) -> list[str]:
        """Return a line for each index that only another person can make."""
        ...


class Store(Protocol):
    """
    An open store.

    Attributes:
        path: Its name in messages.
        is_there: Whether there is a store, not an empty stand-in for one.
        file: The path of its file, None for a server, or where there is none yet.
        member: The tenant and role as which a server is open, empty for a file.
        entries: The entries.
        triggers: The trigger phrases.
        history: The changes of entries.
        receipts: The receipts of injections.
        deliveries: The deliveries of injections.
        windows: The injected memory in agents' context windows.
        influences: The usage signals.
        usage: The counters of use.
        projects: The projects.
        proposals: The pairs to review.
        metadata: The store's own decisions.
        upkeep: The checks and repairs.
    """

    path: str
    is_there: bool
    file: str | None
    member: str
    entries: Entries
    triggers: "TriggerSource"
    history: "History"
    receipts: "Receipts"
    deliveries: "Deliveries"
    windows: "ContextWindows"
    influences: "Influences"
    usage: "UsageLog"
    projects: "Projects"
    proposals: "Proposals"
    metadata: StoreMetadata
    upkeep: Upkeep

    def counting(self) -> "AbstractContextManager[None]":
        """
        Return a context in which counters change together.

        It waits only briefly for other writers, and raises StorageError instead.
        """
        ...

    def is_in_place(self) -> bool:
        """Return whether the store that was opened is still at its address."""
        ...

    def is_current(self) -> bool:
        """
        Return whether opening it now would open the same store.

        True also if there was no store, and there still is none.
        """
        ...

    def close(self) -> None:
        """Close the store (idempotent)."""
        ...

    def keywords(self, *, enabled: bool) -> "KeywordIndex":
        """
        Return the keyword index.

        One that is not *enabled* refuses every search.
        """
        ...

    def keywords_of_questions(self, *, enabled: bool) -> "KeywordIndex":
        """
        Return the keyword index for questions.

        Questions are answered without an index too.
        """
        ...

    def vectors(
        self, space: "Space", warn: Warn, kinds: "tuple[Kind, ...]", *, is_active: bool
    ) -> ActiveVectors:
        """Return the vectors of *space*, in which entries of *kinds* are embedded."""
        ...

    def vector_index(self, vectors: VectorStore) -> "VectorIndex":
        """
        Return the index of *vectors*.

        Keep it: it may cache the vectors that it has loaded.
        """
        ...

    @property
    def absences(self) -> "Absences":
        """The state of files that are gone."""
        ...

    @property
    def tombstones(self) -> "Tombstones":
        """The deleted sections."""
        ...

    @property
    def ledger(self) -> "ImportLedger":
        """The imports done before."""
        ...

    def registry(self, mode: "TrustMode") -> "Registry":
        """
        Return the known projects, of which *mode* decides which are trusted.

        Hooks read them.
        """
        ...

    @property
    def overview(self) -> "Overview":
        """Narrow reads over the whole store."""
        ...

    @property
    def snapshots(self) -> "Snapshots":
        """The saved states of the store."""
        ...

    @property
    def contents(self) -> "StoreContents":
        """All contents, for an export or a copy."""
        ...

    @property
    def rows(self) -> "ErasableRows":
        """The rows of the store, from which texts can be erased."""
        ...

    @property
    def copies(self) -> "tuple[KeptElsewhere, ...]":
        """Places that may hold copies beyond reach."""
        ...
