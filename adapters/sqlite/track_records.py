"""The newest entries of each track record, read off the index that has them in this order."""

from hardwon.adapters.sqlite.entry_rows import FACT_COLUMNS
from hardwon.domain.model.ranking.prominence import RECALL_CAP

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
