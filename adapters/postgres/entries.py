"""Entries and trigger phrases in the tables of a server."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.forgotten import PostgresForgottenTexts
from hardwon.adapters.postgres.put_entry import (
    DELETE,
    DROP_VECTORS,
    EXISTING,
    put_entry,
)
from hardwon.adapters.postgres.query import MAY_DELETE, number_of, visible, where
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
    columns,
)
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.postgres.words import (
    drop_from_index,
    dropping,
)
from hardwon.adapters.sql.entries import (
    RULE_FIELDS,
    SqlEntries,
    SqlProposals,
    SqlTriggerSource,
)
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP, TrackRecord, track_record
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

OF_TENANT = "e.tenant = %(tenant)s"
RANKED_LEARNING = f"{OF_TENANT} AND e.kind = 'learning' AND NOT e.retired"

RETIRE = (
    "UPDATE hardwon.entry SET retired = true WHERE tenant = %(tenant)s AND number ="
    " ANY(%(numbers)s)"
)

NEWEST = f"""
    SELECT * FROM (
        SELECT {FACT_COLUMNS}, row_number() OVER (
            PARTITION BY e.category, e.observation_count, e.confidence, least(coalesce(r.recall_count, 0), {RECALL_CAP})
            ORDER BY e.updated_at DESC, e.id
        ) AS place
        FROM hardwon.entry e {RECALL} WHERE {RANKED_LEARNING} AND {{visible}} AND {{wanted}}
    ) ranked WHERE place <= %(limit)s ORDER BY updated_at DESC, id
"""
WANTED = f"""
    (e.category, e.observation_count, e.confidence, least(coalesce(r.recall_count, 0), {RECALL_CAP}))
    IN (SELECT * FROM unnest(%(categories)s::text[], %(counts)s::bigint[], %(confidences)s::text[], %(recalls)s::bigint[]))
"""

# The most observed is looked up for each category, as an index has them in that order.
SIZES = f"""
    SELECT c.category, c.entries, (
        SELECT e.observation_count FROM hardwon.entry e
        WHERE {RANKED_LEARNING} AND e.category = c.category AND {{visible}} ORDER BY e.observation_count DESC LIMIT 1
    ) FROM (SELECT e.category, count(*) AS entries FROM hardwon.entry e WHERE {{within}} GROUP BY 1) c
"""

DELETABLE = f"""
    SELECT e.number FROM (
        SELECT * FROM hardwon.entry e WHERE {OF_TENANT} AND e.id = %(id)s ORDER BY e.owner DESC LIMIT 1
    ) e WHERE {MAY_DELETE}
"""

FIRST_EXPIRY = """
    SELECT min(expires_at) FROM hardwon.entry WHERE tenant = %(tenant)s AND NOT retired AND expires_at IS NOT NULL
"""

OF_BOTH = "greatest(older.owner, newer.owner)"
"""The member whose own one of a pair is, empty for a shared pair."""

IS_ALIAS = "SELECT 1 FROM hardwon.entry_alias WHERE tenant = %(tenant)s AND old_id = %(id)s"

MINE = (
    f"{OF_TENANT} AND t.tenant = %(tenant)s AND t.author = current_user AND t.file_path ="
    " %(file_path)s"
)
"""
Condition: the entry comes from a file of this member.

The same path is another file on another member's machine.
"""


class PostgresEntryRepository(SqlEntries[PostgresDatabase]):
    """Entries in the tables of a server."""

    SELECT = SELECT_ENTRY
    BY_ID = f"WHERE {OF_TENANT} AND e.id = %(id)s ORDER BY e.owner DESC LIMIT 1"
    BY_NUMBER = f"WHERE {OF_TENANT} AND e.number = %(number)s"
    BY_EARLIER_ID = f"""
        JOIN hardwon.entry_alias a ON a.tenant = e.tenant AND a.number = e.number WHERE {OF_TENANT} AND a.old_id = %(id)s
            AND NOT EXISTS (SELECT 1 FROM hardwon.entry n WHERE n.tenant = %(tenant)s AND n.id = %(id)s)
    """
    WITH_FILE = f"WHERE {MINE} AND t.anchor_id = ''"
    OF_FILE = f"WHERE {MINE} ORDER BY t.anchor_id"
    HYDRATE = f"WHERE {AMONG} {IN_ORDER}"
    FIND = """
        WHERE {within} {later} ORDER BY {order}e.updated_at DESC, e.id
        LIMIT nullif(greatest(%(limit)s, -1), -1) OFFSET %(first)s
    """
    LATER = "AND (%(after_time)s, e.id) > (e.updated_at, %(after_id)s)"
    CREATED = "e.created_at"
    BY_NAME = """lower(t.name COLLATE "C")"""
    FILES = """
        SELECT DISTINCT file_path FROM hardwon.entry_text
        WHERE tenant = %(tenant)s AND author = current_user AND starts_with(file_path, %(prefix)s) ORDER BY file_path
    """
    IDS = """
        SELECT id FROM hardwon.entry WHERE tenant = %(tenant)s AND starts_with(id, %(prefix)s)
        UNION SELECT e.id FROM hardwon.entry_alias a
        JOIN hardwon.entry e ON e.tenant = a.tenant AND e.number = a.number
        WHERE a.tenant = %(tenant)s AND starts_with(a.old_id, %(prefix)s)
            AND NOT EXISTS (SELECT 1 FROM hardwon.entry n WHERE n.tenant = %(tenant)s AND n.id = a.old_id)
        ORDER BY 1 LIMIT %(limit)s
    """
    COUNT = "SELECT count(*) FROM hardwon.entry e WHERE {within}"
    TALLY = f"""
        SELECT coalesce({{value}}, '') AS value, count(*) FROM hardwon.entry e {TEXT}
        WHERE {{within}} GROUP BY 1 ORDER BY 2 DESC, 1
    """
    PRINTED = SELECT_PRINTED
    SUMMARIES = SELECT_SUMMARIES
    NEWEST_SUMMARIES = f"""
        SELECT {SUMMARY_COLUMNS} FROM hardwon.entry e {TEXT} WHERE {{within}}
        ORDER BY e.updated_at DESC, e.id LIMIT %(limit)s
    """
    FACTS = SELECT_FACTS
    RECALL_FACTS = SELECT_RECALL_FACTS
    OUTDATED = f"""
        SELECT p.older, p.newer FROM hardwon.proposal p
        JOIN hardwon.entry older ON older.tenant = p.tenant AND older.number = p.older
        JOIN hardwon.entry newer ON newer.tenant = p.tenant AND newer.number = p.newer
        WHERE p.tenant = %(tenant)s AND p.older = ANY(%(numbers)s) AND NOT p.rejected
            AND p.entry_owner = {OF_BOTH} AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
    """
    REFERENCES = f'SELECT e.number, e."references" FROM hardwon.entry_text e WHERE {AMONG}'
    RULES = f"""
        SELECT {columns(RULE_FIELDS)} FROM hardwon.entry e {TEXT} WHERE e.tier = 'constitutional' AND {{within}} AND NOT EXISTS (
            SELECT 1 FROM hardwon.entry_text file
            JOIN hardwon.entry whole ON whole.tenant = file.tenant AND whole.number = file.number
            WHERE file.tenant = %(tenant)s AND t.anchor_id != '' AND file.file_path = t.file_path
                AND file.author = t.author AND file.anchor_id = '' AND whole.tier = 'constitutional' AND NOT whole.retired
        )
    """
    DROP_ALIAS = "DELETE FROM hardwon.entry_alias WHERE tenant = %(tenant)s AND old_id = %(id)s"
    ADD_ALIAS = """
        INSERT INTO hardwon.entry_alias (tenant, number, entry_owner, old_id)
        SELECT tenant, number, owner, id FROM hardwon.entry WHERE tenant = %(tenant)s AND id = %(id)s
    """
    RENAME = (
        "UPDATE hardwon.entry SET id = %(new)s WHERE tenant = %(tenant)s AND id = %(old)s",
        (
            "UPDATE hardwon.receipt_entry SET entry_id = %(new)s WHERE tenant = %(tenant)s AND entry_id"
            " = %(old)s"
        ),
        """
        UPDATE hardwon.receipt SET missed = replace(missed::text, %(old)s, %(new)s)::jsonb
        WHERE tenant = %(tenant)s AND strpos(missed::text, %(old)s) > 0
        """,
        (
            "UPDATE hardwon.entry SET superseded_by = %(new)s WHERE tenant = %(tenant)s AND"
            " superseded_by = %(old)s"
        ),
    )
    EXPIRED = f"SELECT e.number FROM hardwon.entry e WHERE {OF_TENANT} AND NOT e.retired AND e.expires_at <= %(now)s"

    @property
    @override
    def forgotten(self) -> PostgresForgottenTexts:
        return PostgresForgottenTexts(self._database)

    @override
    @contextmanager
    def transaction(self, of: Collection[str] | None = None) -> Iterator[None]:
        is_first = not self._database.session.is_within
        with self._database.transaction(of):
            if is_first and of:
                with self._database.ahead():
                    self._ask_for(of)
            yield

    @override
    def prefetch(self, reads: Callable[[], object]) -> None:
        passes = (
            1 + self._database.session.makes_changes
        )  # a put reads further by its first answers
        for _ in range(passes):
            with self._database.ahead():
                reads()

    @override
    def _rows_of(self, statement: str, numbers: Sequence[int]) -> list[Row]:
        return self._database.rows_of(statement, numbers)

    @override
    def outdated(self, numbers: Iterable[int]) -> frozenset[int]:
        among = {*numbers}
        pairs = self._rows_of(self.OUTDATED, sorted(among))
        return frozenset(older for older, newer in pairs if newer in among)

    @override
    def reworded(self, old_id: str) -> "Entry | None":
        is_known = self._database.rows(IS_ALIAS, id=old_id)  # rarely, and the whole is long to plan
        return super().reworded(old_id) if is_known else None

    def _ask_for(self, entry_ids: Collection[str]) -> None:
        """Ask for all that storing these entries reads."""
        self.forgotten.holds(())
        for entry_id in entry_ids:
            self.by_id(entry_id)
            self.reworded(entry_id)
            self._database.rows(EXISTING, id=entry_id)

    @override
    def put(self, entry: "Entry") -> None:
        put_entry(self._database, entry)

    @override
    def delete(self, entry_id: str) -> bool:
        with self._database.transaction():
            found = self._database.rows(DELETABLE, id=entry_id)
            for (number,) in found:
                drop_from_index(self._database, [number])
                self._database.rows(DELETE, number=number)
                self._database.rows(
                    "UPDATE hardwon.entry SET superseded_by = NULL WHERE tenant = %(tenant)s AND"
                    " superseded_by = %(id)s",
                    id=entry_id,
                )
                self._database.note_change()
            return bool(found)

    @override
    def newest_by_track_record(
        self,
        k: int,
        visible_in: Visibility | None = None,
        of: Collection[TrackRecord] | None = None,
    ) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
        seen, wanted = visible(visible_in), dict[str, object]()
        if of is not None:
            names = ("categories", "counts", "confidences", "recalls")
            wanted = {name: [record[place] for record in of] for place, name in enumerate(names)}
        sql = NEWEST.format(visible=seen.sql, wanted="true" if of is None else WANTED)
        newest = dict[TrackRecord, list[RankingFacts]]()
        for *fields, _ in self._database.rows(sql, **seen.parameters, **wanted, limit=k):
            facts = RankingFacts(*fields)
            newest.setdefault(track_record(facts), []).append(facts)
        return newest

    @override
    def count(self, only: EntryFilter) -> int:
        if only != EntryFilter(kinds=only.kinds, visible_in=only.visible_in, ranked=True):
            return super().count(only)
        return sum(size for size, _ in self._sizes(only).values())

    @override
    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        found = self._sizes(LEARNINGS._replace(visible_in=visible_in))
        return {category: found[category][0] for category in CATEGORIES if category in found}

    @override
    def most_observed(self, visible_in: Visibility | None = None) -> int:
        found = self._sizes(LEARNINGS._replace(visible_in=visible_in))
        return max((most for _, most in found.values()), default=1)

    def _sizes(self, only: EntryFilter) -> dict[Category | None, tuple[int, int]]:
        """Return the number of ranked entries by category, and the most often observed."""
        within, seen = where(only._replace(ranked=True)), visible(only.visible_in)
        sql = SIZES.format(within=within.sql, visible=seen.sql)
        rows = self._database.rows(sql, **within.parameters)
        return {category: (size, most or 1) for category, size, most in rows}

    @override
    def _has_expired(self, now: dt.datetime) -> bool:
        first = first_expiry(self._database)
        return first is not None and first <= now

    @override
    def _retire(self, numbers: Sequence[int]) -> None:
        gone = {"numbers": [*numbers]}
        self._database.together(((RETIRE, gone), (DROP_VECTORS, gone), *dropping(numbers)))
        self._database.note_change()


def first_expiry(database: PostgresDatabase) -> dt.datetime | None:
    """
    Return the earliest expiry of unretired entries, None without any.

    It lies in the past if an expired entry was not retired yet.
    """
    found: dt.datetime | None = database.value(FIRST_EXPIRY)
    return found


class PostgresTriggerSource(SqlTriggerSource[PostgresDatabase]):
    """Trigger phrases in the tables of a server."""

    OWNERS = f"""
        SELECT e.number, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
        FROM hardwon.entry e {TEXT} WHERE cardinality(t.trigger_phrases) > 0 AND {{within}} ORDER BY e.number
    """

    @override
    def own_changes(self) -> int:
        return self._database.own_changes


class PostgresProposals(SqlProposals):
    """Pairs in the table `proposal` of a tenant."""

    PROPOSE = f"""
        INSERT INTO hardwon.proposal (tenant, older, newer, entry_owner, probability)
        SELECT older.tenant, older.number, newer.number, {OF_BOTH}, %(probability)s
        FROM hardwon.entry older JOIN hardwon.entry newer ON newer.tenant = older.tenant
        WHERE older.tenant = %(tenant)s AND older.number = {number_of("older")} AND newer.number = {number_of("newer")}
        ON CONFLICT DO NOTHING
    """
    OPEN = f"""
        SELECT older.id, newer.id, p.probability FROM hardwon.proposal p
        JOIN hardwon.entry older ON older.tenant = p.tenant AND older.number = p.older AND older.superseded_by IS NULL
        JOIN hardwon.entry newer ON newer.tenant = p.tenant AND newer.number = p.newer AND newer.superseded_by IS NULL
        WHERE p.tenant = %(tenant)s AND p.entry_owner = {OF_BOTH} AND NOT p.rejected AND NOT older.retired AND NOT newer.retired
        ORDER BY p.probability DESC, older.id, newer.id LIMIT %(limit)s
    """
    REJECT = f"""
        UPDATE hardwon.proposal SET rejected = true WHERE tenant = %(tenant)s AND NOT rejected
            AND older = {number_of("older")} AND newer = {number_of("newer")} RETURNING 1
    """
