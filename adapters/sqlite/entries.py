"""The repository of entries in the store's tables, and the source of trigger phrases."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Database, in_list, to_text
from hardwon.adapters.sqlite.decoding import Decoder
from hardwon.adapters.sqlite.derived import tallied
from hardwon.adapters.sqlite.forgotten import SqliteForgottenTexts
from hardwon.adapters.sqlite.keyword_index import drop_from_index, index_entry
from hardwon.adapters.sqlite.query import visible, where
from hardwon.adapters.sqlite.rows import (
    SELECT_ENTRY,
    SELECT_FACTS,
    SELECT_NEWEST_SUMMARIES,
    SELECT_PRINTED,
    SELECT_RECALL_FACTS,
    SELECT_SUMMARIES,
    to_entries,
    to_facts,
    to_printed,
    to_recall_facts,
    to_summary,
    upsert_entry,
    upsert_text,
)
from hardwon.adapters.sqlite.track_records import RANKED_LEARNING, newest_by_track_record
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.forgotten import ensure_not_forgotten
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.prominence import TrackRecord
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.ports.entries import EntryRepository, Field, Order, RankingReads
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


SELECT_RULES = """
    SELECT e.seq, e.id, e.kind, t.name, t.description, t.notes, e.importance_weight, t.created_at,
        e.project
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.tier = 'constitutional' AND {within} AND NOT EXISTS (
        SELECT 1 FROM entry_text file JOIN entry whole ON whole.seq = file.entry_seq
        WHERE t.anchor_id != '' AND file.file_path = t.file_path AND file.anchor_id = ''
            AND whole.tier = 'constitutional' AND whole.retired = 0
    )
"""
"""Leaves out sections of a file that is a rule as a whole: they would repeat it."""

decode_rule = Decoder(ConstitutionalText._fields[:-1])

SELECT_OWNERS = """
    SELECT e.seq, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE t.trigger_phrases != '[]' AND {within} ORDER BY e.seq
"""


decode_owner = Decoder(
    ("number", "entry_id", "kind", "name", "spec_folder", "file_path", "anchor_id", "tier", "trigger_phrases")
)

decode_references = Decoder(("seq", "references"))


class SqliteTriggerSource(TriggerSource):
    """Trigger phrases in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def own_changes(self) -> int:
        return self._database.connection.total_changes

    @override
    def version(self) -> int:
        return self._database.content_version()

    @override
    def owners(self, only: EntryFilter) -> list[TriggerOwner]:
        within = where(only._replace(ranked=True))
        rows = self._database.rows(SELECT_OWNERS.format(within=within.sql), **within.parameters)
        return [*self._database.readable("entry", rows, lambda row: TriggerOwner(*decode_owner(row)))]


RENAME = (
    "UPDATE entry SET id = ?2 WHERE id = ?1",
    "UPDATE receipt_entry SET entry_id = ?2 WHERE entry_id = ?1",
    "UPDATE receipt SET missed = replace(missed, ?1, ?2) WHERE instr(missed, ?1)",
    "UPDATE entry SET superseded_by = ?2 WHERE superseded_by = ?1",
)
"""Give an entry another id, everywhere that the store names it by id."""

SELECT_OUTDATED = """
    SELECT DISTINCT p.older_seq FROM json_each(?1) wanted JOIN proposal p ON p.older_seq = wanted.value
    JOIN entry older ON older.seq = p.older_seq JOIN entry newer ON newer.seq = p.newer_seq
    WHERE NOT p.rejected AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
        AND p.newer_seq IN (SELECT value FROM json_each(?1))
"""

RELEASE = "UPDATE entry SET superseded_by = NULL WHERE superseded_by = ?"
"""Entries that a deleted one superseded are current again."""

ORDERS: Mapping[Order, str] = {
    "updated_at": "",
    "created_at": "t.created_at DESC, ",
    "importance_weight": "e.importance_weight DESC, ",
}


class SqliteEntryRepository(EntryRepository, RankingReads):
    """Entries in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    @override
    def forgotten(self) -> SqliteForgottenTexts:
        return SqliteForgottenTexts(self._database)

    @override
    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def get(self, entry_id: str) -> "Entry | None":
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE e.id = ?", (entry_id,))
        return next(to_entries(self._database, rows), None)

    @override
    def with_number(self, number: int) -> "Entry | None":
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE e.seq = ?", (number,))
        return next(to_entries(self._database, rows), None)

    @override
    def put(self, entry: "Entry") -> None:
        with self._database.transaction():
            ensure_not_forgotten(entry, self.forgotten.holds)
            [(seq, is_retired)] = self._database.rows(*upsert_entry(entry))
            self._database.rows(*upsert_text(seq, entry))
            self._database.rows(
                "DELETE FROM vector WHERE entry_seq = ?1"
                " AND text_hash != (SELECT text_hash FROM entry_text WHERE entry_seq = ?1)",
                (seq,),
            )
            if is_retired:
                self._leave_indexes(seq)
            else:
                index_entry(self._database, seq, entry)
            self._database.note_change()

    @override
    def reword(self, entry_id: str, entry: "Entry") -> None:
        with self._database.transaction():
            self._database.rows("DELETE FROM entry_alias WHERE old_id = ?", (entry.entry_id,))
            self._database.rows(
                "INSERT INTO entry_alias (entry_seq, old_id) SELECT seq, id FROM entry WHERE id = ?", (entry_id,)
            )
            for sql in RENAME:
                self._database.rows(sql, (entry_id, entry.entry_id))
            self.put(entry)

    @override
    def reworded(self, old_id: str) -> "Entry | None":
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE e.seq = (SELECT entry_seq FROM entry_alias WHERE old_id = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM entry WHERE id = ?1)",
            (old_id,),
        )
        return next(to_entries(self._database, rows), None)

    @override
    def delete(self, entry_id: str) -> bool:
        with self._database.transaction():
            seq = self._database.value("DELETE FROM entry WHERE id = ? RETURNING seq", (entry_id,))
            if seq is not None:
                self._database.rows(RELEASE, (entry_id,))
                drop_from_index(self._database, seq)
                self._database.note_change()
            return seq is not None

    @override
    def with_file(self, file_path: str) -> "Entry | None":
        rows = self._database.rows(f"{SELECT_ENTRY} WHERE t.file_path = ? AND t.anchor_id = ''", (file_path,))
        return next(to_entries(self._database, rows), None)

    @override
    def sections_of(self, file_path: str) -> "list[Entry]":
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE t.file_path = ? AND t.anchor_id != '' ORDER BY t.anchor_id", (file_path,)
        )
        return [*to_entries(self._database, rows)]

    @override
    def files_starting_with(self, prefix: str) -> list[str]:
        rows = self._database.rows(
            "SELECT DISTINCT file_path FROM entry_text WHERE substr(file_path, 1, ?1) = ?2 ORDER BY file_path",
            (len(prefix), prefix),
        )
        return [path for (path,) in rows]

    @override
    def find(
        self,
        only: EntryFilter,
        *,
        limit: int,
        offset: int = 0,
        order: Order = "updated_at",
        after: "Entry | None" = None,
    ) -> "list[Entry]":
        within = where(only)
        later, bounds = "", dict[str, object]()
        if after:
            later = "AND (:after_time, e.id) > (e.updated_at, :after_id)"
            bounds = {"after_time": after.updated_at, "after_id": after.entry_id}
        rows = self._database.rows(
            f"{SELECT_ENTRY} WHERE {within.sql} {later}"
            f" ORDER BY {ORDERS[order]}e.updated_at DESC, e.id LIMIT :most OFFSET :first",
            **within.parameters,
            **bounds,
            most=limit,
            first=offset,
        )
        return [*to_entries(self._database, rows)]

    @override
    def hydrate(self, seqs: Sequence[int]) -> "list[Entry]":
        rows = self._database.rows(
            f"{SELECT_ENTRY} JOIN json_each(?) wanted ON wanted.value = e.seq ORDER BY wanted.key", (in_list(seqs),)
        )
        return [*to_entries(self._database, rows)]

    @override
    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        return [*self._database.readable("entry", self._database.rows(SELECT_PRINTED, (in_list(seqs),)), to_printed)]

    @override
    def summaries(self, seqs: Sequence[int]) -> list[ConversationSummary]:
        return [*self._database.readable("entry", self._database.rows(SELECT_SUMMARIES, (in_list(seqs),)), to_summary)]

    @override
    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        within = where(only)
        sql = SELECT_NEWEST_SUMMARIES.format(within=within.sql)
        return [
            *self._database.readable("entry", self._database.rows(sql, most=limit, **within.parameters), to_summary)
        ]

    @override
    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        return [*self._database.readable("entry", self._database.rows(SELECT_FACTS, (in_list(seqs),)), to_facts)]

    @override
    def recall_facts(self, seqs: Iterable[int]) -> list[RecallFacts]:
        return [
            *self._database.readable(
                "entry", self._database.rows(SELECT_RECALL_FACTS, (in_list(seqs),)), to_recall_facts
            )
        ]

    @override
    def outdated(self, seqs: Iterable[int]) -> frozenset[int]:
        return frozenset(seq for (seq,) in self._database.rows(SELECT_OUTDATED, (in_list(seqs),)))

    @override
    def references(self, seqs: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        rows = self._database.rows(
            'SELECT entry_seq, "references" FROM json_each(?) wanted JOIN entry_text ON entry_seq = wanted.value',
            (in_list(seqs),),
        )
        return dict(self._database.readable("entry", rows, decode_references))

    @override
    def newest_by_track_record(
        self, k: int, visible_in: Visibility | None = None, of: Collection[TrackRecord] | None = None
    ) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
        return newest_by_track_record(self._database, k, visible_in, of)

    @override
    def count(self, only: EntryFilter) -> int:
        within = where(only)
        return int(self._database.value(f"SELECT count(*) FROM entry e WHERE {within.sql}", **within.parameters))

    @override
    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        counted = tallied(self._database, LEARNINGS._replace(visible_in=visible_in))
        return {category: counted[category] for category in CATEGORIES if category in counted}

    @override
    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        within = where(only)
        # Texts are long, and looking entries up by an index takes longer than reading them all.
        texts = "JOIN entry_text t ON t.entry_seq = e.seq" if field == "source" else ""
        rows = self._database.rows(
            f"SELECT coalesce({field}, '') AS value, count(*) FROM entry e NOT INDEXED {texts}"
            f" WHERE {within.sql} GROUP BY value ORDER BY count(*) DESC, value",
            **within.parameters,
        )
        return {value: count for value, count in rows if isinstance(value, str)}

    @override
    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        rows = self._database.rows(
            "SELECT id FROM entry WHERE substr(id, 1, ?1) = ?2 UNION SELECT e.id FROM entry_alias a"
            " JOIN entry e ON e.seq = a.entry_seq WHERE substr(a.old_id, 1, ?1) = ?2"
            " AND a.old_id NOT IN (SELECT id FROM entry) ORDER BY 1 LIMIT ?3",
            (len(prefix), prefix, limit),
        )
        return [entry_id for (entry_id,) in rows]

    @override
    def most_observed(self, visible_in: Visibility | None = None) -> int:
        # By category: a lookup in the index, where a maximum over all would scan it.
        seen = visible(visible_in)
        value = self._database.value(
            f"""
            WITH within (category) AS (VALUES ('anti-patterns'), ('heuristics'), ('patterns'))
            SELECT max((
                SELECT e.observation_count FROM entry e
                WHERE {RANKED_LEARNING} AND e.category = within.category AND {seen.sql}
                    AND typeof(e.observation_count) = 'integer'
                ORDER BY e.observation_count DESC LIMIT 1
            ))
            FROM within
            """,
            **seen.parameters,
        )
        return int(value or 1)

    @override
    def constitutional(self, only: EntryFilter) -> list[ConstitutionalText]:
        within = where(only._replace(ranked=True))
        rows = self._database.rows(SELECT_RULES.format(within=within.sql), **within.parameters)
        return [*self._database.readable("entry", rows, lambda row: ConstitutionalText(*decode_rule(row)))]

    @override
    def retire_expired(self, now: dt.datetime) -> int:
        if not self._expired(now):
            return 0
        with self._database.transaction():
            expired = self._expired(now)  # another process may have retired them meanwhile
            self._database.rows(
                "UPDATE entry SET retired = 1 WHERE seq IN (SELECT value FROM json_each(?))", (in_list(expired),)
            )
            for seq in expired:
                self._leave_indexes(seq)
            self._database.note_change()
        return len(expired)

    def _expired(self, now: dt.datetime) -> Sequence[int]:
        rows = self._database.rows("SELECT seq FROM entry WHERE retired = 0 AND expires_at <= ?", (to_text(now),))
        return [seq for (seq,) in rows]

    def _leave_indexes(self, seq: int) -> None:
        """Remove an entry from every index."""
        drop_from_index(self._database, seq)
        self._database.rows("DELETE FROM vector WHERE entry_seq = ?", (seq,))
