from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.domain.model.retro.banks import BankPlace, BankTexts


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
            UnreadableFileError: they can't be held or read.
        """
        ...

    def write(self, texts: BankTexts) -> Mapping[BankPlace, str]:
        """
        Write the files whose text differs from what was read, each whole or not at all; return their paths.

        All are looked at before the first is written.

        Raises:
            UnreadableFileError: one leads out of its folder, is read-only, was changed by somebody else since it was
                read, or can't be written.
        """
        ...

    def path(self, place: BankPlace) -> str:
        """Return the path of that file, there or not."""
        ...
