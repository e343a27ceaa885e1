"""The store on a PostgreSQL server, with all its roles."""

import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import ServerAwayError, StorageError
from hardwon.domain.model.filters import OF_OTHERS
from hardwon.domain.model.settings import ServerAddress
from hardwon.ports.override import override
from hardwon.ports.store import Store, Upkeep, Warn

try:
    from hardwon.adapters.postgres.activity import (
        PostgresContextWindows,
        PostgresDeliveries,
        PostgresHistory,
        PostgresInfluences,
        PostgresReceipts,
        PostgresUsageLog,
    )
    from hardwon.adapters.postgres.database import PostgresDatabase
    from hardwon.adapters.postgres.entries import (
        PostgresEntryRepository,
        PostgresProposals,
        PostgresTriggerSource,
        first_expiry,
    )
    from hardwon.adapters.postgres.keyword_index import PostgresKeywordIndex
    from hardwon.adapters.postgres.metadata import PostgresMetadata
    from hardwon.adapters.postgres.projects import PostgresProjects
    from hardwon.adapters.postgres.server import NO_ANSWER
    from hardwon.adapters.postgres.session import LOCK_SECONDS, LONGEST_WAIT, NEWEST
    from hardwon.adapters.postgres.vectors import (
        PostgresVectorStore,
        index_vectors,
        read_spaces,
        slow_searches,
    )
except ModuleNotFoundError as error:
    raise StorageError(
        f"a store on a server needs the extra `postgres` ({error}); run: uv tool install --force"
        " 'hardwon[postgres]'"
    ) from error

if TYPE_CHECKING:
    from hardwon.adapters.postgres.erase import PostgresRows
    from hardwon.domain.model.embedding import Space
    from hardwon.domain.model.project import Registry
    from hardwon.domain.model.vocabulary import Kind, TrustMode
    from hardwon.ports.erasure import KeptElsewhere
    from hardwon.ports.file_state import Absences, ImportLedger, Tombstones
    from hardwon.ports.keyword_index import KeywordIndex
    from hardwon.ports.overview import Overview
    from hardwon.ports.snapshots import Snapshots
    from hardwon.ports.transfer import StoreContents
    from hardwon.ports.vectors import VectorIndex, VectorStore


MEASURED = (
    *("entry", "entry_text", "recall", "usage", "history", "vector", "document", "posting"),
    *("receipt", "receipt_entry", "influence", "saved_row"),
)
"""The tables that grow."""

BYTES = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
    WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relname = ANY(%(tables)s)
"""


def open_postgres(
    server: ServerAddress,
    warn: Warn,
    *,
    busy_seconds: float = LOCK_SECONDS,
    longest_wait: float = LONGEST_WAIT,
) -> "PostgresStore":
    """
    Open the store on *server*.

    Args:
        server: Its address.
        warn: Called with one line about a problem.
        busy_seconds: Longest wait for other writers, at most `LOCK_SECONDS`.
        longest_wait: Timeout of a statement, in seconds.

    Raises:
        StorageError: the server can't be reached, the role is no member, or the schema does not
            fit.

    """
    busy_seconds = min(busy_seconds, LOCK_SECONDS)
    store = PostgresStore(PostgresDatabase(server.dsn, busy_seconds, longest_wait))
    database = store.database
    database.warn = warn
    if database.is_read_only:
        warn(f"{database.path} is a standby: it can only be read")
    with database.ahead():  # every door asks these next
        _ = store.metadata.automatic_provider
        store.registry("own")
        store.ledger.fingerprint("")
        read_spaces(database)
        store.upkeep.has_outdated_keywords()
    store.upkeep.has_outdated_keywords()
    return store


def open_in_time(server: ServerAddress, longest_wait: float) -> "PostgresStore":
    """Open the store on *server* for its activity, with a timeout of *longest_wait*."""
    opened: list[PostgresStore | StorageError] = []

    def connect() -> None:
        try:
            database = PostgresDatabase(server.dsn, longest_wait=longest_wait)
            opened.append(PostgresStore(database))
        except StorageError as error:
            opened.append(error)

    thread = threading.Thread(target=connect, daemon=True)  # libpq waits at least two seconds
    thread.start()
    thread.join(longest_wait)
    if not opened:
        raise ServerAwayError(f"{server}: {NO_ANSWER}")
    if isinstance(store := opened[0], StorageError):
        raise store
    return store


class PostgresStore(Store):
    """The store on a server."""

    is_there = True
    file = None

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        self.path = database.path
        self.member = f"{database.tenant} {database.role}"
        self.entries = PostgresEntryRepository(database)
        self.triggers = PostgresTriggerSource(database)
        self.history = PostgresHistory(database)
        self.receipts = PostgresReceipts(database)
        self.deliveries = PostgresDeliveries(database)
        self.windows = PostgresContextWindows(database)
        self.influences = PostgresInfluences(database)
        self.usage = PostgresUsageLog(database)
        self.projects = PostgresProjects(database)
        self.proposals = PostgresProposals(database)
        self.metadata = PostgresMetadata(database)
        self.upkeep = PostgresUpkeep(database)

    @override
    def counting(self) -> AbstractContextManager[None]:
        return self.database.counting()

    @override
    def is_in_place(self) -> bool:
        return True

    @override
    def is_current(self) -> bool:
        return True

    @override
    def close(self) -> None:
        self.database.close()

    @override
    def keywords(self, *, enabled: bool) -> "KeywordIndex":
        return PostgresKeywordIndex(self.database, enabled=enabled)

    @override
    def keywords_of_questions(self, *, enabled: bool) -> "KeywordIndex":
        return PostgresKeywordIndex(self.database)

    @override
    def vectors(
        self, space: "Space", warn: Warn, kinds: "tuple[Kind, ...]", *, is_active: bool
    ) -> PostgresVectorStore:
        return PostgresVectorStore(self.database, space, kinds=kinds, is_active=is_active)

    @override
    def vector_index(self, vectors: "VectorStore") -> "VectorIndex":
        from hardwon.adapters.postgres.vectors import PostgresVectorIndex

        if not isinstance(vectors, PostgresVectorStore):
            raise TypeError(f"{type(vectors).__name__} is on no server")
        return PostgresVectorIndex(vectors)

    @cached_property
    @override
    def absences(self) -> "Absences":
        from hardwon.adapters.postgres.file_state import PostgresAbsences

        return PostgresAbsences(self.database)

    @cached_property
    @override
    def tombstones(self) -> "Tombstones":
        from hardwon.adapters.postgres.file_state import PostgresTombstones

        return PostgresTombstones(self.database)

    @property
    @override
    def ledger(self) -> "ImportLedger":
        from hardwon.adapters.postgres.metadata import PostgresImportLedger

        return PostgresImportLedger(self.database)

    @override
    def registry(self, mode: "TrustMode") -> "Registry":
        with self.database.ahead():  # the others are asked next
            self.projects.registry(mode)
            self.entries.count(OF_OTHERS)
            first_expiry(self.database)
        return self.projects.registry(mode)

    @cached_property
    @override
    def overview(self) -> "Overview":
        from hardwon.adapters.postgres.overview import PostgresOverview

        return PostgresOverview(self.database)

    @property
    @override
    def snapshots(self) -> "Snapshots":
        from hardwon.adapters.postgres.snapshots import PostgresSnapshots

        return PostgresSnapshots(self.database)

    @cached_property
    @override
    def contents(self) -> "StoreContents":
        from hardwon.adapters.postgres.contents import PostgresStoreContents

        return PostgresStoreContents(self.database)

    @cached_property
    @override
    def rows(self) -> "PostgresRows":
        from hardwon.adapters.postgres.erase import PostgresRows

        return PostgresRows(self.database)

    @cached_property
    @override
    def copies(self) -> "tuple[KeptElsewhere, ...]":
        from hardwon.adapters.postgres.erase import ServerCopies

        return (ServerCopies(self.path, self.rows),)


class PostgresUpkeep(Upkeep):
    """Checks and keyword index rebuilds of a store on a server."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    @override
    def size(self) -> int:
        return int(self._database.value(BYTES, tables=list(MEASURED)))

    @override
    def ensure_sound(self) -> None:
        if self._database.is_read_only:
            raise StorageError(f"{self._database.path} is a standby: it can only be read")

    @override
    def ensure_schema(self) -> int:
        return NEWEST

    @override
    def unreadable(self) -> list[str]:
        return []

    @override
    def repair_rows(self) -> list[str]:
        return []

    @override
    def ensure_keyword_index(self) -> None:
        from hardwon.adapters.postgres.words import ensure_counted

        ensure_counted(self._database)

    @override
    def has_keyword_index(self) -> bool:
        return True

    @override
    def has_outdated_keywords(self) -> bool:
        from hardwon.adapters.postgres.words import is_outdated

        return is_outdated(self._database)

    @override
    def refresh_keyword_index(self) -> int:
        from hardwon.adapters.postgres.reindexing import index_outdated

        return index_outdated(self._database)

    @override
    def rebuild_keyword_index(self) -> None:
        from hardwon.adapters.postgres.reindexing import index_again

        index_again(self._database)

    @override
    def rebuild_vector_index(self, vectors: "VectorStore") -> None:
        """Do nothing: indexes of vectors are never out of date."""

    @override
    def pack(self) -> None:
        index_vectors(self._database)

    @override
    def slow_searches(self) -> list[str]:
        return slow_searches(self._database)
