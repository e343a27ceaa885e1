"""The markdown files of a knowledge bank, for imports and retrospectives."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from hardwon.domain.model.knowledge_bank import BankFile

if TYPE_CHECKING:
    from hardwon.domain.model.knowledge_bank import BankEntry
    from hardwon.domain.model.retro.bank_edit import BankPlace, Banks


class KnowledgeBank(Protocol):
    """The knowledge banks to import, the project's first."""

    def files(self) -> Sequence[BankFile]:
        """
        Return the existing files.

        Those that can't be read are left out with a warning.
        """
        ...

    def read(self, file: BankFile) -> "Sequence[BankEntry] | None":
        """
        Return the entries of *file* in order.

        None if it can't be read or is conflicted.
        """
        ...


class BankFiles(Protocol):
    """The files of both banks, written together."""

    def banks(self) -> "Banks":
        """
        Return the lessons of all files.

        Raises:
            UnreadableFileError: an existing file can't be read as UTF-8 text, or is conflicted.
        """
        ...

    def held(self) -> "AbstractContextManager[Banks]":
        """
        Return a context that locks the files and gives their lessons.

        The lock is against other hardwon processes.

        Raises:
            UneditableFileError: they can't be locked, or another process holds the lock for too
                long.
            UnreadableFileError: they can't be read.
        """
        ...

    def write(self, banks: "Banks") -> None:
        """
        Write all files whose text differs from the one read, or none.

        None is written if one can't be. Each file is written atomically; a killed process may leave
        some written and others not.

        Raises:
            UneditableFileError: a file leads out of its folder, is read-only, was changed by
                another process since it was read, or can't be written; the message names it.
        """
        ...

    def path(self, place: "BankPlace") -> str:
        """Return the path of that file, which may not exist."""
        ...
