"""Index all entries of a tenant again, or those whose terms may differ."""

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import OF_TENANT
from hardwon.adapters.postgres.rows import AMONG, SELECT_ENTRY, TEXT, to_entry
from hardwon.adapters.postgres.words import (
    EMPTY_INDEX,
    PLAIN_SINCE,
    index_entry,
    indexing,
    is_outdated,
    note_version,
)
from hardwon.adapters.sql.entries import TEXTS

HAS_OTHER_LETTERS = " OR ".join(
    f"octet_length({text}::text) > char_length({text}::text)"
    for text in (f't."{field}"' for field in TEXTS)
)
NOT_PLAIN = f"""
    SELECT e.number FROM hardwon.entry e {TEXT} WHERE {OF_TENANT} AND NOT e.retired AND ({HAS_OTHER_LETTERS}) ORDER BY e.number
"""
OWNER = f"SELECT e.owner FROM hardwon.entry e WHERE {AMONG}"


def index_again(database: PostgresDatabase) -> int:
    """Rebuild the keyword index of visible entries and return their number."""
    with database.patiently(), database.transaction():
        rows = database.rows(f"{SELECT_ENTRY} WHERE {OF_TENANT} AND NOT e.retired")
        owners: dict[int, str] = dict(
            database.rows(f"SELECT e.number, e.owner FROM hardwon.entry e WHERE {OF_TENANT}")
        )
        database.together((sql, {}) for sql in EMPTY_INDEX)
        for entry in map(to_entry, rows):
            number = entry.number or 0
            database.add_rows(indexing(number, owners[number], entry), new=entry.entry_id)
        note_version(database)
    return len(rows)


def index_outdated(database: PostgresDatabase) -> int:
    """
    Reindex visible entries, in an index of an earlier version.

    These are the ones whose terms may differ. Others can write meanwhile, unless a very old index has to be rebuilt.

    Returns:
        The number of entries reindexed.
    """
    if not is_outdated(database):
        return 0
    if database.index_version < PLAIN_SINCE:
        return index_again(database)
    refreshed = 0
    for (number,) in database.rows(NOT_PLAIN):
        with database.transaction():
            owner = database.value(OWNER, numbers=[number])
            found = database.rows(
                f"{SELECT_ENTRY} WHERE {AMONG} AND NOT e.retired", numbers=[number]
            )
            for entry in map(to_entry, found):
                index_entry(database, number, owner=owner, entry=entry)
                refreshed += 1
    with database.transaction():
        note_version(database)
    return refreshed
