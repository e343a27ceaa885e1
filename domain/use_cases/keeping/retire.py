"""Nothing that has expired may be ranked."""

import datetime as dt

from hardwon.domain.model.errors import StorageError
from hardwon.ports.entry_repository import EntryRepository


def retire_expired(repository: EntryRepository, now: dt.datetime) -> tuple[str, ...]:
    """Take what has expired by *now* out of every index; return why that was not possible in a line, none if it was."""
    try:
        repository.retire_expired(now)
    except StorageError as error:
        return (f"what has expired is still found: {error}",)
    return ()
