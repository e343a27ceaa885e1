from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.domain.model.retro.bank_edit import BankPlace, BankTexts


class BankFiles(Protocol):
    """The files of the project's knowledge bank and of the user's own, to be changed as a whole."""

    def texts(self) -> BankTexts:
        """
        Return the text of every file with its line ends as they are, empty where there is none.

        Raises:
            UnreadableFileError: one is there and can't be read as UTF-8 text.
        """
        ...

    def held(self) -> AbstractContextManager[BankTexts]:
        """
        Return a context in which nobody else of ours writes them, and their texts.

        Raises:
            UneditableFileError: they can't be held, or somebody else holds them for too long.
            UnreadableFileError: they can't be read.
        """
        ...

    def write(self, texts: BankTexts) -> None:
        """
        Write the files whose text differs from what was read: all of them, or when one can't be written none.

        A process that is killed within leaves each file whole, some of them written and the others as they were.

        Raises:
            UneditableFileError: one leads out of its folder, is read-only, was changed by somebody else since it was
                read, or can't be written; the message names it.
        """
        ...

    def path(self, place: BankPlace) -> str:
        """Return the path of that file, there or not."""
        ...
