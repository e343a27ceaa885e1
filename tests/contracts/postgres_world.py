"""The store on a server, of one member in a tenant of its own."""

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
)
from hardwon.adapters.postgres.file_state import PostgresAbsences, PostgresTombstones
from hardwon.adapters.postgres.keyword_index import PostgresKeywordIndex
from hardwon.adapters.postgres.metadata import PostgresImportLedger
from hardwon.adapters.postgres.overview import PostgresOverview
from hardwon.adapters.postgres.projects import PostgresProjects
from hardwon.adapters.postgres.snapshots import PostgresSnapshots
from hardwon.adapters.postgres.vectors import PostgresVectorIndex, PostgresVectorStore
from tests.contracts.worlds import MAX_ABSENT, World
from tests.strategies import SPACE


def world_of(database: PostgresDatabase) -> World:
    vectors = PostgresVectorStore(database, SPACE)
    return World(
        repository=PostgresEntryRepository(database),
        keywords=PostgresKeywordIndex(database),
        vectors=vectors,
        index=PostgresVectorIndex(vectors),
        ledger=PostgresImportLedger(database),
        usage=PostgresUsageLog(database),
        history=PostgresHistory(database),
        triggers=PostgresTriggerSource(database),
        snapshots=PostgresSnapshots(database),
        tombstones=PostgresTombstones(database),
        absences=PostgresAbsences(database, MAX_ABSENT),
        receipts=PostgresReceipts(database),
        deliveries=PostgresDeliveries(database),
        windows=PostgresContextWindows(database),
        influences=PostgresInfluences(database),
        projects=PostgresProjects(database),
        proposals=PostgresProposals(database),
        overview=PostgresOverview(database),
        store_of=lambda space, kinds: PostgresVectorStore(database, space, kinds=kinds),
    )
