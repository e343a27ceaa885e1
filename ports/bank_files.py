from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.domain.model.retro.bank_edit import BankPlace, Banks


class BankFiles(Protocol):
    """The files of the project's knowledge bank and of the user's own, to be changed as a whole."""

    def banks(self) -> Banks:
        """
        Return the lessons of all files.

        Raises:
            UnreadableFileError: one is there and can't be read as UTF-8 text.
        """
        ...

    def held(self) -> AbstractContextManager[Banks]:
        """
        Return a context in which no other process of ours writes them, and their lessons.

        Raises:
            UneditableFileError: they can't be held, or another process holds them for too long.
            UnreadableFileError: they can't be read.
        """
        ...

    def write(self, banks: Banks) -> None:
        """
        Write the files whose text differs from the one read: all of them, or none when one can't be written.

        A process that is killed within leaves each file whole, some of them written and the others as they were.

        Raises:
            UneditableFileError: one leads out of its folder, is read-only, was changed by another process since it
                was read, or can't be written; the message names it.
        """
        ...

    def path(self, place: BankPlace) -> str:
        """Return the path of that file, there or not."""
        ...
