"""
The store's tables, as numbered migrations; a migration that was released is never edited.

`entry` is narrow and hot: what ranking reads. Texts, counters and vectors have tables
of their own, so that counting a recall rewrites nothing else and a scan of facts never
touches a vector's page. `entries` and `memories` are views with the customer's column names.
"""

import sqlite3
from collections.abc import Callable

from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError

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


def _run(connection: sqlite3.Connection, *scripts: str) -> None:
    for script in scripts:
        for statement in filter(str.strip, script.split(";\n")):
            connection.execute(statement)


def _create(connection: sqlite3.Connection) -> None:
    _run(connection, ENTRY_TABLES, VECTOR_TABLES, LEDGER_AND_METADATA, ENTRIES_VIEW)


def _keep_files(connection: sqlite3.Connection) -> None:
    connection.create_function("word_count", 4, lambda *texts: len(" ".join(texts).split()))
    _run(connection, ENTRIES_OF_FILES, VIEWS)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create, _keep_files)
"""Migration *n* (from 1) brings a store of version *n - 1* to version *n*."""


def schema_version(connection: sqlite3.Connection) -> int:
    """
    Return the version of the store, 0 for an empty file.

    Raises:
        CorruptStoreError: what stands there is no number.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = '_metadata'").fetchone():
        return 0
    row = connection.execute("SELECT value FROM _metadata WHERE key = 'schema_version'").fetchone()
    if not row:
        return 0
    if not row[0].isdecimal():
        raise CorruptStoreError(f"the store's schema version is {row[0]!r}, no number, run: hardwon doctor --repair")
    return int(row[0])


def refuse_newer(connection: sqlite3.Connection) -> None:
    """
    Check that this program knows the store's schema; nothing is changed.

    Raises:
        NewerSchemaError: a later hardwon wrote it.
    """
    newest = len(MIGRATIONS)
    if (found := schema_version(connection)) > newest:
        raise NewerSchemaError(
            f"the store has schema version {found}, this hardwon knows {newest}: upgrade hardwon, nothing was changed"
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the store to the newest version, one transaction a step; nothing to do when it is there."""
    while schema_version(connection) < len(MIGRATIONS):
        _step(connection)


def _step(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_version(connection)
        if version < len(MIGRATIONS):  # another process may have been faster
            MIGRATIONS[version](connection)
            connection.execute(
                "INSERT INTO _metadata VALUES ('schema_version', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                (str(version + 1),),
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise
