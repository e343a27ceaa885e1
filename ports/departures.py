import datetime as dt
from typing import Protocol

from hardwon.domain.model.importance.standing import Departed

LONGEST_ABSENCE = dt.timedelta(days=90)
"""A file that is away for longer comes back as a new one."""


class Departures(Protocol):
    """Remembers what stood for files that are gone: a change of branch brings them back, a move under another path."""

    def keep(self, departed: Departed, at: dt.datetime) -> None:
        """
        Remember *departed*, in place of what is known of that path; forget what left `LONGEST_ABSENCE` before *at*.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def of(self, file_path: str, file_hash: str) -> Departed | None:
        """
        Return what a file that appears may have been; None for a new one.

        That is the file of that path, whatever it said, else the one that went
        last, then the first by path, of those that were of that hash as a whole.
        """
        ...

    def forget(self, file_path: str) -> None:
        """
        Forget the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
