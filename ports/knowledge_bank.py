"""The markdown files of a knowledge bank: as an import reads them, and as a retrospective writes them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from hardwon.domain.model.knowledge_bank import BankEntry
    from hardwon.domain.model.retro.bank_edit import BankPlace, Banks
    from hardwon.domain.model.vocabulary import Category


class BankFile(NamedTuple):
    """
    One markdown file of a knowledge bank.

    Attributes:
        path: Absolute, links resolved: the file's name in the ledger.
        category: The category of its entries.
        project: The project it belongs to, None for the user's own bank.
        fingerprint: Changes when the file does; taken without reading it.
        size: In bytes.

    """

    path: str
    category: "Category"
    project: str | None
    fingerprint: str
    size: int


class KnowledgeBank(Protocol):
    """The human-readable knowledge bank: the project's files first, then the user's own."""

    def files(self) -> Sequence[BankFile]:
        """Return the files that are there; one that can't be read is left out with a warning."""
        ...

    def read(self, file: BankFile) -> "Sequence[BankEntry] | None":
        """Return the entries of *file* in order, None when it can't be read."""
        ...


class BankFiles(Protocol):
    """The files of the project's knowledge bank and of the user's own, to be changed as a whole."""

    def banks(self) -> "Banks":
        """
        Return the lessons of all files.

        Raises:
            UnreadableFileError: one is there and can't be read as UTF-8 text.
        """
        ...

    def held(self) -> "AbstractContextManager[Banks]":
        """
        Return a context in which no other process of ours writes them, and their lessons.

        Raises:
            UneditableFileError: they can't be held, or another process holds them for too long.
            UnreadableFileError: they can't be read.
        """
        ...

    def write(self, banks: "Banks") -> None:
        """
        Write the files whose text differs from the one read: all of them, or none when one can't be written.

        A process that is killed within leaves each file whole, some of them written and the others as they were.

        Raises:
            UneditableFileError: one leads out of its folder, is read-only, was changed by another process since it
                was read, or can't be written; the message names it.
        """
        ...

    def path(self, place: "BankPlace") -> str:
        """Return the path of that file, there or not."""
        ...
