"""
What is deprecated or has expired stays in the store and leaves every index.

What comes up without a search: rules, and what phrases bring up.

The newest entries of each track record, read off the index that has them in this order.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import (
    COUNT_BUSY_SECONDS,
    Database,
    content_version,
    from_text,
    in_list,
    note_change,
    to_text,
)
from hardwon.adapters.sqlite.keyword_index import drop_from_index, index_entry
from hardwon.adapters.sqlite.query import where
from hardwon.adapters.sqlite.rows import (
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
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.entry_text import PrintedEntry
from hardwon.domain.model.injection.related_conversations import ToldConversation
from hardwon.domain.model.injection.rules import ConstitutionalText
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.entries import Field, Order
from hardwon.ports.keyword_index import TriggerOwner

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


def retire_expired(database: Database, now: dt.datetime) -> int:
    """Take what has expired by *now* out of every index; return how many entries that were."""
    expired = _expired(database, now)
    if not expired:
        return 0
    with database.transaction():
        expired = _expired(database, now)  # another process may have been faster
        database.rows("UPDATE entry SET retired = 1 WHERE seq IN (SELECT value FROM json_each(?))", (in_list(expired),))
        for seq in expired:
            leave_indexes(database, seq)
        note_change(database)
    return len(expired)


def leave_indexes(database: Database, seq: int) -> None:
    """Take one entry out of every index."""
    drop_from_index(database, seq)
    database.rows("DELETE FROM vector WHERE entry_seq = ?", (seq,))


def _expired(database: Database, now: dt.datetime) -> Sequence[int]:
    rows = database.rows("SELECT seq FROM entry WHERE retired = 0 AND expires_at <= ?", (to_text(now),))
    return [seq for (seq,) in rows]


HERE = "e.retired = 0 AND (e.kind = 'learning' OR e.project = ?)"
"""Lessons hold everywhere, what stands for a file in its project."""

SELECT_RULES = f"""
    SELECT e.seq, e.id, e.kind, t.name, t.description, t.notes, e.importance_weight, t.created_at
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.tier = 'constitutional' AND {HERE} AND NOT EXISTS (
        SELECT 1 FROM entry_text file JOIN entry whole ON whole.seq = file.entry_seq
        WHERE t.anchor_id != '' AND file.file_path = t.file_path AND file.anchor_id = ''
            AND whole.tier = 'constitutional' AND whole.retired = 0
    )
"""
"""A section of a file that is a rule as a whole would say the same again."""

SELECT_OWNERS = f"""
    SELECT e.seq, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE t.trigger_phrases != '[]' AND {HERE} ORDER BY e.seq
"""


def constitutional(database: Database, project: str) -> list[ConstitutionalText]:
    """Return the rules that hold in *project*; the index by tier finds them."""
    rows = database.rows(SELECT_RULES, (project,))
    return [ConstitutionalText(*row)._replace(created_at=from_text(row[-1])) for row in rows]


class SqliteTriggerSource:
    """
    The trigger phrases in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def own_changes(self) -> int:
        """Return how many rows this connection has written."""
        return self._database.connection.total_changes

    def version(self) -> int:
        """Return a number that is another one after every change."""
        return content_version(self._database)

    def owners(self, project: str) -> list[TriggerOwner]:
        """Return the entries with trigger phrases that may come up in *project*."""
        rows = self._database.rows(SELECT_OWNERS, (project,))
        return [TriggerOwner(*row)._replace(phrases=tuple(json.loads(row[-1]))) for row in rows]


NEWEST_BY_TRACK_RECORD = f"""
    WITH record AS (SELECT DISTINCT e.category, e.observation_count, e.confidence FROM entry e WHERE e.kind = 'learning' AND e.retired = 0),
    recalled AS (
        SELECT e.seq, r.recall_count, row_number() OVER (
            PARTITION BY e.category, e.observation_count, e.confidence, min(r.recall_count, {RECALL_CAP})
            ORDER BY e.updated_at DESC, e.id
        ) AS place
        FROM recall r CROSS JOIN entry e ON e.seq = r.entry_seq WHERE e.kind = 'learning' AND e.retired = 0 AND r.recall_count > 0
    )
    SELECT {FACT_COLUMNS}, 0 FROM record JOIN entry e ON e.seq IN (
        SELECT n.seq FROM entry n
        WHERE n.kind = 'learning' AND n.retired = 0 AND n.category IS record.category AND n.observation_count = record.observation_count
            AND n.confidence = record.confidence
            AND NOT EXISTS (SELECT 1 FROM recall r WHERE r.entry_seq = n.seq AND r.recall_count > 0)
        ORDER BY n.updated_at DESC, n.id LIMIT ?1
    )
    UNION ALL
    SELECT {FACT_COLUMNS}, recalled.recall_count FROM recalled JOIN entry e USING (seq)
    WHERE recalled.place <= ?1
"""
"""
Its parameter is how many of each.

Most entries were never recalled: of these the index gives the head of each track
record. The others are few, and are numbered.
"""

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
