"""Version 2: entries that stand for files."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run

ENTRIES_OF_FILES = """
DROP VIEW entries;
ALTER TABLE entry ADD COLUMN project TEXT;
ALTER TABLE entry ADD COLUMN workspace TEXT;
ALTER TABLE entry ADD COLUMN branch TEXT;
ALTER TABLE entry ADD COLUMN permanent INTEGER NOT NULL DEFAULT 0 CHECK (permanent IN (0, 1));
ALTER TABLE entry ADD COLUMN content_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
UPDATE entry SET content_hash = id, project = (SELECT source_project FROM entry_text WHERE entry_seq = seq),
    words = (SELECT word_count(t.name, t.description, t.notes, t.reasoning) FROM entry_text t WHERE t.entry_seq = seq);
CREATE TABLE text_of_entry (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    name TEXT NOT NULL CHECK (trim(name) != ''),
    description TEXT NOT NULL CHECK (trim(description) != ''),
    reasoning TEXT NOT NULL,
    notes TEXT NOT NULL,
    keywords TEXT NOT NULL CHECK (json_array_length(keywords) <= 10 OR file_path IS NOT NULL),
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    "references" TEXT NOT NULL CHECK (json_valid("references")),
    text_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('retro', 'session-capture', 'manual', 'import')),
    file_path TEXT,
    file_mtime INTEGER,
    file_hash TEXT
);
INSERT INTO text_of_entry
SELECT entry_seq, name, description, reasoning, notes, keywords, '[]', "references", text_hash, created_at, source,
    NULL, NULL, NULL
FROM entry_text;
DROP TABLE entry_text;
ALTER TABLE text_of_entry RENAME TO entry_text;
CREATE UNIQUE INDEX entry_text_by_file ON entry_text (file_path);
"""

VECTOR_OF_THE_ACTIVE_SPACE = """
LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')
"""

VIEWS = f"""
CREATE VIEW entries AS
SELECT e.id, t.name, t.description, t.reasoning, e.category, t.keywords, t."references",
    e.observation_count, e.confidence, coalesce(r.recall_count, 0) AS recall_count, r.last_recalled_at,
    t.created_at, e.updated_at, t.source, e.project AS source_project, v.vec AS embedding
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
LEFT JOIN recall r ON r.entry_seq = e.seq
{VECTOR_OF_THE_ACTIVE_SPACE}
WHERE e.kind = 'learning';
CREATE VIEW memories AS
SELECT e.id, t.description AS text, v.vec AS embedding, e.kind AS type, e.project, e.workspace, e.branch,
    CAST(strftime('%s', e.updated_at) AS INTEGER) AS timestamp, t.file_path AS source_file, e.permanent
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
{VECTOR_OF_THE_ACTIVE_SPACE}
WHERE e.kind IN ('decision', 'gotcha', 'preference', 'conversation');
"""


def keep_files(connection: sqlite3.Connection) -> None:
    """Let an entry stand for a file."""
    connection.create_function("word_count", 4, lambda *texts: len(" ".join(texts).split()))
    run(connection, ENTRIES_OF_FILES, VIEWS)
