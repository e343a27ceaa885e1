"""The texts that a user had forgotten: recognised when they come back, without being kept."""

import datetime as dt
from collections.abc import Iterable
from typing import Protocol


class ForgottenTexts(Protocol):
    """
    Keyed hashes of forgotten texts; the key never leaves the store.

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
