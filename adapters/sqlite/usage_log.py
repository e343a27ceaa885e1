import datetime as dt
from collections.abc import Sequence

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.moments import to_text


class SqliteUsageLog:
    """
    The counters of searches and judgements in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """Count that each of *numbers* was found or loaded once more."""
        self._database.rows(
            "INSERT INTO usage (entry_seq, access_count, last_accessed)"
            " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
            " ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + 1,"
            " last_accessed = excluded.last_accessed",
            (in_list(numbers), to_text(at)),
        )

    def record_validation(self, number: int, *, useful: bool) -> None:
        """Count one more judgement of an entry."""
        self._database.rows(
            "INSERT INTO usage (entry_seq, validation_count, useful_count) SELECT seq, 1, ?2 FROM entry WHERE seq = ?1"
            " ON CONFLICT (entry_seq) DO UPDATE SET validation_count = validation_count + 1,"
            " useful_count = useful_count + excluded.useful_count",
            (number, useful),
        )
