"""Bring the sessions of a `memory-index.json` into the store."""

from collections.abc import Iterable
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.feature_description import describe
from hardwon.domain.model.files.fields import read_fields
from hardwon.domain.model.files.markdown import ENDING
from hardwon.domain.model.files.memory_index import IndexedMemory
from hardwon.domain.model.redaction import redact
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.source_files import SourceFiles


@attrs.frozen(kw_only=True)
class ImportedIndex:
    """
    The outcome.

    Attributes:
        added: Sessions that are new in the store.
        known: Sessions that were there, now as the index has them.
        skipped: Memories left as they are and why, one line each.

    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()


class _Said(NamedTuple):
    """What is wanted of a file: its text need not be held."""

    description: str
    mtime: int
    file_hash: str


@attrs.frozen(kw_only=True)
class ImportMemoryIndex:
    """Make a session of each memory, all or none."""

    sources: SourceFiles
    repository: EntryRepository
    clock: Clock

    def __call__(self, memories: Iterable[IndexedMemory]) -> ImportedIndex:
        """
        Put what *memories* say in place of what the store says of those sessions.

        Raises:
            InvalidEntryError: one can't be kept; nothing was changed.
            StorageError: the store can't be written now; nothing was changed.

        """
        told = [(memory, self._said_by_file_of(memory)) for memory in memories]  # nobody waits while files are read
        added, known, skipped = 0, 0, list[str]()
        with self.repository.transaction():
            for memory, said in told:
                earlier = self.repository.with_file(memory.path)
                if earlier and earlier.kind != "session":
                    skipped.append(f"{memory.path!r} is kept as a {earlier.kind}: it stays as it is")
                    continue
                self._put(memory, said, earlier)
                added, known = added + (earlier is None), known + (earlier is not None)
        return ImportedIndex(added=added, known=known, skipped=tuple(skipped))

    def _put(self, memory: IndexedMemory, said: _Said | None, known: Entry | None) -> None:
        mtime = memory.mtime if memory.mtime is not None else self._mtime(said)
        described = known.file_hash if known else said.file_hash if said and said.mtime == mtime else None
        try:
            entry = memory.to_session(_description(memory, said), mtime, described, known)
        except InvalidEntryError as error:
            raise InvalidEntryError(f"{memory.path!r}: {error}") from error
        self.repository.put(entry)

    def _said_by_file_of(self, memory: IndexedMemory) -> _Said | None:
        """Return what the file of *memory* says, None when it can't be read; an index has no say over other files."""
        if not _is_markdown(memory):
            return None
        try:
            file = self.sources.read(memory.path)
        except UnreadableFileError:
            return None
        fields = read_fields(file.markdown.front_matter)
        return _Said(fields.description or describe(redact(file.markdown.body)), file.mtime, file.file_hash)

    def _mtime(self, said: _Said | None) -> int:
        return said.mtime if said else int(self.clock.now().timestamp())


def _description(memory: IndexedMemory, said: _Said | None) -> str:
    """Return what a memory is about, from its file when the index does not say, else from its labels."""
    labels = ", ".join(memory.keywords or memory.tags)
    description = memory.description or (said.description if said else "") or labels
    if not description and not _is_markdown(memory):
        raise InvalidEntryError(f"nothing says what it is about, and only files named *{ENDING} are read: describe it")
    return description or memory.filename


def _is_markdown(memory: IndexedMemory) -> bool:
    return memory.path.lower().endswith(ENDING)
