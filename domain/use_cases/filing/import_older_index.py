"""Bring the documents of an older program's index into the store."""

from collections.abc import Callable, Iterable

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.files.markdown import Markdown, MarkdownFile
from hardwon.domain.model.files.older_document import OlderDocument
from hardwon.domain.use_cases.filing.file_entries import follows, sections_below, stored_of
from hardwon.domain.use_cases.filing.keep_file import KeepFile
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.import_ledger import ImportLedger
from hardwon.ports.source_files import SourceFiles
from hardwon.ports.usage_log import UsageLog


@attrs.frozen(kw_only=True)
class ImportedDocuments:
    """
    The outcome.

    Attributes:
        added: Documents that came in.
        known: Those that were imported from this index before; they are left as they are.
        skipped: What could not be imported and why, one line each.

    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ImportOlderIndex:
    """
    Let entries stand for the documents of an older index, each with what that index knew of it.

    A document whose file is there is indexed; of one whose file is gone the index has the text.

    Attributes:
        sources: The files.
        repository: The entries.
        keep_file: Brings one file in.
        usage: Gets what the older program has counted.
        ledger: Knows what was imported before.
        parse: Returns what a text of markdown says.
        clock: The time.

    """

    sources: SourceFiles
    repository: EntryRepository
    keep_file: KeepFile
    usage: UsageLog
    ledger: ImportLedger
    parse: Callable[[str], Markdown]
    clock: Clock

    def __call__(self, index_path: str, documents: Iterable[OlderDocument]) -> ImportedDocuments:
        """
        Import *documents* of the index at *index_path*, each once in all; each is stored by itself.

        A file comes before its sections, so that their order does not matter: the tier of a file holds for its
        sections, but for those that have another one in the index.

        Raises:
            StorageError: the store can't be written now; what was imported before is stored.

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
                    self._import(document)
                    self.ledger.record(index_path, {key}, "")
            except InvalidEntryError as error:
                skipped.append(f"{document.path!r}: {error}")
            else:
                added += 1
        return ImportedDocuments(added=added, known=known, skipped=tuple(skipped))

    def _import(self, document: OlderDocument) -> None:
        entry = self._entry(document)
        known = document.laid_over(entry)
        self.repository.put(known)
        for section in sections_below(self.repository, known):
            if follows(section, known):
                self.repository.put(attrs.evolve(section, tier=known.tier))
        if entry.number is not None:
            self.usage.add(entry.number, document.usage)

    def _entry(self, document: OlderDocument) -> Entry:
        """Return the entry that is to know what *document* knows."""
        file = self._file(document) or self._of_content(document)
        if not stored_of(self.repository, document.path):
            self.repository.put(document.seed(self.clock.now()))
        whole = self.keep_file(file, again=True).entry
        entries = [*self.repository.sections_of(document.path), *([whole] if whole else [])]
        return next((entry for entry in entries if entry.anchor_id == document.anchor_id), entries[-1])

    def _file(self, document: OlderDocument) -> MarkdownFile | None:
        try:
            return self.sources.read(self.sources.ensure_inside(document.path))
        except UnreadableFileError:
            return None

    def _of_content(self, document: OlderDocument) -> MarkdownFile:
        """Return the file as the index holds it; no hash goes with it, so that a file that comes back is read."""
        if not document.content:
            raise InvalidEntryError("its file can't be used, and the index does not hold its text")
        written = document.created_at or self.clock.now()
        return MarkdownFile(document.path, int(written.timestamp()), "", self.parse(document.content))
