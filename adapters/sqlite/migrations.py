"""
The schema as numbered migrations.

`to_version_n` brings a store of version *n - 1* to version *n*. A released migration is
never edited.
"""

import sqlite3
from collections.abc import Callable


def run_scripts(connection: sqlite3.Connection, *scripts: str) -> None:
    """
    Run the statements of *scripts* within the open transaction.

    Each statement ends at the end of a line.
    """
    for script in scripts:
        for statement in filter(str.strip, script.split(";\n")):
            connection.execute(statement)


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


def to_version_1(connection: sqlite3.Connection) -> None:
    """Create the tables of a new store."""
    run_scripts(connection, ENTRY_TABLES, VECTOR_TABLES, LEDGER_AND_METADATA, ENTRIES_VIEW)


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


def to_version_2(connection: sqlite3.Connection) -> None:
    """Let an entry stand for a file."""
    connection.create_function("word_count", 4, lambda *texts: len(" ".join(texts).split()))
    run_scripts(connection, ENTRIES_OF_FILES, VIEWS)


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


def to_version_3(connection: sqlite3.Connection) -> None:
    """Add importance, sections, history and checkpoints."""
    run_scripts(connection, IMPORTANCE, SECTIONS, RECORDS, VIEWS, VIEWS_OF_DOCUMENTS)


RECEIPTS = """
CREATE TABLE receipt (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    event TEXT NOT NULL CHECK (event IN ('start', 'prompt')),
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    query TEXT,
    space TEXT,
    policy TEXT NOT NULL,
    digest TEXT NOT NULL,
    frame TEXT NOT NULL CHECK (json_valid(frame)),
    missed TEXT NOT NULL CHECK (json_valid(missed))
);
CREATE INDEX receipt_by_session ON receipt (session_id);
CREATE INDEX entry_text_by_session ON entry_text (session_id) WHERE session_id IS NOT NULL;
CREATE TABLE receipt_entry (
    receipt_number INTEGER NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('lesson', 'note', 'conversation')),
    digest TEXT NOT NULL,
    score REAL,
    parts TEXT NOT NULL CHECK (json_valid(parts)),
    room INTEGER NOT NULL,
    PRIMARY KEY (receipt_number, place)
) WITHOUT ROWID;
CREATE INDEX receipt_entry_by_entry ON receipt_entry (entry_id);
CREATE TABLE influence (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    how TEXT NOT NULL CHECK (how IN ('answer', 'edit', 'validation')),
    phrase TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (entry_seq, session_id)
) WITHOUT ROWID;
CREATE INDEX influence_by_session ON influence (session_id);
"""
"""Receipts refer to entries by id, as they outlive them."""


def to_version_4(connection: sqlite3.Connection) -> None:
    """Add receipts of injections and usage signals."""
    run_scripts(connection, RECEIPTS)


def to_version_5(connection: sqlite3.Connection) -> None:
    """
    Add the text of the keyword search to receipts.

    NULL if it is the query.
    """
    run_scripts(connection, "ALTER TABLE receipt ADD COLUMN keyword_text TEXT;")


OWN_TIERS = """
ALTER TABLE entry_text ADD COLUMN own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1));
ALTER TABLE departed ADD COLUMN own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1));
UPDATE entry_text SET own_tier = 1 WHERE anchor_id != '' AND entry_seq IN
    (SELECT memory_id FROM history WHERE field_changed = 'importance_tier');
UPDATE entry_text SET own_tier = 1 WHERE anchor_id != '' AND EXISTS
    (SELECT 1 FROM entry section, entry whole JOIN entry_text file ON file.entry_seq = whole.seq
    WHERE section.seq = entry_text.entry_seq AND file.file_path = entry_text.file_path AND file.anchor_id = ''
    AND whole.tier != section.tier AND NOT EXISTS (SELECT 1 FROM history
        WHERE memory_id = whole.seq AND field_changed = 'importance_tier' AND old_value = section.tier));
UPDATE departed SET own_tier = 1 WHERE anchor_id != '' AND tier !=
    (SELECT tier FROM departed whole WHERE whole.file_path = departed.file_path AND whole.anchor_id = '');
"""
"""Restores which sections had a tier of their own."""


def to_version_6(connection: sqlite3.Connection) -> None:
    """Add the flag of sections with a tier of their own."""
    run_scripts(connection, OWN_TIERS)


PROJECTS = """
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
);
CREATE TABLE trusted_folder (
    path TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE entry_place (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    project TEXT NOT NULL,
    PRIMARY KEY (entry_seq, project)
) WITHOUT ROWID;
DROP VIEW entries;
DROP VIEW memories;
DROP VIEW memory_index;
DROP VIEW memory_history;
ALTER TABLE entry RENAME COLUMN project TO source_project;
ALTER TABLE entry ADD COLUMN project TEXT;
ALTER TABLE entry ADD COLUMN reach TEXT NOT NULL DEFAULT 'shared' CHECK (reach IN ('everywhere', 'shared', 'home'));
ALTER TABLE entry_text ADD COLUMN door TEXT;
ALTER TABLE receipt_entry ADD COLUMN origin TEXT NOT NULL DEFAULT '';
DROP INDEX entry_by_track_record;
"""

INDEXES_OF_PROJECTS = """
CREATE INDEX entry_by_project ON entry (project, kind);
CREATE INDEX entry_by_track_record
    ON entry (kind, category, observation_count, confidence, updated_at DESC, id, reach, project) WHERE retired = 0;
"""

VIEWS_WITH_LABELS = VIEWS.replace("e.project AS source_project", "e.source_project").replace(
    "e.kind AS type, e.project,", "e.kind AS type, e.source_project AS project,"
)


def to_version_7(connection: sqlite3.Connection) -> None:
    """Add projects, and the places of entries."""
    from hardwon.adapters.sqlite.migrate_projects import move_to_projects  # noqa: PLC0415  # once for a store

    run_scripts(connection, PROJECTS, VIEWS_WITH_LABELS, VIEWS_OF_DOCUMENTS)
    move_to_projects(connection)
    run_scripts(connection, INDEXES_OF_PROJECTS)


FORGETTING = """
CREATE TABLE forgotten (
    tag BLOB NOT NULL,
    owner BLOB NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tag, owner)
) WITHOUT ROWID;
CREATE INDEX forgotten_by_owner ON forgotten (owner);
CREATE TABLE entry_alias (
    entry_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    old_id TEXT PRIMARY KEY
);
CREATE INDEX entry_alias_by_entry ON entry_alias (entry_seq);
ALTER TABLE project ADD COLUMN conversations TEXT CHECK (conversations IN ('shared', 'private', 'off'));
"""


def to_version_8(connection: sqlite3.Connection) -> None:
    """Add forgotten texts, earlier ids of entries, and modes of conversations."""
    run_scripts(connection, FORGETTING)
    indexes = "SELECT name FROM sqlite_master WHERE name IN ('entries_fts', 'passages_fts')"
    for (name,) in connection.execute(indexes).fetchall():
        if sqlite3.sqlite_version_info >= (3, 42):
            connection.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1)")
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('rebuild')")


def to_version_9(connection: sqlite3.Connection) -> None:
    """Add to receipts whether the injection reached the model."""
    run_scripts(
        connection,
        "ALTER TABLE receipt ADD COLUMN delivery TEXT NOT NULL DEFAULT 'printed'"
        " CHECK (delivery IN ('printed', 'awaited', 'missed', 'delivered'));",
    )


VECTOR_BLOCKS = """
CREATE TABLE vector_block (
    space_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    packed BLOB,
    PRIMARY KEY (space_id, block)
);
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
"""
"""Stamps are random, as a failed transaction would already have used the next number."""

QUERY_VECTORS = """
CREATE TABLE query_vector (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    checksum INTEGER NOT NULL,
    vec BLOB NOT NULL
);
"""


def to_version_10(connection: sqlite3.Connection) -> None:
    """
    Add packed vectors and cached vectors of queries.

    Triggers keep the packed vectors up to date. Both are filled as they are used.
    """
    run_scripts(connection, VECTOR_BLOCKS, QUERY_VECTORS)


ENTRY_TALLY = """
CREATE TABLE entry_tally (
    kind TEXT NOT NULL,
    category TEXT,
    reach TEXT NOT NULL,
    project TEXT,
    entries INTEGER NOT NULL
);
CREATE UNIQUE INDEX entry_tally_by_group ON entry_tally (kind, ifnull(category, ''), reach, ifnull(project, ''));
INSERT INTO entry_tally (kind, category, reach, project, entries)
    SELECT kind, category, reach, project, count(*) FROM entry WHERE retired = 0 GROUP BY kind, category, reach, project;
INSERT INTO entry_tally (kind, reach, entries) SELECT '', '', -coalesce(sum(entries), 0) FROM entry_tally;
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
"""
"""
The row without a kind has the negative sum of all others.

Triggers do not make it again, so that a loss of rows is noticed.
"""


def to_version_11(connection: sqlite3.Connection) -> None:
    """Add the number of entries in each group, kept by triggers."""
    run_scripts(connection, ENTRY_TALLY)


POSTINGS = """
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
"""


def to_version_12(connection: sqlite3.Connection) -> None:
    """Add packed postings, filled as stores are closed."""
    run_scripts(connection, POSTINGS)


SUPERSESSION = """
ALTER TABLE entry ADD COLUMN superseded_by TEXT;
CREATE INDEX entry_by_successor ON entry (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE proposal (
    older_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    newer_seq INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    rejected INTEGER NOT NULL DEFAULT 0 CHECK (rejected IN (0, 1)),
    PRIMARY KEY (older_seq, newer_seq),
    CHECK (older_seq != newer_seq)
) WITHOUT ROWID;
CREATE INDEX proposal_by_newer ON proposal (newer_seq);
"""


def to_version_13(connection: sqlite3.Connection) -> None:
    """Let a learning supersede another one, and keep proposals of such pairs."""
    run_scripts(connection, SUPERSESSION)


def to_version_14(connection: sqlite3.Connection) -> None:
    """Unite the spellings of a lesson in one entry."""
    from hardwon.adapters.sqlite.migrate_spellings import unite_spellings  # noqa: PLC0415  # once for a store

    unite_spellings(connection)


CONTEXT_WINDOWS = """
ALTER TABLE receipt ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE receipt ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1));
ALTER TABLE receipt ADD COLUMN latest INTEGER NOT NULL DEFAULT 9223372036854775807;
"""
"""
By default nothing is new since an earlier receipt.

The largest number of its store at that time is not known.
"""


def to_version_15(connection: sqlite3.Connection) -> None:
    """Add to receipts the agent, and whether the host dropped the injection."""
    run_scripts(connection, CONTEXT_WINDOWS)


MEMORIES_WITH_ANY_VECTOR = """
DROP VIEW memories;
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
"""


def to_version_16(connection: sqlite3.Connection) -> None:
    """Show a vector for each conversation."""
    run_scripts(connection, MEMORIES_WITH_ANY_VECTOR)


MOMENTS = """
CREATE TABLE receipt_of_moment (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    event TEXT NOT NULL CHECK (event IN ('start', 'prompt', 'failure', 'file', 'edit', 'subagent')),
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
);
INSERT INTO receipt_of_moment (
    number, session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text, delivery, agent,
    dropped, latest
) SELECT
    number, session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text, delivery, agent,
    dropped, latest
FROM receipt;
CREATE TABLE receipt_entry_of_moment (
    receipt_number INTEGER NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('lesson', 'note', 'conversation', 'memory')),
    digest TEXT NOT NULL,
    score REAL,
    parts TEXT NOT NULL CHECK (json_valid(parts)),
    room INTEGER NOT NULL,
    origin TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (receipt_number, place)
) WITHOUT ROWID;
INSERT INTO receipt_entry_of_moment (receipt_number, place, entry_id, form, digest, score, parts, room, origin)
SELECT receipt_number, place, entry_id, form, digest, score, parts, room, origin FROM receipt_entry;
DELETE FROM sqlite_sequence WHERE name = 'receipt_of_moment';
INSERT INTO sqlite_sequence (name, seq) SELECT 'receipt_of_moment', seq FROM sqlite_sequence WHERE name = 'receipt';
DROP TABLE receipt_entry;
DROP TABLE receipt;
ALTER TABLE receipt_of_moment RENAME TO receipt;
ALTER TABLE receipt_entry_of_moment RENAME TO receipt_entry;
CREATE INDEX receipt_by_session ON receipt (session_id);
CREATE INDEX receipt_entry_by_entry ON receipt_entry (entry_id);
"""


def to_version_17(connection: sqlite3.Connection) -> None:
    """Let a receipt be of a moment."""
    run_scripts(connection, MOMENTS)


ASKS = """
CREATE TABLE receipt_with_asks (
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
);
INSERT INTO receipt_with_asks (
    number, session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text, delivery, agent,
    dropped, latest, signature
) SELECT
    number, session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text, delivery, agent,
    dropped, latest, signature
FROM receipt;
CREATE TABLE receipt_entry_with_asks (
    receipt_number INTEGER NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('lesson', 'note', 'conversation', 'memory')),
    digest TEXT NOT NULL,
    score REAL,
    parts TEXT NOT NULL CHECK (json_valid(parts)),
    room INTEGER NOT NULL,
    origin TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (receipt_number, place)
) WITHOUT ROWID;
INSERT INTO receipt_entry_with_asks (receipt_number, place, entry_id, form, digest, score, parts, room, origin)
SELECT receipt_number, place, entry_id, form, digest, score, parts, room, origin FROM receipt_entry;
DELETE FROM sqlite_sequence WHERE name = 'receipt_with_asks';
INSERT INTO sqlite_sequence (name, seq) SELECT 'receipt_with_asks', seq FROM sqlite_sequence WHERE name = 'receipt';
DROP TABLE receipt_entry;
DROP TABLE receipt;
ALTER TABLE receipt_with_asks RENAME TO receipt;
ALTER TABLE receipt_entry_with_asks RENAME TO receipt_entry;
CREATE INDEX receipt_by_session ON receipt (session_id);
CREATE INDEX receipt_entry_by_entry ON receipt_entry (entry_id);
"""


def to_version_18(connection: sqlite3.Connection) -> None:
    """Let a receipt be of a question to the agent."""
    run_scripts(connection, ASKS)


OUTCOMES = """
ALTER TABLE receipt ADD COLUMN outcome TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(outcome));
ALTER TABLE receipt_entry ADD COLUMN is_rejected INTEGER NOT NULL DEFAULT 0 CHECK (is_rejected IN (0, 1));
"""


def to_version_19(connection: sqlite3.Connection) -> None:
    """Keep the outcome of a moment with its receipt."""
    run_scripts(connection, OUTCOMES)


CITATIONS = """
ALTER TABLE entry ADD COLUMN is_gone INTEGER NOT NULL DEFAULT 0 CHECK (is_gone IN (0, 1));
ALTER TABLE entry_text ADD COLUMN citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations));
ALTER TABLE receipt_entry ADD COLUMN warning TEXT NOT NULL DEFAULT '';
"""


def to_version_20(connection: sqlite3.Connection) -> None:
    """Let entries keep the state of the files that they cite."""
    run_scripts(connection, CITATIONS)


ARMS = """
ALTER TABLE receipt ADD COLUMN arm TEXT NOT NULL DEFAULT '' CHECK (arm IN ('', 'shown', 'withheld'));
"""


def to_version_21(connection: sqlite3.Connection) -> None:
    """Add to receipts whether a trial showed or withheld the injection."""
    run_scripts(connection, ARMS)


TALLIED_COLUMNS = """
CREATE INDEX entry_by_kind ON entry (kind, category, confidence);
CREATE INDEX entry_by_label ON entry (source_project);
CREATE INDEX entry_text_by_source ON entry_text (source);
"""


def to_version_22(connection: sqlite3.Connection) -> None:
    """Add the indexes by which statistics are counted."""
    run_scripts(connection, TALLIED_COLUMNS)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    to_version_1,
    to_version_2,
    to_version_3,
    to_version_4,
    to_version_5,
    to_version_6,
    to_version_7,
    to_version_8,
    to_version_9,
    to_version_10,
    to_version_11,
    to_version_12,
    to_version_13,
    to_version_14,
    to_version_15,
    to_version_16,
    to_version_17,
    to_version_18,
    to_version_19,
    to_version_20,
    to_version_21,
    to_version_22,
)
