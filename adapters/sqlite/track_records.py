"""
The newest entries of each track record.

Each is looked up in the index instead of a scan, and decoded lazily.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from hardwon.adapters.sqlite.database import Row, SqliteDatabase
from hardwon.adapters.sqlite.query import visible
from hardwon.adapters.sqlite.rows import fact_columns, to_facts
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP, TrackRecord, track_record
from hardwon.ports.override import override

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
        ORDER BY e.updated_at DESC, e.id LIMIT :most
    )
    UNION ALL
    SELECT {fact_columns("recalled.recall_count")} FROM recalled JOIN entry e USING (seq)
    WHERE recalled.place <= :most
    ORDER BY updated_at DESC, id
"""
"""
Most entries were never recalled.

The index has these in this order. The others are few and are numbered.
"""


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
            most=k,
            **seen.parameters,
        )
    else:
        sql = NEWEST.format(records=WANTED, visible=seen.sql, is_wanted=IS_WANTED)
        rows = database.rows(sql, of=[*of], most=k, **seen.parameters)
    newest = defaultdict[TrackRecord, _Newest](lambda: _Newest(database))
    for record, row in database.readable("entry", rows, _with_track_record):
        newest[record].rows.append(row)
    return newest


def _with_track_record(row: Row) -> tuple[TrackRecord, Row]:
    return track_record(RankingFacts(*row)), row
