"""The repository of entries in the tables of a server, and the source of trigger phrases."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.forgotten import PostgresForgottenTexts
from hardwon.adapters.postgres.put_entry import DELETE, DROP_VECTORS, EXISTING, put_entry
from hardwon.adapters.postgres.query import visible, where
from hardwon.adapters.postgres.rows import (
    AMONG,
    FACT_COLUMNS,
    IN_ORDER,
    RECALL,
    SELECT_ENTRY,
    SELECT_FACTS,
    SELECT_PRINTED,
    SELECT_RECALL_FACTS,
    SELECT_SUMMARIES,
    SUMMARY_COLUMNS,
    TEXT,
    to_entry,
    to_recall_facts,
)
from hardwon.adapters.postgres.words import EMPTY_INDEX, drop_from_index, dropping, indexing, note_version
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP, TrackRecord, track_record
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.ports.entries import EntryRepository, Field, Order, RankingReads
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

OF_TENANT = "e.tenant = %(tenant)s"
RANKED_LEARNING = f"{OF_TENANT} AND e.kind = 'learning' AND NOT e.retired"

RETIRE = "UPDATE hardwon.entry SET retired = true WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)"

RENAME = (
    "UPDATE hardwon.entry SET id = %(new)s WHERE tenant = %(tenant)s AND id = %(old)s",
    "UPDATE hardwon.receipt_entry SET entry_id = %(new)s WHERE tenant = %(tenant)s AND entry_id = %(old)s",
    """
    UPDATE hardwon.receipt SET missed = replace(missed::text, %(old)s, %(new)s)::jsonb
    WHERE tenant = %(tenant)s AND strpos(missed::text, %(old)s) > 0
    """,
    "UPDATE hardwon.entry SET superseded_by = %(new)s WHERE tenant = %(tenant)s AND superseded_by = %(old)s",
)
"""Give an entry another id, everywhere that the store names it by id."""

SELECT_OUTDATED = """
    SELECT DISTINCT p.older FROM hardwon.proposal p
    JOIN hardwon.entry older ON older.tenant = p.tenant AND older.number = p.older
    JOIN hardwon.entry newer ON newer.tenant = p.tenant AND newer.number = p.newer
    WHERE p.tenant = %(tenant)s AND p.older = ANY(%(numbers)s) AND p.newer = ANY(%(numbers)s) AND NOT p.rejected
        AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
"""

NEWEST = f"""
    SELECT * FROM (
        SELECT {FACT_COLUMNS}, row_number() OVER (
            PARTITION BY e.category, e.observation_count, e.confidence, least(coalesce(r.recall_count, 0), {RECALL_CAP})
            ORDER BY e.updated_at DESC, e.id
        ) AS place
        FROM hardwon.entry e {RECALL} WHERE {RANKED_LEARNING} AND {{visible}} AND {{wanted}}
    ) ranked WHERE place <= %(most)s ORDER BY updated_at DESC, id
"""
WANTED = f"""
    (e.category, e.observation_count, e.confidence, least(coalesce(r.recall_count, 0), {RECALL_CAP}))
    IN (SELECT * FROM unnest(%(categories)s::text[], %(counts)s::bigint[], %(confidences)s::text[], %(recalls)s::bigint[]))
"""

SELECT_RULES = f"""
    SELECT e.number, e.id, e.kind, t.name, t.description, t.notes, e.importance_weight, e.created_at, e.project
    FROM hardwon.entry e {TEXT} WHERE e.tier = 'constitutional' AND {{within}} AND NOT EXISTS (
        SELECT 1 FROM hardwon.entry_text file
        JOIN hardwon.entry whole ON whole.tenant = file.tenant AND whole.number = file.number
        WHERE file.tenant = %(tenant)s AND t.anchor_id != '' AND file.file_path = t.file_path
            AND file.author = t.author AND file.anchor_id = '' AND whole.tier = 'constitutional' AND NOT whole.retired
    )
"""
"""Leaves out sections of a file that is a rule as a whole: they would repeat it."""

SELECT_OWNERS = f"""
    SELECT e.number, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
    FROM hardwon.entry e {TEXT} WHERE cardinality(t.trigger_phrases) > 0 AND {{within}} ORDER BY e.number
"""

IDS_STARTING_WITH = """
    SELECT id FROM hardwon.entry WHERE tenant = %(tenant)s AND starts_with(id, %(prefix)s)
    UNION SELECT e.id FROM hardwon.entry_alias a
    JOIN hardwon.entry e ON e.tenant = a.tenant AND e.number = a.number
    WHERE a.tenant = %(tenant)s AND starts_with(a.old_id, %(prefix)s)
        AND NOT EXISTS (SELECT 1 FROM hardwon.entry n WHERE n.tenant = %(tenant)s AND n.id = a.old_id)
    ORDER BY 1 LIMIT %(most)s
"""

ORDERS: Mapping[Order, str] = {
    "updated_at": "",
    "created_at": "e.created_at DESC, ",
    "importance_weight": "e.importance_weight DESC, ",
}

SIZES = "SELECT e.category, count(*), max(e.observation_count) FROM hardwon.entry e WHERE {within} GROUP BY 1"

FIRST_EXPIRY = """
    SELECT min(expires_at) FROM hardwon.entry WHERE tenant = %(tenant)s AND NOT retired AND expires_at IS NOT NULL
"""

MINE = f"{OF_TENANT} AND t.tenant = %(tenant)s AND t.author = current_user AND t.file_path = %(file_path)s"
"""The condition that an entry stands for a file of this member; the same path is another file on another machine."""


class PostgresEntryRepository(EntryRepository, RankingReads):
    """Entries in the tables of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    @override
    def forgotten(self) -> PostgresForgottenTexts:
        return PostgresForgottenTexts(self._database)

    @override
    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    @override
    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    @override
    def get(self, entry_id: str) -> "Entry | None":
        return self._first(f"WHERE {OF_TENANT} AND e.id = %(id)s ORDER BY e.owner DESC LIMIT 1", id=entry_id)

    @override
    def with_number(self, number: int) -> "Entry | None":
        return self._first(f"WHERE {OF_TENANT} AND e.number = %(number)s", number=number)

    def _first(self, condition: str, **parameters: object) -> "Entry | None":
        return next(iter(self._entries(condition, **parameters)), None)

    def _entries(self, condition: str, **parameters: object) -> "list[Entry]":
        return [to_entry(row) for row in self._database.rows(f"{SELECT_ENTRY} {condition}", **parameters)]

    @override
    def put(self, entry: "Entry") -> None:
        put_entry(self._database, entry)

    @override
    def reword(self, entry_id: str, entry: "Entry") -> None:
        with self._database.transaction():
            self._database.rows(
                "DELETE FROM hardwon.entry_alias WHERE tenant = %(tenant)s AND old_id = %(id)s", id=entry.entry_id
            )
            self._database.rows(
                "INSERT INTO hardwon.entry_alias (tenant, number, old_id)"
                " SELECT tenant, number, id FROM hardwon.entry WHERE tenant = %(tenant)s AND id = %(id)s",
                id=entry_id,
            )
            for sql in RENAME:
                self._database.rows(sql, old=entry_id, new=entry.entry_id)
            self.put(entry)

    @override
    def reworded(self, old_id: str) -> "Entry | None":
        return self._first(
            f"JOIN hardwon.entry_alias a ON a.tenant = e.tenant AND a.number = e.number WHERE {OF_TENANT} AND a.old_id = %(id)s"
            " AND NOT EXISTS (SELECT 1 FROM hardwon.entry n WHERE n.tenant = %(tenant)s AND n.id = %(id)s)",
            id=old_id,
        )

    @override
    def delete(self, entry_id: str) -> bool:
        with self._database.transaction():
            found = self._database.rows(EXISTING, id=entry_id)
            for _, number, *_ in found[:1]:
                drop_from_index(self._database, [number])
                self._database.rows(DELETE, number=number)
                self._database.rows(
                    "UPDATE hardwon.entry SET superseded_by = NULL WHERE tenant = %(tenant)s AND superseded_by = %(id)s",
                    id=entry_id,
                )
                self._database.note_change()
            return bool(found)

    @override
    def with_file(self, file_path: str) -> "Entry | None":
        return self._first(f"WHERE {MINE} AND t.anchor_id = ''", file_path=file_path)

    @override
    def sections_of(self, file_path: str) -> "list[Entry]":
        return self._entries(f"WHERE {MINE} AND t.anchor_id != '' ORDER BY t.anchor_id", file_path=file_path)

    @override
    def files_starting_with(self, prefix: str) -> list[str]:
        rows = self._database.rows(
            "SELECT DISTINCT file_path FROM hardwon.entry_text"
            " WHERE tenant = %(tenant)s AND author = current_user AND starts_with(file_path, %(prefix)s) ORDER BY file_path",
            prefix=prefix,
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
            later = "AND (%(after_time)s, e.id) > (e.updated_at, %(after_id)s)"
            bounds = {"after_time": after.updated_at, "after_id": after.entry_id}
        return self._entries(
            f"WHERE {within.sql} {later} ORDER BY {ORDERS[order]}e.updated_at DESC, e.id LIMIT %(most)s OFFSET %(first)s",
            **within.parameters,
            **bounds,
            most=limit if limit >= 0 else None,
            first=offset,
        )

    @override
    def hydrate(self, seqs: Sequence[int]) -> "list[Entry]":
        return self._entries(f"WHERE {AMONG} {IN_ORDER}", numbers=[*seqs])

    @override
    def printed(self, seqs: Sequence[int]) -> list[PrintedEntry]:
        return [PrintedEntry(*row) for row in self._database.rows(SELECT_PRINTED, numbers=[*seqs])]

    @override
    def summaries(self, seqs: Sequence[int]) -> list[ConversationSummary]:
        return [ConversationSummary(*row) for row in self._database.rows(SELECT_SUMMARIES, numbers=[*seqs])]

    @override
    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        within = where(only)
        rows = self._database.rows(
            f"SELECT {SUMMARY_COLUMNS} FROM hardwon.entry e {TEXT} WHERE {within.sql}"
            " ORDER BY e.updated_at DESC, e.id LIMIT %(most)s",
            **within.parameters,
            most=limit,
        )
        return [ConversationSummary(*row) for row in rows]

    @override
    def facts(self, seqs: Iterable[int]) -> list[RankingFacts]:
        return [RankingFacts(*row) for row in self._database.rows(SELECT_FACTS, numbers=[*seqs])]

    @override
    def recall_facts(self, seqs: Iterable[int]) -> list[RecallFacts]:
        return [to_recall_facts(row) for row in self._database.rows(SELECT_RECALL_FACTS, numbers=[*seqs])]

    @override
    def outdated(self, seqs: Iterable[int]) -> frozenset[int]:
        return frozenset(number for (number,) in self._database.rows(SELECT_OUTDATED, numbers=[*seqs]))

    @override
    def references(self, seqs: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        rows = self._database.rows(
            f'SELECT e.number, e."references" FROM hardwon.entry_text e WHERE {AMONG}', numbers=[*seqs]
        )
        return {number: tuple(references) for number, references in rows}

    @override
    def newest_by_track_record(
        self, k: int, visible_in: Visibility | None = None, of: Collection[TrackRecord] | None = None
    ) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
        seen, wanted = visible(visible_in), dict[str, object]()
        if of is not None:
            names = ("categories", "counts", "confidences", "recalls")
            wanted = {name: [record[place] for record in of] for place, name in enumerate(names)}
        sql = NEWEST.format(visible=seen.sql, wanted="true" if of is None else WANTED)
        newest = dict[TrackRecord, list[RankingFacts]]()
        for *columns, _ in self._database.rows(sql, **seen.parameters, **wanted, most=k):
            facts = RankingFacts(*columns)
            newest.setdefault(track_record(facts), []).append(facts)
        return newest

    @override
    def count(self, only: EntryFilter) -> int:
        within = where(only)
        counted = f"SELECT count(*) FROM hardwon.entry e WHERE {within.sql}"
        return int(self._database.value(counted, **within.parameters) or 0)

    @override
    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        return {category: size for category, (size, _) in self._learnings(visible_in).items()}

    @override
    def most_observed(self, visible_in: Visibility | None = None) -> int:
        return max((most for _, most in self._learnings(visible_in).values()), default=1)

    def _learnings(self, visible_in: Visibility | None) -> dict[Category, tuple[int, int]]:
        """Return the number of learnings of each category, and the largest observation count among them."""
        within = where(LEARNINGS._replace(ranked=True, visible_in=visible_in))
        rows = self._database.rows(SIZES.format(within=within.sql), **within.parameters)
        found: dict[Category, tuple[int, int]] = {category: (size, most) for category, size, most in rows}
        return {category: found[category] for category in CATEGORIES if category in found}

    @override
    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        within = where(only)
        column = "t.source" if field == "source" else f"e.{field}"
        rows = self._database.rows(
            f"SELECT coalesce({column}, '') AS value, count(*) FROM hardwon.entry e {TEXT}"
            f" WHERE {within.sql} GROUP BY 1 ORDER BY 2 DESC, 1",
            **within.parameters,
        )
        return dict(rows)

    @override
    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        rows = self._database.rows(IDS_STARTING_WITH, prefix=prefix, most=limit)
        return [entry_id for (entry_id,) in rows]

    @override
    def constitutional(self, only: EntryFilter) -> list[ConstitutionalText]:
        within = where(only._replace(ranked=True))
        rows = self._database.rows(SELECT_RULES.format(within=within.sql), **within.parameters)
        return [ConstitutionalText(*row) for row in rows]

    @override
    def retire_expired(self, now: dt.datetime) -> int:
        if (first := first_expiry(self._database)) is None or first > now:
            return 0
        with self._database.transaction():
            expired = self._expired(now)  # another process may have retired them meanwhile
            gone = {"numbers": expired}
            self._database.together(((RETIRE, gone), (DROP_VECTORS, gone), *dropping(expired), self._database.change()))
        return len(expired)

    def _expired(self, now: dt.datetime) -> list[int]:
        rows = self._database.rows(
            f"SELECT e.number FROM hardwon.entry e WHERE {OF_TENANT} AND NOT e.retired AND e.expires_at <= %(now)s",
            now=now,
        )
        return [number for (number,) in rows]


def first_expiry(database: Database) -> dt.datetime | None:
    """Return when the next entry expires, or the first one expired that is not retired yet; None without any."""
    found: dt.datetime | None = database.value(FIRST_EXPIRY)
    return found


def index_again(database: Database) -> int:
    """Put all entries that this member may see into the keyword index again; return their number."""
    with database.patiently(), database.transaction():
        rows = database.rows(f"{SELECT_ENTRY} WHERE {OF_TENANT} AND NOT e.retired")
        owners: dict[int, str] = dict(database.rows(f"SELECT e.number, e.owner FROM hardwon.entry e WHERE {OF_TENANT}"))
        database.together((sql, {}) for sql in EMPTY_INDEX)
        for entry in map(to_entry, rows):
            number = entry.number or 0
            database.together(indexing(number, owners[number], entry))
        note_version(database)
    return len(rows)


class PostgresTriggerSource(TriggerSource):
    """Trigger phrases in the tables of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def own_changes(self) -> int:
        return self._database.own_changes

    @override
    def version(self) -> int:
        return self._database.version()

    @override
    def owners(self, only: EntryFilter) -> list[TriggerOwner]:
        within = where(only._replace(ranked=True))
        rows = self._database.rows(SELECT_OWNERS.format(within=within.sql), **within.parameters)
        return [TriggerOwner(*row)._replace(phrases=tuple(row[-1])) for row in rows]
