CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN
        ('learning', 'session', 'decision', 'gotcha', 'preference', 'conversation', 'document')),
    category TEXT CHECK (category IN ('anti-patterns', 'heuristics', 'patterns')),
    observation_count INTEGER NOT NULL DEFAULT 1 CHECK (observation_count >= 1),
    confidence TEXT NOT NULL DEFAULT 'medium' CHECK (confidence IN ('low', 'medium', 'high')),
    updated_at TEXT NOT NULL, source_project TEXT, workspace TEXT, branch TEXT, permanent INTEGER NOT NULL DEFAULT 0 CHECK (permanent IN (0, 1)), content_hash TEXT NOT NULL DEFAULT '', words INTEGER NOT NULL DEFAULT 0, tier TEXT NOT NULL DEFAULT 'normal' CHECK (tier IN
    ('constitutional', 'critical', 'important', 'normal', 'temporary', 'deprecated')), importance_weight REAL NOT NULL DEFAULT 0.5 CHECK (importance_weight BETWEEN 0 AND 1), context_type TEXT NOT NULL DEFAULT 'general' CHECK (context_type IN
    ('research', 'implementation', 'decision', 'discovery', 'general')), spec_folder TEXT, created_at_epoch INTEGER NOT NULL DEFAULT 0, expires_at TEXT, retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1)), project TEXT, reach TEXT NOT NULL DEFAULT 'shared' CHECK (reach IN ('everywhere', 'shared', 'home')), superseded_by TEXT, is_gone INTEGER NOT NULL DEFAULT 0 CHECK (is_gone IN (0, 1)),
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
CREATE TABLE usage (
    entry_seq INTEGER PRIMARY KEY REFERENCES entry (seq) ON DELETE CASCADE,
    access_count INTEGER NOT NULL DEFAULT 0,
    last_accessed TEXT,
    validation_count INTEGER NOT NULL DEFAULT 0,
    useful_count INTEGER NOT NULL DEFAULT 0 CHECK (useful_count BETWEEN 0 AND validation_count)
);
CREATE TABLE "entry_text" (
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
, own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1)), door TEXT, citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)));
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL,
    field_changed TEXT NOT NULL,
    old_value TEXT,
    new_value TEXT,
    changed_at TEXT NOT NULL
);
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
    departed_at TEXT NOT NULL, own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1)),
    PRIMARY KEY (file_path, anchor_id)
) WITHOUT ROWID;
CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    created_at TEXT NOT NULL,
    memory_count INTEGER NOT NULL,
    snapshot_path TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata))
);
CREATE TABLE influence (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    how TEXT NOT NULL CHECK (how IN ('answer', 'edit', 'validation')),
    phrase TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (entry_seq, session_id)
) WITHOUT ROWID;
CREATE TABLE project (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    root TEXT NOT NULL,
    is_repository INTEGER NOT NULL CHECK (is_repository IN (0, 1)),
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    remote TEXT NOT NULL DEFAULT '',
    first_commit TEXT,
    authorship TEXT NOT NULL DEFAULT 'unknown' CHECK (authorship IN ('unknown', 'own', 'foreign')),
    trust TEXT NOT NULL DEFAULT 'unsaid' CHECK (trust IN ('unsaid', 'trusted', 'revoked')),
    joined TEXT REFERENCES project (id) ON DELETE SET NULL
, conversations TEXT CHECK (conversations IN ('shared', 'private', 'off')));
CREATE TABLE trusted_folder (
    path TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE entry_place (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    project TEXT NOT NULL,
    PRIMARY KEY (entry_seq, project)
) WITHOUT ROWID;
CREATE TABLE forgotten (
    tag BLOB NOT NULL,
    owner BLOB NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tag, owner)
) WITHOUT ROWID;
CREATE TABLE entry_alias (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    old_id TEXT PRIMARY KEY
);
CREATE TABLE vector_block (
    space_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    packed BLOB,
    PRIMARY KEY (space_id, block)
);
CREATE TABLE query_vector (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    checksum INTEGER NOT NULL,
    vec BLOB NOT NULL
);
CREATE TABLE entry_tally (
    kind TEXT NOT NULL,
    category TEXT,
    reach TEXT NOT NULL,
    project TEXT,
    entries INTEGER NOT NULL
);
CREATE TABLE posting_block (
    block INTEGER PRIMARY KEY,
    lengths BLOB NOT NULL
);
CREATE TABLE posting (
    block INTEGER NOT NULL,
    term BLOB NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (block, term)
) WITHOUT ROWID;
CREATE TABLE proposal (
    older_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    newer_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    rejected INTEGER NOT NULL DEFAULT 0 CHECK (rejected IN (0, 1)),
    PRIMARY KEY (older_seq, newer_seq),
    CHECK (older_seq != newer_seq)
) WITHOUT ROWID;
CREATE TABLE "receipt" (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    event TEXT NOT NULL CHECK (event IN ('start', 'prompt', 'failure', 'file', 'edit', 'subagent', 'ask')),
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    query TEXT,
    space TEXT,
    policy TEXT NOT NULL,
    digest TEXT NOT NULL,
    frame TEXT NOT NULL CHECK (json_valid(frame)),
    missed TEXT NOT NULL CHECK (json_valid(missed)),
    keyword_text TEXT,
    delivery TEXT NOT NULL DEFAULT 'printed' CHECK (delivery IN ('printed', 'awaited', 'missed', 'delivered')),
    agent TEXT NOT NULL DEFAULT '',
    dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1)),
    latest INTEGER NOT NULL DEFAULT 9223372036854775807,
    signature TEXT NOT NULL DEFAULT ''
, outcome TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(outcome)), arm TEXT NOT NULL DEFAULT '' CHECK (arm IN ('', 'shown', 'withheld')));
CREATE TABLE "receipt_entry" (
    receipt_number INTEGER NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('lesson', 'note', 'conversation', 'memory')),
    digest TEXT NOT NULL,
    score REAL,
    parts TEXT NOT NULL CHECK (json_valid(parts)),
    room INTEGER NOT NULL,
    origin TEXT NOT NULL DEFAULT '', is_rejected INTEGER NOT NULL DEFAULT 0 CHECK (is_rejected IN (0, 1)), warning TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (receipt_number, place)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE entries_fts USING fts5(name, description, notes, keywords, reasoning, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE passages_fts USING fts5(text, tokenize = 'porter unicode61');
INSERT INTO entry ("seq", "id", "kind", "category", "observation_count", "confidence", "updated_at", "source_project", "workspace", "branch", "permanent", "content_hash", "words", "tier", "importance_weight", "context_type", "spec_folder", "created_at_epoch", "expires_at", "retired", "project", "reach", "superseded_by", "is_gone") VALUES (5, '694f065a8ec08629', 'learning', 'patterns', 3, 'high', '2026-02-28T12:30:00.000000+00:00', NULL, NULL, NULL, 0, '694f065a8ec08629', 11, 'normal', 0.5, 'general', NULL, 0, NULL, 0, 'here', 'shared', NULL, 0);
INSERT INTO entry ("seq", "id", "kind", "category", "observation_count", "confidence", "updated_at", "source_project", "workspace", "branch", "permanent", "content_hash", "words", "tier", "importance_weight", "context_type", "spec_folder", "created_at_epoch", "expires_at", "retired", "project", "reach", "superseded_by", "is_gone") VALUES (9, '0123456789abcdef', 'document', NULL, 1, 'medium', '2026-02-28T12:30:00.000000+00:00', NULL, NULL, NULL, 0, '0123456789abcdef', 3, 'critical', 0.5, 'general', NULL, 0, NULL, 0, 'here', 'shared', NULL, 0);
INSERT INTO recall ("entry_seq", "recall_count", "last_recalled_at") VALUES (5, 7, '2026-02-28T12:30:00.000000+00:00');
INSERT INTO space ("id", "provider", "model", "dimensions", "task_scheme", "weights_hash") VALUES (3, 'local', 'm', 2, 't', 'w');
INSERT INTO vector ("space_id", "entry_seq", "text_hash", "vec") VALUES (3, 5, 'hash of lesson', X'0000803F00000000');
INSERT INTO sources ("path", "fingerprint") VALUES ('/a/patterns.md', 'f');
INSERT INTO source_heading ("path", "heading") VALUES ('/a/patterns.md', 'Backoff');
INSERT INTO _metadata ("key", "value") VALUES ('active_space', '3');
INSERT INTO _metadata ("key", "value") VALUES ('automatic_provider', 'local');
INSERT INTO _metadata ("key", "value") VALUES ('keyword_index_version', '3');
INSERT INTO _metadata ("key", "value") VALUES ('schema_version', '21');
INSERT INTO usage ("entry_seq", "access_count", "last_accessed", "validation_count", "useful_count") VALUES (9, 4, '2026-02-28T12:30:00.000000+00:00', 2, 1);
INSERT INTO entry_text ("entry_seq", "file_path", "anchor_id", "name", "description", "reasoning", "notes", "keywords", "tags", "references", "trigger_phrases", "text_hash", "created_at", "source", "channel", "session_id", "file_mtime", "file_hash", "own_tier", "door", "citations") VALUES (5, NULL, '', 'Backoff', 'Retry with a backoff.', 'It took a day.', '', '["retry"]', '[]', '["src/a.py"]', '[]', 'hash of lesson', '2026-02-28T12:30:00.000000+00:00', 'retro', NULL, NULL, NULL, NULL, 0, NULL, '[]');
INSERT INTO entry_text ("entry_seq", "file_path", "anchor_id", "name", "description", "reasoning", "notes", "keywords", "tags", "references", "trigger_phrases", "text_hash", "created_at", "source", "channel", "session_id", "file_mtime", "file_hash", "own_tier", "door", "citations") VALUES (9, '/memory/a.md', 'one', 'One', 'A section.', '', '', '[]', '["tag"]', '[]', '[]', 'hash of section', '2026-02-28T12:30:00.000000+00:00', 'manual', NULL, 's-1', 7, 'h', 0, NULL, '[]');
INSERT INTO history ("id", "memory_id", "field_changed", "old_value", "new_value", "changed_at") VALUES (1, 9, 'title', 'Eins', 'One', '2026-02-28T12:30:00.000000+00:00');
INSERT INTO tombstone ("file_path", "anchor_id", "file_hash", "buried_at") VALUES ('/memory/gone.md', '', 'g', '2026-02-28T12:30:00.000000+00:00');
INSERT INTO departed ("file_path", "anchor_id", "file_hash", "name", "tier", "importance_weight", "permanent", "trigger_phrases", "keywords", "tags", "created_at", "access_count", "last_accessed", "validation_count", "useful_count", "departed_at", "own_tier") VALUES ('/memory/left.md', '', 'l', 'Left', 'critical', 0.5, 0, '[]', '[]', '[]', '2026-02-28T12:30:00.000000+00:00', 1, '2026-02-28T12:30:00.000000+00:00', 1, 1, '2026-02-28T12:30:00.000000+00:00', 0);
INSERT INTO checkpoints ("id", "name", "description", "created_at", "memory_count", "snapshot_path", "metadata") VALUES (2, 'before', NULL, '2026-02-28T12:30:00.000000+00:00', 1, 'checkpoints/2.db', '{}');
INSERT INTO influence ("entry_seq", "session_id", "how", "phrase", "at") VALUES (5, 's-1', 'answer', 'retry with', '2026-02-28T12:30:00.000000+00:00');
INSERT INTO vector_block ("space_id", "block", "stamp", "packed") VALUES (3, 0, 5565296511089335577, NULL);
INSERT INTO entry_tally ("kind", "category", "reach", "project", "entries") VALUES ('', NULL, '', NULL, -2);
INSERT INTO entry_tally ("kind", "category", "reach", "project", "entries") VALUES ('learning', 'patterns', 'shared', 'here', 1);
INSERT INTO entry_tally ("kind", "category", "reach", "project", "entries") VALUES ('document', NULL, 'shared', 'here', 1);
INSERT INTO receipt ("number", "session_id", "event", "at", "project", "query", "space", "policy", "digest", "frame", "missed", "keyword_text", "delivery", "agent", "dropped", "latest", "signature", "outcome", "arm") VALUES (6, 's-1', 'start', '2026-02-28T12:30:00.000000+00:00', 'here', 'q', 'm', 'prominence', 'd', '["", "", ""]', '[]', 'k', 'printed', '', 0, 9223372036854775807, '', '[]', '');
INSERT INTO receipt_entry ("receipt_number", "place", "entry_id", "form", "digest", "score", "parts", "room", "origin", "is_rejected", "warning") VALUES (6, 0, '694f065a8ec08629', 'lesson', 'd0', 0.5, '{"prominence": 0.5}', 0, '', 0, '');
INSERT INTO receipt_entry ("receipt_number", "place", "entry_id", "form", "digest", "score", "parts", "room", "origin", "is_rejected", "warning") VALUES (6, 1, '0123456789abcdef', 'note', 'd1', NULL, '{}', 0, '', 0, '');
INSERT INTO entries_fts (rowid, "name", "description", "notes", "keywords", "reasoning") VALUES (5, 'Backoff', 'Retry with a backoff.', '', 'retry', 'It took a day.');
INSERT INTO entries_fts (rowid, "name", "description", "notes", "keywords", "reasoning") VALUES (9, 'One', 'A section.', '', 'retry', '');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('entry', 12);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('history', 3);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('checkpoints', 4);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('receipt', 8);
CREATE INDEX entry_newest ON entry (kind, updated_at DESC, id);
CREATE INDEX vector_by_entry ON vector (entry_seq);
CREATE INDEX entry_by_spec_folder ON entry (spec_folder);
CREATE INDEX entry_by_tier ON entry (tier);
CREATE INDEX entry_by_context_type ON entry (context_type);
CREATE INDEX entry_by_creation ON entry (created_at_epoch);
CREATE INDEX entry_to_expire ON entry (expires_at) WHERE retired = 0 AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX entry_text_by_file ON entry_text (file_path, anchor_id);
CREATE INDEX history_by_memory ON history (memory_id);
CREATE INDEX departed_by_hash ON departed (file_hash);
CREATE INDEX entry_text_by_session ON entry_text (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX influence_by_session ON influence (session_id);
CREATE VIEW entries AS
SELECT e.id, t.name, t.description, t.reasoning, e.category, t.keywords, t."references",
    e.observation_count, e.confidence, coalesce(r.recall_count, 0) AS recall_count, r.last_recalled_at,
    t.created_at, e.updated_at, t.source, e.source_project, v.vec AS embedding
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
LEFT JOIN recall r ON r.entry_seq = e.seq

LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')

WHERE e.kind = 'learning';
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

LEFT JOIN vector v ON v.entry_seq = e.seq
    AND v.space_id = (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space')

WHERE e.kind = 'document';
CREATE VIEW memory_history AS
SELECT id, memory_id, field_changed, old_value, new_value, changed_at FROM history;
CREATE INDEX entry_by_project ON entry (project, kind);
CREATE INDEX entry_by_track_record
    ON entry (kind, category, observation_count, confidence, updated_at DESC, id, reach, project) WHERE retired = 0;
CREATE INDEX forgotten_by_owner ON forgotten (owner);
CREATE INDEX entry_alias_by_entry ON entry_alias (entry_seq);
CREATE TRIGGER vector_block_inserted AFTER INSERT ON vector BEGIN
    INSERT INTO vector_block (space_id, block, stamp) VALUES (NEW.space_id, NEW.entry_seq >> 10, random())
        ON CONFLICT (space_id, block) DO UPDATE SET stamp = excluded.stamp, packed = NULL; END;
CREATE TRIGGER vector_block_updated AFTER UPDATE ON vector BEGIN
    INSERT INTO vector_block (space_id, block, stamp)
        VALUES (OLD.space_id, OLD.entry_seq >> 10, random()), (NEW.space_id, NEW.entry_seq >> 10, random())
        ON CONFLICT (space_id, block) DO UPDATE SET stamp = excluded.stamp, packed = NULL; END;
CREATE TRIGGER vector_block_deleted AFTER DELETE ON vector BEGIN
    INSERT INTO vector_block (space_id, block, stamp) VALUES (OLD.space_id, OLD.entry_seq >> 10, random())
        ON CONFLICT (space_id, block) DO UPDATE SET stamp = excluded.stamp, packed = NULL; END;
CREATE UNIQUE INDEX entry_tally_by_group ON entry_tally (kind, ifnull(category, ''), reach, ifnull(project, ''));
CREATE TRIGGER entry_tally_inserted AFTER INSERT ON entry WHEN NEW.retired = 0 BEGIN
    INSERT INTO entry_tally (kind, category, reach, project, entries)
        VALUES (NEW.kind, NEW.category, NEW.reach, NEW.project, 1)
        ON CONFLICT (kind, ifnull(category, ''), reach, ifnull(project, ''))
        DO UPDATE SET entries = entries + excluded.entries; UPDATE entry_tally SET entries = entries - 1 WHERE kind = ''; END;
CREATE TRIGGER entry_tally_updated AFTER UPDATE OF kind, category, reach, project, retired ON entry BEGIN
    INSERT INTO entry_tally (kind, category, reach, project, entries)
        VALUES (OLD.kind, OLD.category, OLD.reach, OLD.project, -(OLD.retired = 0)),
            (NEW.kind, NEW.category, NEW.reach, NEW.project, NEW.retired = 0)
        ON CONFLICT (kind, ifnull(category, ''), reach, ifnull(project, ''))
        DO UPDATE SET entries = entries + excluded.entries; UPDATE entry_tally SET entries = entries + (OLD.retired = 0) - (NEW.retired = 0) WHERE kind = ''; END;
CREATE TRIGGER entry_tally_deleted AFTER DELETE ON entry WHEN OLD.retired = 0 BEGIN
    INSERT INTO entry_tally (kind, category, reach, project, entries)
        VALUES (OLD.kind, OLD.category, OLD.reach, OLD.project, -1)
        ON CONFLICT (kind, ifnull(category, ''), reach, ifnull(project, ''))
        DO UPDATE SET entries = entries + excluded.entries; UPDATE entry_tally SET entries = entries + 1 WHERE kind = ''; END;
CREATE INDEX entry_by_successor ON entry (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX proposal_by_newer ON proposal (newer_seq);
CREATE VIEW memories AS
SELECT e.id, t.description AS text,
    (SELECT v.vec FROM vector v WHERE v.entry_seq = e.seq
     ORDER BY v.space_id IS (SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = 'active_space') DESC, v.space_id DESC
     LIMIT 1) AS embedding,
    e.kind AS type, e.source_project AS project, e.workspace, e.branch,
    CAST(strftime('%s', e.updated_at) AS INTEGER) AS timestamp, t.file_path AS source_file, e.permanent
FROM entry e
JOIN entry_text t ON t.entry_seq = e.seq
WHERE e.kind IN ('decision', 'gotcha', 'preference', 'conversation');
CREATE INDEX receipt_by_session ON receipt (session_id);
CREATE INDEX receipt_entry_by_entry ON receipt_entry (entry_id);
