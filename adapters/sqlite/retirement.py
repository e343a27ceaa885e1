"""What is deprecated or has expired stays in the store and leaves every index."""

import datetime as dt
from collections.abc import Sequence

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.fts import drop_from_index
from hardwon.adapters.sqlite.moments import to_text
from hardwon.adapters.sqlite.versions import note_change


def retire_expired(database: Database, now: dt.datetime) -> int:
    """Take what has expired by *now* out of every index; return how many entries that were."""
    expired = _expired(database, now)
    if not expired:
        return 0
    with database.transaction():
        expired = _expired(database, now)  # another process may have been faster
        database.rows("UPDATE entry SET retired = 1 WHERE seq IN (SELECT value FROM json_each(?))", (in_list(expired),))
        for seq in expired:
            leave_indexes(database, seq)
        note_change(database)
    return len(expired)


def leave_indexes(database: Database, seq: int) -> None:
    """Take one entry out of every index."""
    drop_from_index(database, seq)
    database.rows("DELETE FROM vector WHERE entry_seq = ?", (seq,))


def _expired(database: Database, now: dt.datetime) -> Sequence[int]:
    rows = database.rows("SELECT seq FROM entry WHERE retired = 0 AND expires_at <= ?", (to_text(now),))
    return [seq for (seq,) in rows]
