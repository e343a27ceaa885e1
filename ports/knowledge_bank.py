from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.knowledge_bank import BankEntry
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
    category: Category
    project: str | None
    fingerprint: str
    size: int


class KnowledgeBank(Protocol):
    """The human-readable knowledge bank: the project's files first, then the user's own."""

    def files(self) -> Sequence[BankFile]:
        """Return the files that are there; one that can't be read is left out with a warning."""
        ...

    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        """Return the entries of *file* in order, None when it can't be read."""
        ...
