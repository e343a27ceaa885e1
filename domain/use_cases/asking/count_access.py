"""Remember that entries were found or read (rule U-21)."""

import datetime as dt
from collections.abc import Iterable

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.ports.usage_log import UsageLog


def count_access(usage: UsageLog, entries: Iterable[Entry], at: dt.datetime) -> tuple[str, ...]:
    """Count one access of each of *entries*; a store that can't be written loses the count, which a line says."""
    numbers = [entry.number for entry in entries if entry.number is not None]
    try:
        if numbers:
            usage.record_access(numbers, at)
    except StorageError as error:
        return (f"access not counted: {error}",)
    return ()
