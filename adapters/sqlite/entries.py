"""The repository of entries, the source of trigger phrases, and proposals."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hardwon.adapters.sql.entries import RULE_FIELDS, SqlEntries, SqlProposals, SqlTriggerSource
from hardwon.adapters.sqlite.database import Row, SqliteDatabase, in_list
from hardwon.adapters.sqlite.decoding import RowDecoder
from hardwon.adapters.sqlite.derived import RANKED_AT_HOME, count_ranked, is_sound, tallied
from hardwon.adapters.sqlite.keyword_index import drop_from_index, index_entries, texts_of
from hardwon.adapters.sqlite.query import visible, where
from hardwon.adapters.sqlite.rows import (
    SELECT_ENTRY,
    SELECT_FACTS,
    SELECT_NEWEST_SUMMARIES,
    SELECT_PRINTED,
    SELECT_RECALL_FACTS,
    SELECT_SUMMARIES,
    columns,
    decode_entry,
    decode_facts,
    decode_printed,
    decode_recall,
    decode_summary,
    fact_columns,
    to_facts,
    upsert_entry,
    upsert_text,
)
from hardwon.domain.model.filters import ANYWHERE, EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP, TrackRecord, track_record
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.ports.entries import Field
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.adapters.sqlite.forgotten import SqliteForgottenTexts
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.indexed_entry import IndexedEntry

decode_owner = RowDecoder(
    (
        "number",
        "entry_id",
        "kind",
        "name",
        "spec_folder",
        "file_path",
        "anchor_id",
        "tier",
        "trigger_phrases",
    )
)


class SqliteTriggerSource(SqlTriggerSource[SqliteDatabase]):
    """Trigger phrases in the table `entry_text`."""

    OWNERS = """
        SELECT e.seq, e.id, e.kind, t.name, e.spec_folder, t.file_path, t.anchor_id, e.tier, t.trigger_phrases
        FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE t.trigger_phrases != '[]' AND {within} ORDER BY e.seq
    """
    _decode = decode_owner

    @override
    def own_changes(self) -> int:
        return self._database.connection.total_changes


RANKED_LEARNING = "e.kind = 'learning' AND e.retired = 0"

FIRST = (
    f"(SELECT e.seq FROM entry e WHERE {RANKED_LEARNING} AND {{}}"
    " ORDER BY e.category, e.observation_count, e.confidence LIMIT 1)"
)
SAME_CATEGORY = "e.category IS last.category"

RECORDS = f"""
    first (seq) AS (
        SELECT {FIRST.format("e.category IS NULL")} UNION ALL SELECT {FIRST.format("e.category IS NOT NULL")}
        UNION
        SELECT coalesce(
            {FIRST.format(f"{SAME_CATEGORY} AND e.observation_count = last.observation_count AND e.confidence > last.confidence")},
            {FIRST.format(f"{SAME_CATEGORY} AND e.observation_count > last.observation_count")},
            {FIRST.format("e.category > last.category")}
        )
        FROM first JOIN entry last USING (seq)
    ),
    record AS (SELECT e.category, e.observation_count, e.confidence FROM first JOIN entry e USING (seq))
"""
"""
A skip scan.

From an entry of each track record to the first one of the next.
"""

WANTED = """
    wanted (category, observation_count, confidence, recalls) AS (
        SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[3]')
        FROM json_each(:of)
    ),
    record AS (SELECT category, observation_count, confidence FROM wanted WHERE recalls = 0)
"""

IS_WANTED = f"""
    EXISTS (SELECT 1 FROM wanted w WHERE w.category IS e.category AND w.observation_count = e.observation_count
        AND w.confidence = e.confidence AND w.recalls = min(r.recall_count, {RECALL_CAP}))
"""

NEWEST = f"""
    WITH RECURSIVE {{records}},
    recalled AS (
        SELECT e.seq, r.recall_count, row_number() OVER (
            PARTITION BY e.category, e.observation_count, e.confidence, min(r.recall_count, {RECALL_CAP})
            ORDER BY e.updated_at DESC, e.id
        ) AS place
        FROM recall r CROSS JOIN entry e ON e.seq = r.entry_seq
        WHERE {RANKED_LEARNING} AND r.recall_count > 0 AND {{visible}} AND {{is_wanted}}
    )
    SELECT {fact_columns("0")} FROM record JOIN entry e ON e.seq IN (
        SELECT e.seq FROM entry e
        WHERE {RANKED_LEARNING} AND e.category IS record.category AND e.observation_count = record.observation_count
            AND e.confidence = record.confidence AND {{visible}}
            AND NOT EXISTS (SELECT 1 FROM recall r WHERE r.entry_seq = e.seq AND r.recall_count > 0)
        ORDER BY e.updated_at DESC, e.id LIMIT :limit
    )
    UNION ALL
    SELECT {fact_columns("recalled.recall_count")} FROM recalled JOIN entry e USING (seq)
    WHERE recalled.place <= :limit
    ORDER BY updated_at DESC, id
"""
"""Most entries were never recalled."""


class _Newest(Iterable[RankingFacts]):
    """The entries of one track record, decoded lazily on each iteration."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self.rows = list[Row]()

    @override
    def __iter__(self) -> Iterator[RankingFacts]:
        return self._database.readable("entry", self.rows, to_facts)


def newest_by_track_record(
    database: SqliteDatabase,
    k: int,
    visible_in: Visibility | None,
    of: Collection[TrackRecord] | None,
) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
    """
    Return the *k* newest visible entries of each track record.

    Only the track records *of*, unless it is None.
    """
    seen = visible(visible_in)
    if of is None:
        rows = database.rows(
            NEWEST.format(records=RECORDS, visible=seen.sql, is_wanted="true"),
            limit=k,
            **seen.parameters,
        )
    else:
        sql = NEWEST.format(records=WANTED, visible=seen.sql, is_wanted=IS_WANTED)
        rows = database.rows(sql, of=[*of], limit=k, **seen.parameters)
    newest = defaultdict[TrackRecord, _Newest](lambda: _Newest(database))
    for record, row in database.readable("entry", rows, _with_track_record):
        newest[record].rows.append(row)
    return newest


def _with_track_record(row: Row) -> tuple[TrackRecord, Row]:
    return track_record(RankingFacts(*row)), row


RELEASE = "UPDATE entry SET superseded_by = NULL WHERE superseded_by = ?"
"""Make entries current again that a deleted one superseded."""

INDEXED_BY_KIND = ("kind", "category", "confidence")
"""The columns of one index, in its order."""

HIDDEN = "SELECT 1 FROM entry e {scanned} WHERE ({within}) IS NOT TRUE LIMIT 1"

KEPT_COUNTS = 16
"""A server asks for the same few counts at each search."""


class SqliteEntryRepository(SqlEntries[SqliteDatabase]):
    """Entries in the tables `entry` and `entry_text`."""

    files_at_once = 16  # a tenth of a second

    SELECT = SELECT_ENTRY
    BY_ID = "WHERE e.id = :id"
    BY_NUMBER = "WHERE e.seq = :number"
    BY_EARLIER_ID = """
        WHERE e.seq = (SELECT entry_seq FROM entry_alias WHERE old_id = :id)
            AND NOT EXISTS (SELECT 1 FROM entry WHERE id = :id)
    """
    WITH_FILE = "WHERE t.file_path = :file_path AND t.anchor_id = ''"
    OF_FILE = "WHERE t.file_path = :file_path ORDER BY t.anchor_id"
    HYDRATE = "JOIN json_each(:numbers) wanted ON wanted.value = e.seq ORDER BY wanted.key"
    FIND = (
        "WHERE e.seq IN ("
        "SELECT e.seq FROM entry e {table} LEFT JOIN entry_text t ON t.entry_seq = e.seq"
        " LEFT JOIN recall r ON r.entry_seq = e.seq"
        " WHERE {within} {later} ORDER BY {order}e.updated_at DESC, e.id LIMIT :limit OFFSET :first"
        ") ORDER BY {order}e.updated_at DESC, e.id"
    )  # sorted without the texts, which are read of the wanted ones
    LATER = "AND (:after_time, e.id) > (e.updated_at, :after_id)"
    CREATED = "t.created_at"
    BY_NAME = "t.name COLLATE NOCASE"
    FILES = """
        SELECT DISTINCT file_path FROM entry_text WHERE substr(file_path, 1, length(:prefix)) = :prefix ORDER BY file_path
    """
    IDS = """
        SELECT id FROM entry WHERE substr(id, 1, length(:prefix)) = :prefix
        UNION SELECT e.id FROM entry_alias a JOIN entry e ON e.seq = a.entry_seq
        WHERE substr(a.old_id, 1, length(:prefix)) = :prefix AND a.old_id NOT IN (SELECT id FROM entry)
        ORDER BY 1 LIMIT :limit
    """
    COUNT = "SELECT count(*) FROM entry e WHERE {within}"
    COUNT_AT_HOME = f"SELECT count(*) {RANKED_AT_HOME} WHERE {{within}}"
    # Looking entries up by an index takes longer than reading them all.
    SCANNED = "NOT INDEXED"
    SCANNED_TEXTS = f"entry e {SCANNED} JOIN entry_text t ON t.entry_seq = e.seq"
    TALLY = """
        SELECT coalesce(value, '') AS value, sum(entries) FROM (
            SELECT {{value}} AS value, count(*) AS entries FROM {table} WHERE {{within}} GROUP BY {group}
        ) GROUP BY 1 ORDER BY sum(entries) DESC, 1
    """
    PRINTED = SELECT_PRINTED
    SUMMARIES = SELECT_SUMMARIES
    NEWEST_SUMMARIES = SELECT_NEWEST_SUMMARIES
    FACTS = SELECT_FACTS
    RECALL_FACTS = SELECT_RECALL_FACTS
    OUTDATED = """
        SELECT DISTINCT p.older_seq FROM json_each(:numbers) wanted JOIN proposal p ON p.older_seq = wanted.value
        JOIN entry older ON older.seq = p.older_seq JOIN entry newer ON newer.seq = p.newer_seq
        WHERE NOT p.rejected AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
            AND p.newer_seq IN (SELECT value FROM json_each(:numbers))
    """
    REFERENCES = """
        SELECT entry_seq, "references" FROM json_each(:numbers) wanted JOIN entry_text ON entry_seq = wanted.value
    """
    RULES = f"""
        SELECT {columns(RULE_FIELDS)}
        FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.tier = 'constitutional' AND {{within}} AND NOT EXISTS (
            SELECT 1 FROM entry_text file JOIN entry whole ON whole.seq = file.entry_seq
            WHERE t.anchor_id != '' AND file.file_path = t.file_path AND file.anchor_id = ''
                AND whole.tier = 'constitutional' AND whole.retired = 0
        )
    """
    DROP_ALIAS = "DELETE FROM entry_alias WHERE old_id = :id"
    ADD_ALIAS = (
        "INSERT INTO entry_alias (entry_seq, old_id) SELECT seq, id FROM entry WHERE id = :id"
    )
    RENAME = (
        "UPDATE entry SET id = :new WHERE id = :old",
        "UPDATE receipt_entry SET entry_id = :new WHERE entry_id = :old",
        "UPDATE receipt SET missed = replace(missed, :old, :new) WHERE instr(missed, :old)",
        "UPDATE entry SET superseded_by = :new WHERE superseded_by = :old",
    )
    EXPIRED = "SELECT seq FROM entry WHERE retired = 0 AND expires_at <= :now"
    _decode = decode_entry
    _decode_printed = decode_printed
    _decode_summary = decode_summary
    _decode_facts = decode_facts
    _decode_recall = decode_recall
    _decode_references = RowDecoder(("seq", "references"))
    _decode_rule = RowDecoder(RULE_FIELDS)

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database)
        self._counts: dict[tuple[int, EntryFilter], int] = {}
        self._unindexed: dict[int, IndexedEntry] | None = None  # of a batch, by number

    @contextmanager
    @override
    def batch(self) -> Iterator[None]:
        # Any statement between two of FTS5 would make it write a segment of its index.
        if self._unindexed is not None:
            yield
            return
        with self._database.transaction():
            self._unindexed = {}
            try:
                yield
                index_entries(self._database, self._unindexed)
            finally:
                self._unindexed = None

    @override
    def count(self, only: EntryFilter) -> int:
        if (only.shown, only.used, only.idle_since) != (None, None, None):
            return super().count(only)  # use is no change of the contents
        asked = (self._database.version(), only)
        if asked not in self._counts:
            if len(self._counts) >= KEPT_COUNTS:
                self._counts.clear()
            self._counts[asked] = self._count(only)
        return self._counts[asked]

    def _count(self, only: EntryFilter) -> int:
        """Count by tallies the entries that they tell apart, and others one by one."""
        if only.except_session is not None and only.session is None:
            every = only._replace(except_session=None)
            return self._count(every) - super().count(every._replace(session=only.except_session))
        if only.of_others and only.ranked and is_sound(self._database):
            within = where(only)
            sql = self.COUNT_AT_HOME.format(within=within.sql)
            return int(self._database.value(sql, **within.parameters))
        others = only.bound
        counted = tuple(kind for kind in only.kinds if kind not in others)
        by_tally = only._replace(scope=ANYWHERE, anywhere=(), kinds=counted)
        if not self._is_tallied(by_tally):
            return super().count(only)
        return self._ranked(by_tally) + (
            super().count(only._replace(kinds=others)) if others else 0
        )

    def _is_tallied(self, only: EntryFilter) -> bool:
        """Return whether the tallies of ranked entries count *only*."""
        grouped = EntryFilter(only.kinds, visible_in=only.visible_in, ranked=True)
        return only._replace(ranked=True) == grouped and (
            only.ranked or self._total() == count_ranked(self._database)
        )

    @override
    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        is_tallied = self._is_tallied(only)
        if is_tallied and field == "category":
            tallies = tallied(self._database, only).items()
            return _most_first((category or "", entries) for category, entries in tallies)
        if is_tallied and field == "kind":
            return _most_first(
                (kind, self._ranked(only._replace(kinds=(kind,)))) for kind in only.kinds
            )
        is_all = self._ranked(only) == self._total() if is_tallied else self._shows_all(only)
        return super().tally(EVERYTHING if is_all else only, field)

    def _shows_all(self, only: EntryFilter) -> bool:
        """Return whether *only* is about visibility alone, and hides no entry."""
        within = where(only)
        return only == EVERYTHING._replace(visible_in=only.visible_in) and not self._database.value(
            HIDDEN.format(scanned=self.SCANNED, within=within.sql), **within.parameters
        )

    @override
    def _tally(self, only: EntryFilter, field: Field) -> str:
        """Return the statement, which reads an index alone where one has the columns."""
        if field in INDEXED_BY_KIND and only == EntryFilter(only.kinds):
            return self.TALLY.format(table="entry e", group=", ".join(INDEXED_BY_KIND))
        table, scanned = (
            ("entry_text t", self.SCANNED_TEXTS)
            if field == "source"
            else ("entry e", f"entry e {self.SCANNED}")
        )
        return self.TALLY.format(table=table if only == EVERYTHING else scanned, group="{value}")

    def _ranked(self, only: EntryFilter) -> int:
        return sum(tallied(self._database, only).values())

    def _total(self) -> int:
        count = super().count
        return self._database.kept("entries", lambda: count(EVERYTHING))

    @property
    @override
    def forgotten(self) -> "SqliteForgottenTexts":
        # a session start asks for none
        from hardwon.adapters.sqlite.forgotten import SqliteForgottenTexts  # noqa: PLC0415

        return SqliteForgottenTexts(self._database)

    @override
    def put(self, entry: "Entry") -> None:
        from hardwon.domain.model.forgotten import ensure_not_forgotten  # noqa: PLC0415  # for writers

        with self._database.transaction():
            ensure_not_forgotten(entry, self.forgotten.holds)
            [(number, is_retired)] = self._database.rows(*upsert_entry(entry))
            self._database.rows(*upsert_text(number, entry))
            self._database.rows(
                "DELETE FROM vector WHERE entry_seq = ?1"
                " AND text_hash != (SELECT text_hash FROM entry_text WHERE entry_seq = ?1)",
                (number,),
            )
            if is_retired:
                self._leave_indexes(number)
            elif self._unindexed is not None:
                self._unindexed[number] = texts_of(entry)
            else:
                index_entries(self._database, {number: texts_of(entry)})
            self._database.note_change()

    @override
    def delete(self, entry_id: str) -> bool:
        with self._database.transaction():
            number = self._database.value(
                "DELETE FROM entry WHERE id = ? RETURNING seq", (entry_id,)
            )
            if number is not None:
                self._database.rows(RELEASE, (entry_id,))
                self._drop_from_index(number)
                self._database.note_change()
            return number is not None

    @override
    def newest_by_track_record(
        self,
        k: int,
        visible_in: Visibility | None = None,
        of: Collection[TrackRecord] | None = None,
    ) -> Mapping[TrackRecord, Iterable[RankingFacts]]:
        return newest_by_track_record(self._database, k, visible_in=visible_in, of=of)

    @override
    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        counted = tallied(self._database, LEARNINGS._replace(visible_in=visible_in))
        return {category: counted[category] for category in CATEGORIES if category in counted}

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
    def _retire(self, numbers: Sequence[int]) -> None:
        self._database.rows(
            "UPDATE entry SET retired = 1 WHERE seq IN (SELECT value FROM json_each(?))",
            (in_list(numbers),),
        )
        for number in numbers:
            self._leave_indexes(number)
        self._database.note_change()

    def _drop_from_index(self, number: int) -> None:
        if self._unindexed is not None:
            self._unindexed.pop(number, None)
        drop_from_index(self._database, number)

    def _leave_indexes(self, number: int) -> None:
        self._drop_from_index(number)
        self._database.rows("DELETE FROM vector WHERE entry_seq = ?", (number,))


def _most_first(counts: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    found = ((value, entries) for value, entries in counts if entries)
    return dict(sorted(found, key=lambda item: (-item[1], item[0])))


class SqliteProposals(SqlProposals):
    """Pairs in the table `proposal`."""

    PROPOSE = """
        INSERT INTO proposal (older_seq, newer_seq, probability)
        SELECT older.seq, newer.seq, :probability FROM entry older, entry newer WHERE older.id = :older AND newer.id = :newer
        ON CONFLICT DO NOTHING
    """
    OPEN = """
        SELECT older.id, newer.id, p.probability
        FROM proposal p JOIN entry older ON older.seq = p.older_seq JOIN entry newer ON newer.seq = p.newer_seq
        WHERE NOT p.rejected AND older.retired = 0 AND newer.retired = 0
            AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
        ORDER BY p.probability DESC, older.id, newer.id LIMIT :limit
    """
    REJECT = """
        UPDATE proposal SET rejected = 1 WHERE NOT rejected
            AND older_seq = (SELECT seq FROM entry WHERE id = :older) AND newer_seq = (SELECT seq FROM entry WHERE id = :newer)
        RETURNING 1
    """
