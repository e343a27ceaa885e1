import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.entry_rows import (
    FACT_COLUMNS,
    SELECT_ENTRY,
    SELECT_PRINTED,
    UPSERT_ENTRY,
    UPSERT_TEXT,
    entry_row,
    text_row,
    to_entry,
    to_facts,
)
from hardwon.adapters.sqlite.fts import index_entry
from hardwon.adapters.sqlite.moments import to_text
from hardwon.adapters.sqlite.track_records import NEWEST_OF_CATEGORY, NEWEST_OF_KIND
from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.entry_repository import Field

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

RECALL_BUSY_SECONDS = 0.05

WITHIN = "e.kind = ?1 AND (?2 IS NULL OR e.category = ?2)"
UNLABELLED = "t.keywords = '[]'"


class SqliteEntryRepository:
    """Entries in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the write lock until the context ends."""
        return self._database.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        """Read one state until the context ends."""
        return self._database.snapshot()

    def get(self, entry_id: str) -> "Entry | None":
        """Return the entry of that id."""
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE e.id = ?", (entry_id,))
        return to_entry(rows[0]) if rows else None

    def put(self, entry: "Entry") -> None:
        """Add or replace *entry*, and bring the keyword index with it."""
        with self._database.transaction():
            seq = self._database.value(UPSERT_ENTRY, entry_row(entry))
            self._database.rows(UPSERT_TEXT, text_row(seq, entry))
            self._database.rows(
                "DELETE FROM vector WHERE entry_seq = ?1"
                " AND text_hash != (SELECT text_hash FROM entry_text WHERE entry_seq = ?1)",
                (seq,),
            )
            index_entry(self._database, seq, entry)

    def find(self, only: EntryFilter, *, limit: int, offset: int = 0) -> "list[Entry]":
        """Return a page of entries, newest first."""
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE {WITHIN} ORDER BY e.updated_at DESC, e.id LIMIT ?3 OFFSET ?4",
            (only.kind, only.category, limit, offset),
        )
        return [to_entry(row) for row in rows]

    def unlabelled(self, only: EntryFilter, *, limit: int, after: "Entry | None" = None) -> "list[Entry]":
        """Return a page of entries without keywords, newest first."""
        updated_at, entry_id = (to_text(after.updated_at), after.entry_id) if after else (None, None)
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE {WITHIN} AND {UNLABELLED} AND (?4 IS NULL OR (?4, e.id) > (e.updated_at, ?5))"
            " ORDER BY e.updated_at DESC, e.id LIMIT ?3",
            (only.kind, only.category, limit, updated_at, entry_id),
        )
        return [to_entry(row) for row in rows]

    def count_unlabelled(self, only: EntryFilter) -> int:
        """Return how many entries have no keywords."""
        return int(
            self._database.value(
                f"SELECT count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE {WITHIN} AND {UNLABELLED}",
                (only.kind, only.category),
            )
        )

    def hydrate(self, seqs: Sequence[int]) -> "list[Entry]":
        """Return the entries of *seqs*, in that order."""
        rows = self._database.rows(
            f"{SELECT_ENTRY} JOIN json_each(?) wanted ON wanted.value = e.seq ORDER BY wanted.key", (in_list(seqs),)
        )
        return [to_entry(row) for row in rows]

    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        """Return what the block prints of *seqs*, in that order."""
        return [PrintedEntry(*row) for row in self._database.rows(SELECT_PRINTED, (in_list(seqs),))]

    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        """Return what ranking reads of *seqs*."""
        rows = self._database.rows(
            f"SELECT {FACT_COLUMNS}, coalesce(r.recall_count, 0) FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value"
            " LEFT JOIN recall r ON r.entry_seq = e.seq",
            (in_list(seqs),),
        )
        return [to_facts(row) for row in rows]

    def newest_by_track_record(self, only: EntryFilter, k: int) -> list[RankingFacts]:
        """Return the *k* newest of each track record."""
        query = NEWEST_OF_CATEGORY if only.category else NEWEST_OF_KIND
        rows = self._database.rows(query, (only.kind, only.category, k))
        return [to_facts(row) for row in rows]

    def sizes(self, only: EntryFilter) -> Mapping[Category, int]:
        """Return how many entries each category has."""
        return dict(
            self._database.rows(
                f"SELECT e.category, count(*) FROM entry e WHERE {WITHIN} GROUP BY e.category ORDER BY e.category",
                (only.kind, only.category),
            )
        )

    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        """Return how many entries have each value of *field*."""
        return dict(
            self._database.rows(
                f"SELECT coalesce({field}, '') AS value, count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
                f" WHERE {WITHIN} GROUP BY value ORDER BY count(*) DESC, value",
                (only.kind, only.category),
            )
        )

    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return ids that begin with *prefix*."""
        rows = self._database.rows(
            "SELECT id FROM entry WHERE substr(id, 1, ?1) = ?2 ORDER BY id LIMIT ?3", (len(prefix), prefix, limit)
        )
        return [entry_id for (entry_id,) in rows]

    def most_observed(self, only: EntryFilter) -> int:
        """Return the largest observation count."""
        # One category at a time: the index answers each at once, where a maximum over all would read it whole.
        value = self._database.value(
            """
            WITH within (category) AS (VALUES ('anti-patterns'), ('heuristics'), ('patterns'), (NULL))
            SELECT max((SELECT max(e.observation_count) FROM entry e WHERE e.kind = ?1 AND e.category IS within.category))
            FROM within WHERE ?2 IS NULL OR category = ?2
            """,
            (only.kind, only.category),
        )
        return int(value or 1)

    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        """Count one injection of each of *seqs*, in one statement; never wait long for it."""
        with self._database.transaction(busy_seconds=RECALL_BUSY_SECONDS):
            self._database.rows(
                "INSERT INTO recall (entry_seq, recall_count, last_recalled_at)"
                " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
                " ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1,"
                " last_recalled_at = excluded.last_recalled_at",
                (in_list(seqs), to_text(at)),
            )
