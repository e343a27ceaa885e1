"""The query for the newest entries of each track record: a lookup in the index for each, not a scan of it."""

from hardwon.adapters.sqlite.rows import fact_columns
from hardwon.domain.model.ranking.prominence import RECALL_CAP

RANKED_LEARNING = "e.kind = 'learning' AND e.retired = 0"

FIRST = (
    f"(SELECT e.seq FROM entry e WHERE {RANKED_LEARNING} AND {{}}"
    " ORDER BY e.category, e.observation_count, e.confidence LIMIT 1)"
)
SAME_CATEGORY = "e.category IS last.category"

RECORDS = f"""
    first (seq) AS (
        SELECT {FIRST.format("e.category IS NULL")} UNION ALL SELECT {FIRST.format("e.category IS NOT NULL")}
        UNION ALL
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

NEWEST_BY_TRACK_RECORD = f"""
    WITH RECURSIVE {RECORDS},
    recalled AS (
        SELECT e.seq, r.recall_count, row_number() OVER (
            PARTITION BY e.category, e.observation_count, e.confidence, min(r.recall_count, {RECALL_CAP})
            ORDER BY e.updated_at DESC, e.id
        ) AS place
        FROM recall r CROSS JOIN entry e ON e.seq = r.entry_seq
        WHERE {RANKED_LEARNING} AND r.recall_count > 0 AND {{visible}}
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
"""
The newest entries of each track record, at most as many as the parameter.

Most entries were never recalled: the index has them in this order. The others are few, and are numbered.
"""
