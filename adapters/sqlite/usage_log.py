import datetime as dt
from collections.abc import Sequence

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, in_list
from hardwon.adapters.sqlite.moments import to_text
from hardwon.domain.model.importance.usage import Usage


class SqliteUsageLog:
    """
    The counters of searches and judgements in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """Count that each of *numbers* was found or loaded once more; never wait long for it."""
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
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

    def add(self, number: int, usage: Usage) -> None:
        """Count what another program has counted of an entry, on top."""
        last_accessed = to_text(usage.last_accessed) if usage.last_accessed else None
        self._database.rows(
            "INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count)"
            " SELECT seq, ?2, ?3, ?4, ?5 FROM entry WHERE seq = ?1"
            " ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + excluded.access_count,"
            " last_accessed = max(coalesce(last_accessed, excluded.last_accessed),"
            " coalesce(excluded.last_accessed, last_accessed)),"
            " validation_count = validation_count + excluded.validation_count,"
            " useful_count = useful_count + excluded.useful_count",
            (number, usage.access_count, last_accessed, *usage.validations),
        )
