"""The texts that a user had forgotten: recognised when they come back, without being kept."""

import datetime as dt
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hardwon.domain.model.errors import ForgottenError

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class ForgottenHashes(NamedTuple):
    """
    All that a store keeps of forgotten texts, for a copy of it.

    Attributes:
        keys: Of the hashes, 32 bytes each; a store that was copied into another one left its own there.
        rows: The hashes of a passage and of its owner, 16 bytes each, and the time.

    """

    keys: tuple[bytes, ...] = ()
    rows: tuple[tuple[bytes, bytes, dt.datetime], ...] = ()


class ForgottenTexts(Protocol):
    """
    Keyed hashes of forgotten texts; the keys leave the store in copies of it only.

    Every write of an entry asks it, and so does whatever writes text to a file.
    """

    def add(self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()) -> None:
        """
        Recognise *texts* from now on.

        Args:
            owner: The id of the entry, or the words, by which `lift` finds them.
            texts: Of an entry, an exchange or a section.
            at: The time.
            words: Words that the user wanted to be forgotten; empty for the texts themselves.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def holds(self, texts: Iterable[str]) -> bool:
        """Return whether any of *texts* is forgotten, or a paragraph of it; reads none of them when nothing is."""
        ...

    def without(self, text: str) -> str:
        """Return *text* without its forgotten paragraphs; empty if it is forgotten as a whole."""
        ...

    def lift(self, owner: str) -> bool:
        """
        Stop recognising what was added for *owner*; return whether there was anything.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def ensure_not_forgotten(self, entry: "Entry") -> None:
        """
        Check that no text of *entry* was forgotten.

        Raises:
            ForgottenError: one was.
        """
        from hardwon.domain.model.forgotten import texts_of  # noqa: PLC0415  # rarely needed

        if self.holds(texts_of(entry)):
            raise ForgottenError(entry.entry_id)

    def hashes(self) -> ForgottenHashes:
        """Return all hashes, and their keys."""
        ...

    def adopt(self, hashes: ForgottenHashes) -> None:
        """
        Recognise what another store recognises, too; idempotent.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
