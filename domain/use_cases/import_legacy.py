"""
Import older indexes.

They bring the sessions of a `memory-index.json`, the documents of an older program, and vectors
of the same model.
"""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.document import Document
from hardwon.domain.model.embedding import Vector, cosine, unit
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import (
    EmbedderError,
    InvalidEntryError,
    UnreadableFileError,
    UnusableVectorError,
)
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.legacy_index import IndexedMemory, OlderDocument
from hardwon.domain.use_cases.index_one_file import IndexOneFile, follows, sections_below
from hardwon.domain.use_cases.place_files import PlaceFiles
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.domain.use_cases.stored_values import record_given
from hardwon.ports.activity import History, UsageLog
from hardwon.ports.clock import Clock
from hardwon.ports.documents import ENDING, ENDINGS, SourceFiles
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.models import Embedder
from hardwon.ports.vectors import PendingText, VectorStore


@attrs.frozen(kw_only=True)
class ImportedIndex:
    """
    The outcome of importing a `memory-index.json`.

    Attributes:
        known: The number of known sessions, updated from the index.
        skipped: Memories that were not imported with the reasons, one line each.
    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()


class _Described(NamedTuple):
    """The needed part of a file, without its text, to save memory."""

    description: str
    tags: tuple[str, ...]
    keywords: tuple[str, ...]
    mtime: int
    file_hash: str


@attrs.frozen(kw_only=True)
class ImportMemoryIndex:
    """Import each memory as a session of its project."""

    sources: SourceFiles
    repository: EntryRepository
    history: History
    clock: Clock
    place: PlaceFiles

    def import_memories(self, memories: Iterable[IndexedMemory]) -> ImportedIndex:
        """
        Add or update the sessions of *memories*.

        Raises:
            InvalidEntryError: a memory is invalid; nothing was changed.
        """
        read = [
            (memory, self._described(memory)) for memory in memories
        ]  # the store is not locked while files are read
        identities = [self._session(memory, described).entry_id for memory, described in read]
        added, known, skipped = 0, 0, list[str]()
        for identity, (memory, described) in zip(identities, read, strict=True):
            with self.repository.transaction([identity]):  # others store theirs meanwhile
                earlier = self.repository.with_file(memory.path)
                if earlier and earlier.kind != "session":
                    skipped.append(
                        f"{memory.path!r} is kept as a {earlier.kind}: it stays as it is"
                    )
                    continue
                self._put(self._session(memory, described, earlier), described, earlier)
                added, known = added + (earlier is None), known + (earlier is not None)
        return ImportedIndex(added=added, known=known, skipped=tuple(skipped))

    def _session(
        self, memory: IndexedMemory, file: _Described | None, known: Entry | None = None
    ) -> Entry:
        mtime = memory.mtime if memory.mtime is not None else self._mtime(file)
        file_hash = (
            known.file_hash if known else file.file_hash if file and file.mtime == mtime else None
        )
        try:
            return memory.to_session(
                _description(memory, file), mtime, file_hash=file_hash, known=known
            )
        except InvalidEntryError as error:
            raise InvalidEntryError(f"{memory.path!r}: {error}") from error

    def _put(self, entry: Entry, file: _Described | None, known: Entry | None) -> None:
        self.repository.put(entry if entry.project else self.place.placed(entry))
        if (stored := self.repository.by_id(entry.entry_id)) and stored != known:
            of_file = attrs.evolve(
                stored, tags=file.tags if file else (), keywords=file.keywords if file else ()
            )
            record_given(self.history, of_file, after=stored, at=self.clock.now())

    def _described(self, memory: IndexedMemory) -> _Described | None:
        """
        Return the description in the file of *memory*.

        None if it is no markdown file or can't be read.
        """
        if not _is_markdown(memory):
            return None
        try:
            document = self.sources.read(memory.path)
        except UnreadableFileError:
            return None
        fields = document.fields
        description = fields.description or document.summary
        return _Described(
            description=description,
            tags=fields.tags,
            keywords=fields.keywords,
            mtime=document.mtime,
            file_hash=document.file_hash,
        )

    def _mtime(self, file: _Described | None) -> int:
        return file.mtime if file else int(self.clock.now().timestamp())


def _description(memory: IndexedMemory, file: _Described | None) -> str:
    labels = ", ".join(memory.keywords or memory.tags)
    description = memory.description or (file.description if file else "") or labels
    if not description and not _is_markdown(memory):
        raise InvalidEntryError(
            f"nothing says what it is about, and only files named *{ENDING} are read: describe it"
        )
    return description or memory.filename


def _is_markdown(memory: IndexedMemory) -> bool:
    return memory.path.lower().endswith(ENDINGS)


@attrs.frozen(kw_only=True)
class ImportedDocuments:
    """
    The outcome of importing documents of an older index.

    Attributes:
        known: The number of documents imported from this index before, left unchanged.
        skipped: Documents that could not be imported with the reasons, one line each.
    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()


class ProjectFiles(NamedTuple):
    """
    The files of a project that its index may bring.

    Attributes:
        folder: The project's folder, links resolved.
    """

    folder: str
    project: str

    def ensure_path(self, path: str) -> None:
        """
        Check that *path*, links resolved, lies below the folder.

        Raises:
            InvalidEntryError: it lies outside: it may be that of another project's entry.
        """
        if not path.startswith(os.path.join(self.folder, "")):
            raise InvalidEntryError("it lies outside the project whose index it is in")

    def ensure_claim(self, claimed: str | None) -> None:
        """
        Check that a text claims no other project.

        Raises:
            InvalidEntryError: it does.
        """
        if claimed and claimed != self.project:
            raise InvalidEntryError(f"its text claims to be of another project, {claimed[:80]!r}")


@attrs.frozen(kw_only=True)
class ImportOlderIndex:
    """
    Import the documents of an older index, with their values and counters.

    An existing file is indexed; for a missing one the index has the text.
    """

    sources: SourceFiles
    repository: EntryRepository
    index_one_file: IndexOneFile
    usage: UsageLog
    history: History
    ledger: ImportLedger
    clock: Clock

    def import_documents(
        self, index_path: str, documents: Iterable[OlderDocument], only: ProjectFiles | None = None
    ) -> ImportedDocuments:
        """
        Import *documents* of the index, each once, in its transaction.

        Files come before their sections, so that the order of *documents* does not matter: the tier
        of a file applies to its sections, except those with another tier in the index.

        Args:
            index_path: Identifies the index, to recognise what was imported from it.
            documents: Its documents.
            only: Skip others than these files; None for an index that the user named.
        """
        seen = self.ledger.headings(index_path)
        added, known, skipped = 0, 0, list[str]()
        for document in sorted(documents, key=lambda document: document.anchor_id != ""):
            key = f"{document.path}#{document.anchor_id}"
            if key in seen:
                known += 1
                continue
            try:
                with self.repository.transaction():
                    self._import(document, only)
                    self.ledger.record(index_path, {key}, "")
            except InvalidEntryError as error:
                skipped.append(f"{document.path!r}: {error}")
            else:
                added += 1
        return ImportedDocuments(added=added, known=known, skipped=tuple(skipped))

    def _import(self, document: OlderDocument, only: ProjectFiles | None) -> None:
        if only:
            only.ensure_path(document.path)
        file = self._file(document) or self._of_content(document)
        if only:
            only.ensure_claim(file.fields.project)
        entry = self._entry(document, file)
        known = document.merged_into(entry)
        self.repository.put(known)
        record_given(self.history, entry, after=known, at=self.clock.now())
        for section in sections_below(self.repository, known):
            if follows(section, known):
                self.repository.put(attrs.evolve(section, tier=known.tier))
        if entry.number is not None:
            self.usage.add(entry.number, document.usage)

    def _entry(self, document: OlderDocument, file: Document) -> Entry:
        if not self.repository.of_file(document.path):
            self.repository.put(document.seed(self.clock.now()))
        whole = self.index_one_file.index(file, select="all").entry
        entries = {entry.anchor_id: entry for entry in self.repository.of_file(document.path)}
        return entries.get(document.anchor_id) or entries[whole.anchor_id if whole else ""]

    def _file(self, document: OlderDocument) -> Document | None:
        try:
            return self.sources.read(self.sources.ensure_inside(document.path))
        except UnreadableFileError:
            return None

    def _of_content(self, document: OlderDocument) -> Document:
        """
        Return the text in the index as a file.

        It has no hash, so that a file that comes back is indexed.
        """
        if not document.content:
            raise InvalidEntryError("its file can't be used, and the index does not hold its text")
        written = document.created_at or self.clock.now()
        return self.sources.parse(document.path, int(written.timestamp()), document.content)


AGREEMENT = 0.99
"""
The minimum cosine of two vectors of one text and model.

Platforms differ in the last digits.
"""


@attrs.frozen
class KeptVectors:
    """
    The outcome of importing vectors.

    Attributes:
        refused: The reasons against vectors, one line each; their entries stay without one.
    """

    kept: int = 0
    refused: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class KeepVectors:
    """
    Store the vectors of an index for the imported sessions.

    This saves embedding them again.

    Attributes:
        embedder: Embeds one text again, for comparison.
    """

    repository: EntryRepository
    embedder: Embedder
    store: VectorStore

    def keep(self, memories: Iterable[IndexedMemory], deadline: Deadline) -> KeptVectors:
        """
        Store the vectors of those *memories* whose entries have none.

        An index does not name its model. So one text is embedded again, and all vectors are
        rejected unless the two vectors agree.
        """
        usable, refused = self._sorted_out(memories)
        if not usable:
            return KeptVectors(refused=refused)
        try:
            self._ensure_same_model(*usable[0], deadline)
        except EmbedderError as error:
            return KeptVectors(refused=(*(str(error) for _ in usable), *refused))
        self.store.put(usable)
        return KeptVectors(len(usable), refused)

    def _sorted_out(
        self, memories: Iterable[IndexedMemory]
    ) -> tuple[Sequence[tuple[PendingText, Vector]], tuple[str, ...]]:
        waiting = {
            text.number: text for text in self.store.pending(self.store.count_pending(EVERYTHING))
        }
        usable, refused = list[tuple[PendingText, Vector]](), list[str]()
        for memory in memories:
            entry = self.repository.with_file(memory.path)
            text = waiting.get(entry.number) if entry and entry.number is not None else None
            if text is None or not memory.brings_vector:
                continue
            try:
                usable.append((text, self._unit(memory, text)))
            except UnusableVectorError as error:
                refused.append(f"{memory.path!r}: {error}")
        return usable, tuple(refused)

    def _unit(self, memory: IndexedMemory, text: PendingText) -> Vector:
        if memory.vector is None:
            raise UnusableVectorError(memory.vector_problem)
        if memory.description != text.text:
            raise UnusableVectorError("the index does not hold the text it was made of")
        return unit(memory.vector, self.store.space.dimensions)

    def _ensure_same_model(self, text: PendingText, brought: Vector, deadline: Deadline) -> None:
        [made] = embed_documents(self.embedder, [text.text], deadline)
        agreement = cosine(brought, made)
        if agreement < AGREEMENT:
            model = self.store.space.model
            raise UnusableVectorError(
                f"they are not by {model!r}: for {text.text[:40]!r} the similarity is"
                f" {agreement:.3f}, {AGREEMENT} is wanted"
            )
