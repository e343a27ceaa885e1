CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN
        ('learning', 'session', 'decision', 'gotcha', 'preference', 'conversation', 'document')),
    category TEXT CHECK (category IN ('anti-patterns', 'heuristics', 'patterns')),
    observation_count INTEGER NOT NULL DEFAULT 1 CHECK (observation_count >= 1),
    confidence TEXT NOT NULL DEFAULT 'medium' CHECK (confidence IN ('low', 'medium', 'high')),
    updated_at TEXT NOT NULL, project TEXT, workspace TEXT, branch TEXT, permanent INTEGER NOT NULL DEFAULT 0 CHECK (permanent IN (0, 1)), content_hash TEXT NOT NULL DEFAULT '', words INTEGER NOT NULL DEFAULT 0,
    CHECK (kind != 'learning' OR category IS NOT NULL)
);
CREATE TABLE recall (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    recall_count INTEGER NOT NULL CHECK (recall_count >= 0),
    last_recalled_at TEXT NOT NULL
);
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
CREATE TABLE sources (
    path TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE source_heading (
    path TEXT NOT NULL REFERENCES sources (path) ON DELETE CASCADE,
    heading TEXT NOT NULL,
    PRIMARY KEY (path, heading)
) WITHOUT ROWID;
CREATE TABLE _metadata (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE "entry_text" (
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
CREATE VIRTUAL TABLE entries_fts USING fts5(name, description, notes, keywords, reasoning, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE passages_fts USING fts5(text, tokenize = 'porter unicode61');
INSERT INTO entry ("seq", "id", "kind", "category", "observation_count", "confidence", "updated_at", "project", "workspace", "branch", "permanent", "content_hash", "words") VALUES (5, '694f065a8ec08629', 'learning', 'patterns', 3, 'high', '2026-02-28T12:30:00.000000+00:00', 'here', NULL, NULL, 0, '694f065a8ec08629', 11);
INSERT INTO entry ("seq", "id", "kind", "category", "observation_count", "confidence", "updated_at", "project", "workspace", "branch", "permanent", "content_hash", "words") VALUES (9, '0123456789abcdef', 'document', NULL, 1, 'medium', '2026-02-28T12:30:00.000000+00:00', 'here', NULL, NULL, 0, '0123456789abcdef', 3);
INSERT INTO recall ("entry_seq", "recall_count", "last_recalled_at") VALUES (5, 7, '2026-02-28T12:30:00.000000+00:00');
INSERT INTO space ("id", "provider", "model", "dimensions", "task_scheme", "weights_hash") VALUES (3, 'local', 'm', 2, 't', 'w');
INSERT INTO vector ("space_id", "entry_seq", "text_hash", "vec") VALUES (3, 5, 'hash of lesson', X'0000803F00000000');
INSERT INTO sources ("path", "fingerprint") VALUES ('/a/patterns.md', 'f');
INSERT INTO source_heading ("path", "heading") VALUES ('/a/patterns.md', 'Backoff');
INSERT INTO _metadata ("key", "value") VALUES ('active_space', '3');
INSERT INTO _metadata ("key", "value") VALUES ('automatic_provider', 'local');
INSERT INTO _metadata ("key", "value") VALUES ('schema_version', '2');
INSERT INTO entry_text ("entry_seq", "name", "description", "reasoning", "notes", "keywords", "tags", "references", "text_hash", "created_at", "source", "file_path", "file_mtime", "file_hash") VALUES (5, 'Backoff', 'Retry with a backoff.', 'It took a day.', '', '["retry"]', '[]', '["src/a.py"]', 'hash of lesson', '2026-02-28T12:30:00.000000+00:00', 'retro', NULL, NULL, NULL);
INSERT INTO entry_text ("entry_seq", "name", "description", "reasoning", "notes", "keywords", "tags", "references", "text_hash", "created_at", "source", "file_path", "file_mtime", "file_hash") VALUES (9, 'One', 'A section.', '', '', '[]', '["tag"]', '[]', 'hash of section', '2026-02-28T12:30:00.000000+00:00', 'manual', '/memory/a.md', 7, 'h');
INSERT INTO entries_fts (rowid, "name", "description", "notes", "keywords", "reasoning") VALUES (5, 'Backoff', 'Retry with a backoff.', '', 'retry', 'It took a day.');
INSERT INTO entries_fts (rowid, "name", "description", "notes", "keywords", "reasoning") VALUES (9, 'One', 'A section.', '', 'retry', '');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('entry', 12);
CREATE INDEX entry_by_track_record
    ON entry (kind, category, observation_count, confidence, updated_at DESC, id);
CREATE INDEX entry_newest ON entry (kind, updated_at DESC, id);
CREATE INDEX vector_by_entry ON vector (entry_seq);
CREATE UNIQUE INDEX entry_text_by_file ON entry_text (file_path);
CREATE VIEW entries AS
SELECT e.id, t.name, t.description, t.reasoning, e.category, t.keywords, t."references",
    e.observation_count, e.confidence, coalesce(r.recall_count, 0) AS recall_count, r.last_recalled_at,
    t.created_at, e.updated_at, t.source, e.project AS source_project, v.vec AS embedding
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
LEFT JOIN recall r ON r.entry_seq = e.seq

LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')

WHERE e.kind = 'learning';
CREATE VIEW memories AS
SELECT e.id, t.description AS text, v.vec AS embedding, e.kind AS type, e.project, e.workspace, e.branch,
    CAST(strftime('%s', e.updated_at) AS INTEGER) AS timestamp, t.file_path AS source_file, e.permanent
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq

LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')

WHERE e.kind IN ('decision', 'gotcha', 'preference', 'conversation');
