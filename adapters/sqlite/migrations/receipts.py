"""Version 4: what was injected, and what of it was of use."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run

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
"""Receipts speak of entries by id: they outlive them. Every prompt leaves out what its own session has left."""


def keep_receipts(connection: sqlite3.Connection) -> None:
    """Remember what was injected, and what of it was used."""
    run(connection, RECEIPTS)
