"""What makes two states of an entry the same: every value that is stored of it, but for the indexes."""

import hashlib
from collections.abc import Mapping

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.where import where
from hardwon.domain.model.entry_filter import EntryFilter

KEYS: Mapping[str, str] = {
    "entry": "seq",
    "entry_text": "entry_seq",
    "recall": "entry_seq",
    "usage": "entry_seq",
    "influence": "entry_seq",
}
"""The tables that hold an entry, in the order in which they are filled, and the column of its number."""

SPACE_COLUMNS = "provider, model, dimensions, task_scheme, weights_hash"

VECTORS = f"""
    SELECT v.entry_seq, v.text_hash, v.vec, {SPACE_COLUMNS} FROM vector v JOIN space s ON s.id = v.space_id
    JOIN entry e ON e.seq = v.entry_seq WHERE {{within}} ORDER BY v.entry_seq, {SPACE_COLUMNS}
"""
"""By space, not by its number: that is another one in every store."""


def fingerprints(database: Database, only: EntryFilter) -> dict[int, str]:
    """Return for each entry of *only*, by number, the sha256 of all that is stored of it."""
    within = where(only)
    digests = dict[int, str]()
    for table, sql in (*((table, _rows_of(table)) for table in KEYS), ("vector", VECTORS)):
        for seq, *row in database.stream(sql.format(within=within.sql), within.parameters):
            stored = repr((digests.get(seq), table, row))
            digests[seq] = hashlib.sha256(stored.encode()).hexdigest()
    return digests


def _rows_of(table: str) -> str:
    """Return what selects the rows of *table* in an order of their own: by entry, then by the column after its number."""
    key = KEYS[table]
    return f"SELECT e.seq, x.* FROM entry e JOIN {table} x ON x.{key} = e.seq WHERE {{within}} ORDER BY 1, 3"
