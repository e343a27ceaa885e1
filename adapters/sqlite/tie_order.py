from collections.abc import Iterable

from hardwon.adapters.sqlite.database import Database, in_list


def in_tie_order(database: Database, seqs: Iterable[int]) -> list[int]:
    """Return *seqs*, the newest first, then by id."""
    rows = database.rows(
        "SELECT e.seq FROM json_each(?) wanted CROSS JOIN entry e ON e.seq = wanted.value"
        " ORDER BY e.updated_at DESC, e.id",
        (in_list(seqs),),
    )
    return [seq for (seq,) in rows]
