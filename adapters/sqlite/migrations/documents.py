"""Version 3: what makes an entry matter, the sections of a file, and what became of entries."""

import sqlite3

from hardwon.adapters.sqlite.migrations.files import VECTOR_OF_THE_ACTIVE_SPACE, VIEWS
from hardwon.adapters.sqlite.migrations.run import run

IMPORTANCE = """
ALTER TABLE entry ADD COLUMN tier TEXT NOT NULL DEFAULT 'normal' CHECK (tier IN
    ('constitutional', 'critical', 'important', 'normal', 'temporary', 'deprecated'));
ALTER TABLE entry ADD COLUMN importance_weight REAL NOT NULL DEFAULT 0.5 CHECK (importance_weight BETWEEN 0 AND 1);
ALTER TABLE entry ADD COLUMN context_type TEXT NOT NULL DEFAULT 'general' CHECK (context_type IN
    ('research', 'implementation', 'decision', 'discovery', 'general'));
ALTER TABLE entry ADD COLUMN spec_folder TEXT;
ALTER TABLE entry ADD COLUMN created_at_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN expires_at TEXT;
ALTER TABLE entry ADD COLUMN retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1));
UPDATE entry SET created_at_epoch =
    (SELECT CAST(strftime('%s', created_at) AS INTEGER) FROM entry_text WHERE entry_seq = seq);
DROP INDEX entry_by_track_record;
CREATE INDEX entry_by_track_record
    ON entry (kind, category, observation_count, confidence, updated_at DESC, id) WHERE retired = 0;
CREATE INDEX entry_by_spec_folder ON entry (spec_folder);
CREATE INDEX entry_by_tier ON entry (tier);
CREATE INDEX entry_by_context_type ON entry (context_type);
CREATE INDEX entry_by_creation ON entry (created_at_epoch);
CREATE INDEX entry_to_expire ON entry (expires_at) WHERE retired = 0 AND expires_at IS NOT NULL;
CREATE TABLE usage (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    access_count INTEGER NOT NULL DEFAULT 0,
    last_accessed TEXT,
    validation_count INTEGER NOT NULL DEFAULT 0,
    useful_count INTEGER NOT NULL DEFAULT 0 CHECK (useful_count BETWEEN 0 AND validation_count)
);
"""

SECTIONS = """
DROP VIEW entries;
DROP VIEW memories;
CREATE TABLE text_of_entry (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    file_path TEXT,
    anchor_id TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL CHECK (trim(name) != ''),
    description TEXT NOT NULL CHECK (trim(description) != ''),
    reasoning TEXT NOT NULL,
    notes TEXT NOT NULL,
    keywords TEXT NOT NULL CHECK (json_array_length(keywords) <= 10 OR file_path IS NOT NULL),
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    "references" TEXT NOT NULL CHECK (json_valid("references")),
    trigger_phrases TEXT NOT NULL CHECK (json_valid(trigger_phrases)),
    text_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('retro', 'session-capture', 'manual', 'import')),
    channel TEXT,
    session_id TEXT,
    file_mtime INTEGER,
    file_hash TEXT
);
INSERT INTO text_of_entry
SELECT entry_seq, file_path, '', name, description, reasoning, notes, keywords, tags, "references", '[]', text_hash,
    created_at, source, NULL, NULL, file_mtime, file_hash
FROM entry_text;
DROP TABLE entry_text;
ALTER TABLE text_of_entry RENAME TO entry_text;
CREATE UNIQUE INDEX entry_text_by_file ON entry_text (file_path, anchor_id);
"""

RECORDS = """
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL,
    field_changed TEXT NOT NULL,
    old_value TEXT,
    new_value TEXT,
    changed_at TEXT NOT NULL
);
CREATE INDEX history_by_memory ON history (memory_id);
CREATE TABLE tombstone (
    file_path TEXT NOT NULL,
    anchor_id TEXT NOT NULL DEFAULT '',
    file_hash TEXT NOT NULL,
    buried_at TEXT NOT NULL,
    PRIMARY KEY (file_path, anchor_id)
) WITHOUT ROWID;
CREATE TABLE departed (
    file_path TEXT NOT NULL,
    anchor_id TEXT NOT NULL DEFAULT '',
    file_hash TEXT,
    name TEXT NOT NULL,
    tier TEXT NOT NULL,
    importance_weight REAL NOT NULL,
    permanent INTEGER NOT NULL,
    trigger_phrases TEXT NOT NULL CHECK (json_valid(trigger_phrases)),
    keywords TEXT NOT NULL CHECK (json_valid(keywords)),
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    created_at TEXT NOT NULL,
    access_count INTEGER NOT NULL,
    last_accessed TEXT,
    validation_count INTEGER NOT NULL,
    useful_count INTEGER NOT NULL,
    departed_at TEXT NOT NULL,
    PRIMARY KEY (file_path, anchor_id)
) WITHOUT ROWID;
CREATE INDEX departed_by_hash ON departed (file_hash);
CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    created_at TEXT NOT NULL,
    memory_count INTEGER NOT NULL,
    snapshot_path TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata))
);
"""

VIEWS_OF_DOCUMENTS = f"""
CREATE VIEW memory_index AS
SELECT e.seq AS id, e.spec_folder, t.file_path, t.name AS title, nullif(t.anchor_id, '') AS anchor_id,
    t.description AS content, v.vec AS embedding, t.created_at, e.created_at_epoch, e.updated_at,
    e.importance_weight, e.tier AS importance_tier, e.context_type, t.channel, t.session_id,
    coalesce(u.access_count, 0) AS access_count, u.last_accessed,
    coalesce(u.validation_count, 0) AS validation_count,
    coalesce(1.0 * u.useful_count / nullif(u.validation_count, 0), 0.5) AS confidence_score, t.trigger_phrases
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
LEFT JOIN usage u ON u.entry_seq = e.seq
{VECTOR_OF_THE_ACTIVE_SPACE}
WHERE e.kind = 'document';
CREATE VIEW memory_history AS
SELECT id, memory_id, field_changed, old_value, new_value, changed_at FROM history;
"""


def keep_documents(connection: sqlite3.Connection) -> None:
    """Let entries differ in how much they matter, and remember what became of them."""
    run(connection, IMPORTANCE, SECTIONS, RECORDS, VIEWS, VIEWS_OF_DOCUMENTS)
