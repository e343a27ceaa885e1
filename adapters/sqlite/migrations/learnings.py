"""Version 1: learnings, their vectors, and the ledger of imports."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run

ENTRY_TABLES = """
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN
        ('learning', 'session', 'decision', 'gotcha', 'preference', 'conversation', 'document')),
    category TEXT CHECK (category IN ('anti-patterns', 'heuristics', 'patterns')),
    observation_count INTEGER NOT NULL DEFAULT 1 CHECK (observation_count >= 1),
    confidence TEXT NOT NULL DEFAULT 'medium' CHECK (confidence IN ('low', 'medium', 'high')),
    updated_at TEXT NOT NULL,
    CHECK (kind != 'learning' OR category IS NOT NULL)
);
CREATE INDEX entry_by_track_record
    ON entry (kind, category, observation_count, confidence, updated_at DESC, id);
CREATE INDEX entry_newest ON entry (kind, updated_at DESC, id);
CREATE TABLE entry_text (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    name TEXT NOT NULL CHECK (trim(name) != ''),
    description TEXT NOT NULL CHECK (trim(description) != ''),
    reasoning TEXT NOT NULL DEFAULT '',
    notes TEXT NOT NULL DEFAULT '',
    keywords TEXT NOT NULL DEFAULT '[]' CHECK (json_array_length(keywords) <= 10),
    "references" TEXT NOT NULL DEFAULT '[]' CHECK (json_valid("references")),
    text_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('retro', 'session-capture', 'manual', 'import')),
    source_project TEXT
);
CREATE TABLE recall (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    recall_count INTEGER NOT NULL CHECK (recall_count >= 0),
    last_recalled_at TEXT NOT NULL
);
"""

VECTOR_TABLES = """
CREATE TABLE space (
    id INTEGER PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    task_scheme TEXT NOT NULL,
    weights_hash TEXT NOT NULL,
    UNIQUE (provider, model, dimensions, task_scheme, weights_hash)
);
CREATE TABLE vector (
    space_id INTEGER NOT NULL REFERENCES space (id),
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    text_hash TEXT NOT NULL,
    vec BLOB NOT NULL,
    UNIQUE (space_id, entry_seq)
);
CREATE INDEX vector_by_entry ON vector (entry_seq);
"""

LEDGER_AND_METADATA = """
CREATE TABLE sources (
    path TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE source_heading (
    path TEXT NOT NULL REFERENCES sources (path) ON DELETE CASCADE,
    heading TEXT NOT NULL,
    PRIMARY KEY (path, heading)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS _metadata (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
"""

ENTRIES_VIEW = """
CREATE VIEW entries AS
SELECT e.id, t.name, t.description, t.reasoning, e.category, t.keywords, t."references",
    e.observation_count, e.confidence, coalesce(r.recall_count, 0) AS recall_count, r.last_recalled_at,
    t.created_at, e.updated_at, t.source, t.source_project, v.vec AS embedding
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
LEFT JOIN recall r ON r.entry_seq = e.seq
LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')
WHERE e.kind = 'learning';
"""


def keep_learnings(connection: sqlite3.Connection) -> None:
    """Create the tables of a new store."""
    run(connection, ENTRY_TABLES, VECTOR_TABLES, LEDGER_AND_METADATA, ENTRIES_VIEW)
