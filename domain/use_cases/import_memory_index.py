"""Bring the sessions of a `memory-index.json` into the store."""

from collections.abc import Iterable

import attrs

from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.feature_description import describe
from hardwon.domain.model.files.fields import read_fields
from hardwon.domain.model.files.markdown import MarkdownFile
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
        added, known, skipped = 0, 0, list[str]()
        with self.repository.transaction():
            for memory in memories:
                earlier = self.repository.with_file(memory.path)
                if earlier and earlier.kind != "session":
                    skipped.append(f"{memory.path!r} is kept as a {earlier.kind}: it stays as it is")
                    continue
                self._put(memory)
                added, known = added + (earlier is None), known + (earlier is not None)
        return ImportedIndex(added=added, known=known, skipped=tuple(skipped))

    def _put(self, memory: IndexedMemory) -> None:
        known = self.repository.with_file(memory.path)
        file = self._file(memory.path)
        mtime = memory.mtime if memory.mtime is not None else self._mtime(file)
        described = known.file_hash if known else file.file_hash if file and file.mtime == mtime else None
        try:
            entry = memory.to_session(_description(memory, file), mtime, described, known)
        except InvalidEntryError as error:
            raise InvalidEntryError(f"{memory.path!r}: {error}") from error
        self.repository.put(entry)

    def _file(self, path: str) -> MarkdownFile | None:
        try:
            return self.sources.read(path)
        except UnreadableFileError:
            return None

    def _mtime(self, file: MarkdownFile | None) -> int:
        return file.mtime if file else int(self.clock.now().timestamp())


def _description(memory: IndexedMemory, file: MarkdownFile | None) -> str:
    """Return what a memory is about, from its file when the index does not say, else from its labels."""
    labels = ", ".join(memory.keywords or memory.tags)
    return memory.description or (_said_by(file) if file else "") or labels or memory.filename


def _said_by(file: MarkdownFile) -> str:
    fields = read_fields(file.markdown.front_matter)
    return fields.description or describe(redact(file.markdown.body))
