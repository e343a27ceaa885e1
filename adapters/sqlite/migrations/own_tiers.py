"""Version 6: which sections have a tier of their own."""

import sqlite3

from hardwon.adapters.sqlite.migrations.run import run

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
"""
Earlier, the tier of a section changed only when somebody changed that of this very section, or imported an index.

An import left no history: a tier that its file has not and never had was set for the section alone.
A tier that its file had before was left behind when that of the file changed.
"""


def keep_own_tiers(connection: sqlite3.Connection) -> None:
    """Let a section that was given a tier keep it when that of its file changes."""
    run(connection, OWN_TIERS)
