"""Version 6: which sections have a tier of their own."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run

OWN_TIERS = """
ALTER TABLE entry_text ADD COLUMN own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1));
ALTER TABLE departed ADD COLUMN own_tier INTEGER NOT NULL DEFAULT 0 CHECK (own_tier IN (0, 1));
UPDATE entry_text SET own_tier = 1 WHERE anchor_id != '' AND entry_seq IN
    (SELECT memory_id FROM history WHERE field_changed = 'importance_tier');
"""
"""Earlier, the tier of a section changed only when somebody changed that of this very section."""


def keep_own_tiers(connection: sqlite3.Connection) -> None:
    """Let a section that was given a tier keep it when that of its file changes."""
    run(connection, OWN_TIERS)
