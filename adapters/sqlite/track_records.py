"""The query for the newest entries of each track record: a lookup in the index for each, not a scan of it."""

import json
from collections.abc import Collection

from hardwon.adapters.sqlite.query import Where
from hardwon.adapters.sqlite.rows import fact_columns
from hardwon.domain.model.ranking.prominence import RECALL_CAP, TrackRecord

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
"""A skip scan: from an entry of each track record to the first one of the next."""

WANTED = """
    wanted (category, observation_count, confidence, recalls) AS (
        SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[3]')
        FROM json_each(?)
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
        ORDER BY e.updated_at DESC, e.id LIMIT ?
    )
    UNION ALL
    SELECT {fact_columns("recalled.recall_count")} FROM recalled JOIN entry e USING (seq)
    WHERE recalled.place <= ?
"""
"""Most entries were never recalled: the index has them in this order. The others are few, and are numbered."""


def newest_by_track_record(k: int, seen: Where, of: Collection[TrackRecord] | None) -> tuple[str, tuple[object, ...]]:
    """Return the query for the *k* newest entries of each track record, or of each in *of*, that meet *seen*, and its parameters."""
    shown = (*seen.parameters, *seen.parameters, k, k)
    if of is None:
        return NEWEST.format(records=RECORDS, visible=seen.sql, is_wanted="true"), shown
    return NEWEST.format(records=WANTED, visible=seen.sql, is_wanted=IS_WANTED), (json.dumps([*of]), *shown)
