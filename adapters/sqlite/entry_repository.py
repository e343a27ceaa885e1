import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, in_list
from hardwon.adapters.sqlite.entry_rows import (
    FACT_COLUMNS,
    RECALL_COLUMNS,
    SELECT_ENTRY,
    SELECT_PRINTED,
    SELECT_TOLD,
    SELECT_TOLD_NEWEST,
    UPSERT_ENTRY,
    UPSERT_TEXT,
    entry_row,
    text_row,
    to_entry,
    to_facts,
    to_recall_facts,
    to_told,
)
from hardwon.adapters.sqlite.fts import drop_from_index, index_entry
from hardwon.adapters.sqlite.moments import to_text
from hardwon.adapters.sqlite.retirement import leave_indexes, retire_expired
from hardwon.adapters.sqlite.surfacing import constitutional
from hardwon.adapters.sqlite.track_records import NEWEST_BY_TRACK_RECORD
from hardwon.adapters.sqlite.versions import note_change
from hardwon.adapters.sqlite.where import where
from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.block.summary import ToldConversation
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.importance.constitutional import ConstitutionalText
from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.entry_repository import Field, Order

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

ORDERS: Mapping[Order, str] = {
    "updated_at": "",
    "created_at": "t.created_at DESC, ",
    "importance_weight": "e.importance_weight DESC, ",
}

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

    def with_number(self, number: int) -> "Entry | None":
        """Return the entry of that number."""
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE e.seq = ?", (number,))
        return to_entry(rows[0]) if rows else None

    def put(self, entry: "Entry") -> None:
        """Add or replace *entry*, and bring the keyword index with it."""
        with self._database.transaction():
            [(seq, is_retired)] = self._database.rows(UPSERT_ENTRY, entry_row(entry))
            self._database.rows(UPSERT_TEXT, text_row(seq, entry))
            self._database.rows(
                "DELETE FROM vector WHERE entry_seq = ?1"
                " AND text_hash != (SELECT text_hash FROM entry_text WHERE entry_seq = ?1)",
                (seq,),
            )
            if is_retired:
                leave_indexes(self._database, seq)
            else:
                index_entry(self._database, seq, entry)
            note_change(self._database)

    def delete(self, entry_id: str) -> bool:
        """Forget the entry of that id."""
        with self._database.transaction():
            seq = self._database.value("DELETE FROM entry WHERE id = ? RETURNING seq", (entry_id,))
            if seq is not None:
                drop_from_index(self._database, seq)
                note_change(self._database)
            return seq is not None

    def with_file(self, file_path: str) -> "Entry | None":
        """Return the entry that stands for the file of that path."""
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE t.file_path = ? AND t.anchor_id = ''", (file_path,))
        return to_entry(rows[0]) if rows else None

    def sections_of(self, file_path: str) -> "list[Entry]":
        """Return the entries that stand for sections of the file of that path."""
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE t.file_path = ? AND t.anchor_id != '' ORDER BY t.anchor_id", (file_path,)
        )
        return [to_entry(row) for row in rows]

    def files_starting_with(self, prefix: str) -> list[str]:
        """Return the paths of files that begin with *prefix*."""
        rows = self._database.rows(
            "SELECT DISTINCT file_path FROM entry_text WHERE substr(file_path, 1, ?1) = ?2 ORDER BY file_path",
            (len(prefix), prefix),
        )
        return [path for (path,) in rows]

    def find(self, only: EntryFilter, *, limit: int, offset: int = 0, order: Order = "updated_at") -> "list[Entry]":
        """Return a page of entries, those of the greatest *order* first."""
        within = where(only)
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE {within.sql} ORDER BY {ORDERS[order]}e.updated_at DESC, e.id LIMIT ? OFFSET ?",
            (*within.parameters, limit, offset),
        )
        return [to_entry(row) for row in rows]

    def unlabelled(self, only: EntryFilter, *, limit: int, after: "Entry | None" = None) -> "list[Entry]":
        """Return a page of entries without keywords, newest first."""
        within = where(only)
        later = (
            ("AND (?, e.id) > (e.updated_at, ?)", (to_text(after.updated_at), after.entry_id)) if after else ("", ())
        )
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE {within.sql} AND {UNLABELLED} {later[0]} ORDER BY e.updated_at DESC, e.id LIMIT ?",
            (*within.parameters, *later[1], limit),
        )
        return [to_entry(row) for row in rows]

    def count_unlabelled(self, only: EntryFilter) -> int:
        """Return how many entries have no keywords."""
        within = where(only)
        counted = "SELECT count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
        return int(self._database.value(f"{counted} WHERE {within.sql} AND {UNLABELLED}", within.parameters))

    def hydrate(self, seqs: Sequence[int]) -> "list[Entry]":
        """Return the entries of *seqs*, in that order."""
        rows = self._database.rows(
            f"{SELECT_ENTRY} JOIN json_each(?) wanted ON wanted.value = e.seq ORDER BY wanted.key", (in_list(seqs),)
        )
        return [to_entry(row) for row in rows]

    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        """Return what the block prints of *seqs*, in that order."""
        return [PrintedEntry(*row) for row in self._database.rows(SELECT_PRINTED, (in_list(seqs),))]

    def told(self, seqs: Sequence[int]) -> list[ToldConversation]:
        """Return what is told of *seqs*, in that order."""
        return [to_told(row) for row in self._database.rows(SELECT_TOLD, (in_list(seqs),))]

    def told_newest(self, only: EntryFilter, limit: int) -> list[ToldConversation]:
        """Return what is told of the newest of *only*."""
        within = where(only)
        sql = SELECT_TOLD_NEWEST.format(within=within.sql)
        return [to_told(row) for row in self._database.rows(sql, (*within.parameters, limit))]

    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        """Return what ranking reads of *seqs*."""
        rows = self._database.rows(
            f"SELECT {FACT_COLUMNS}, coalesce(r.recall_count, 0) FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value"
            " LEFT JOIN recall r ON r.entry_seq = e.seq",
            (in_list(seqs),),
        )
        return [to_facts(row) for row in rows]

    def recall_facts(self, seqs: Iterable[int]) -> list[RecallFacts]:
        """Return what recall reads of *seqs*."""
        rows = self._database.rows(
            f"SELECT {FACT_COLUMNS}, coalesce(r.recall_count, 0), {RECALL_COLUMNS} FROM json_each(?) wanted"
            " JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq"
            " LEFT JOIN recall r ON r.entry_seq = e.seq",
            (in_list(seqs),),
        )
        return [to_recall_facts(row) for row in rows]

    def references(self, seqs: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        """Return what each of *seqs* is about."""
        rows = self._database.rows(
            'SELECT entry_seq, "references" FROM json_each(?) wanted JOIN entry_text ON entry_seq = wanted.value',
            (in_list(seqs),),
        )
        return {seq: tuple(json.loads(references)) for seq, references in rows}

    def newest_by_track_record(self, k: int) -> list[RankingFacts]:
        """Return the *k* newest learnings of each track record."""
        return [to_facts(row) for row in self._database.rows(NEWEST_BY_TRACK_RECORD, (k,))]

    def count(self, only: EntryFilter) -> int:
        """Return how many entries there are."""
        within = where(only)
        return int(self._database.value(f"SELECT count(*) FROM entry e WHERE {within.sql}", within.parameters))

    def sizes(self) -> Mapping[Category, int]:
        """Return how many learnings each category has."""
        return dict(
            self._database.rows(
                "SELECT category, count(*) FROM entry WHERE kind = 'learning' AND retired = 0 GROUP BY category ORDER BY category"
            )
        )

    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        """Return how many entries have each value of *field*."""
        within = where(only)
        column = "project" if field == "source_project" else field
        return dict(
            self._database.rows(
                f"SELECT coalesce({column}, '') AS value, count(*) FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
                f" WHERE {within.sql} GROUP BY value ORDER BY count(*) DESC, value",
                within.parameters,
            )
        )

    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return ids that begin with *prefix*."""
        rows = self._database.rows(
            "SELECT id FROM entry WHERE substr(id, 1, ?1) = ?2 ORDER BY id LIMIT ?3", (len(prefix), prefix, limit)
        )
        return [entry_id for (entry_id,) in rows]

    def most_observed(self) -> int:
        """Return the largest observation count."""
        # One category at a time: the index answers each at once, where a maximum over all would read it whole.
        value = self._database.value(
            """
            WITH within (category) AS (VALUES ('anti-patterns'), ('heuristics'), ('patterns'))
            SELECT max((
                SELECT max(observation_count) FROM entry
                WHERE kind = 'learning' AND retired = 0 AND category = within.category
            ))
            FROM within
            """
        )
        return int(value or 1)

    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        """Count one injection of each of *seqs*, in one statement; never wait long for it."""
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            self._database.rows(
                "INSERT INTO recall (entry_seq, recall_count, last_recalled_at)"
                " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
                " ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1,"
                " last_recalled_at = excluded.last_recalled_at",
                (in_list(seqs), to_text(at)),
            )

    def constitutional(self, project: str) -> list[ConstitutionalText]:
        """Return the constitutional entries that hold in *project*."""
        return constitutional(self._database, project)

    def retire_expired(self, now: dt.datetime) -> int:
        """Take what has expired out of every index."""
        return retire_expired(self._database, now)
