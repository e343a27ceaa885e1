"""
Places where texts are kept and erased, and the forgotten texts.

The journal of an unfinished run is here, too.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from hardwon.domain.model.erasure import Erasure


class Occurrences(NamedTuple):
    """
    Occurrences of texts to forget in one place.

    Attributes:
        place: A path, or a path and a table.
        number: The number of rows, lines, sections or files, at least 1.
        noun: For what is counted, in the singular.
    """

    place: str
    number: int
    noun: str


class OwnedText(NamedTuple):
    """
    A text that is forgotten.

    Attributes:
        owner: The id of its entry or section, empty without one.
        text: Of an entry, a section or an exchange.
        is_identity: Whether the text alone identifies it; a reason or a note may be that of other
            entries too.
    """

    owner: str
    text: str
    is_identity: bool = True


class ErasurePlace(Protocol):
    """One of the places where texts are kept."""

    def found(self, erasure: "Erasure") -> Sequence[Occurrences]:
        """
        Return what `erase` would remove, without any change.

        Raises:
            HardwonError: the place can't be read.
        """
        ...

    def texts(self, erasure: "Erasure") -> Iterable[OwnedText]:
        """
        Return the texts that `erase` removes.

        By these they are recognised later.

        Raises:
            HardwonError: the place can't be read.
        """
        ...

    def erase(self, erasure: "Erasure") -> None:
        """
        Remove all that holds any of *erasure*.

        Idempotent, so that an interrupted run is repeated.

        Raises:
            HardwonError: the place can't be written; the message names it.
        """
        ...

    def secrets(self) -> Sequence[Occurrences]:
        """
        Return what `redact` would change.

        Raises:
            HardwonError: the place can't be read.
        """
        ...

    def redact(self) -> None:
        """
        Redact all that was kept before, by the rules of today.

        Idempotent.

        Raises:
            HardwonError: the place can't be written; the message names it.
        """
        ...


class StoreTexts(Protocol):
    """The texts of all entries, searched in all spellings."""

    def ids_holding(self, erasure: "Erasure") -> Sequence[str]:
        """
        Return the ids of the entries that hold any of *erasure*.

        They hold it in a text, a label or the path of their file.

        Raises:
            StorageError: the store can't be read.
        """
        ...

    def unused(self, texts: Iterable[str], forgotten: Iterable[str]) -> set[str]:
        """
        Return those of *texts* that only the entries *forgotten* hold.

        Args:
            texts: Folded.
            forgotten: The ids of entries.

        Raises:
            StorageError: the store can't be read.
        """
        ...

    def traces(self, words: Iterable[str]) -> Sequence[str]:
        """
        Return a line for each file with traces of *words*.

        A trace is in the bytes of the file, but in no row.

        Args:
            words: Folded, at least 6 characters each.

        Raises:
            StorageError: the store can't be read.
        """
        ...


class ErasableRows(ErasurePlace, StoreTexts, Protocol):
    """The rows of a store, as a place of texts."""


class KeptElsewhere(Protocol):
    """
    Places that hardwon may not change.

    They are files of the user, git's history, and transcripts of agents.
    """

    def holding(self, erasure: "Erasure", files: Iterable[str]) -> Sequence[str]:
        """
        Return a line for each place that holds any of *erasure*.

        Also for places that may hold earlier texts of *files*.

        Args:
            erasure: The texts and ids.
            files: Paths of files in which they stood.
        """
        ...


class ErasureProof(Protocol):
    """The bytes of all files that hardwon keeps."""

    def remains(self, erasure: "Erasure") -> Sequence[str]:
        """
        Return a line for each file that still holds *erasure*.

        The line says what it holds.
        """
        ...

    def searched(self) -> int:
        """Return the number of files that `remains` reads."""
        ...


class BegunErasure(NamedTuple):
    """
    A run of `hardwon forget`.

    Attributes:
        erasure: The texts and ids.
        wanted: The text that the user gave, empty without one.
        words: The words of the forgotten entries, folded.
        files: The paths of files in which they stood.
        keeps_banks: Whether the knowledge banks are unchanged.
        folders: The folders that are searched; when the run is completed, the store may not know
            them any more.
    """

    erasure: "Erasure"
    wanted: str
    words: tuple[str, ...]
    files: tuple[str, ...]
    keeps_banks: bool
    folders: tuple[str, ...] = ()


class ErasureJournal(Protocol):
    """The unfinished run, which the next one completes after a crash."""

    def begin(self, run: BegunErasure) -> None:
        """
        Write *run* before anything is changed.

        Only its owner can read it.

        Raises:
            StorageError: it can't be written.
        """
        ...

    def unfinished(self) -> BegunErasure | None:
        """
        Return the unfinished run, None without one.

        None also for a journal that can't be read.
        """
        ...

    def end(self) -> None:
        """Overwrite and remove the journal (idempotent)."""
        ...


class ForgottenHashes(NamedTuple):
    """
    The hashes of a store's forgotten texts, for a copy of it.

    Attributes:
        keys: Of the hashes, 32 bytes each; a store that was copied into another one left its own
            there.
        rows: The hashes of a passage and of its owner, 16 bytes each, and the time.
    """

    keys: tuple[bytes, ...] = ()
    rows: tuple[tuple[bytes, bytes, dt.datetime], ...] = ()


class ForgottenTexts(Protocol):
    """
    Keyed hashes of forgotten texts.

    The keys leave the store in copies of it only. Every write of an entry checks them, and so does
    every write of text to a file.
    """

    def add(
        self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()
    ) -> None:
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
        """
        Return whether any of *texts*, or a paragraph of it, is forgotten.

        Reads none of them when nothing is.
        """
        ...

    def without(self, text: str) -> str:
        """
        Return *text* without its forgotten paragraphs.

        It is empty if the whole text is forgotten.
        """
        ...

    def lift(self, owner: str) -> bool:
        """
        Stop recognising the texts of *owner*, and return whether there were any.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def hashes(self) -> ForgottenHashes:
        """Return all hashes, and their keys."""
        ...

    def adopt(self, hashes: ForgottenHashes) -> None:
        """
        Recognise the forgotten texts of another store, too (idempotent).

        Raises:
            StorageError: the store can't be written now.
        """
        ...
