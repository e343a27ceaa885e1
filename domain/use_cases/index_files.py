"""Let the store say what the files say."""

import os
from collections.abc import Callable, Iterable

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EVERYTHING, EntryFilter
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.files.fields import read_fields
from hardwon.domain.model.files.file_entry import to_entry
from hardwon.domain.model.files.kinds import kind_by_place
from hardwon.domain.model.files.markdown import MarkdownFile
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.file_entries import put_in_place
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.source_files import Listing, SourceFiles

Progress = Callable[[int, int, str], None]
"""Told how many files are done, of how many, and which was the last."""


@attrs.frozen(kw_only=True)
class Indexed:
    """
    What became of the files; of a rehearsal, what would.

    Attributes:
        new: Files that had no entry.
        changed: Files whose entry was made anew.
        unchanged: How many files are as they were.
        removed: Files that are gone, and their entries with them.
        skipped: Files that can't be used and why, one line each.
        warnings: What could not be read of a file that was indexed, one line each.

    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class IndexFiles:
    """
    Bring files into the store, those that changed anew, and forget those that are gone.

    Attributes:
        sources: The files.
        repository: The entries.
        workplace: Where files come from that do not say so.
        project_root: The project's folder, links resolved.

    """

    sources: SourceFiles
    repository: EntryRepository
    workplace: Workplace
    project_root: str

    def __call__(
        self,
        paths: Iterable[str] = (),
        *,
        again: bool = False,
        everywhere: bool = False,
        rehearsed: bool = False,
        progress: Progress | None = None,
    ) -> Indexed:
        """
        Index the files at and below *paths*, each read once; no path means the project's memory.

        A file whose bytes are as they were is passed over, whatever its time
        says. Each file is stored by itself: work cut off is not lost.

        Args:
            paths: Files and folders.
            again: Index files that did not change too.
            everywhere: Also those below the project's folder that have an entry, wherever they lie there.
            rehearsed: Change nothing, only tell what would be done.
            progress: Hears of each file when it is done.

        Raises:
            StorageError: the store can't be written now; what was done before is stored.

        """
        listings = [self.sources.at(path) for path in paths] or [self.sources.of_project()]
        files = {file for listing in listings for file in listing.files}
        files |= self._elsewhere() if everywhere else set()
        run = _Run(self, again=again, rehearsed=rehearsed)
        for done, path in enumerate(sorted(files), 1):
            run.index(path)
            if progress:
                progress(done, len(files), path)
        for path in self._gone(listings, files):
            run.forget(path)
        return run.outcome(skipped=tuple(line for listing in listings for line in listing.skipped))

    @property
    def of_project(self) -> EntryFilter:
        """All files below the project's folder that have an entry."""
        return EVERYTHING._replace(folder=self.project_root)

    def _elsewhere(self) -> set[str]:
        """Return the files that have an entry and are there, of all below the project's folder."""
        return {path for path in self._known_below() if not self.sources.is_gone(path)}

    def _known_below(self) -> list[str]:
        return self.repository.files_starting_with(os.path.join(self.project_root, ""))

    def _gone(self, listings: Iterable[Listing], files: set[str]) -> list[str]:
        prefixes = {prefix for listing in listings for prefix in listing.prefixes}
        known = {path for prefix in prefixes for path in self.repository.files_starting_with(prefix)}
        return [path for path in sorted(known - files) if self.sources.is_gone(path)]


class _Run:
    """One run over the files, and what came of it so far."""

    def __init__(self, tools: IndexFiles, *, again: bool, rehearsed: bool) -> None:
        self._tools = tools
        self._again = again
        self._rehearsed = rehearsed
        self._new, self._changed, self._removed = list[str](), list[str](), list[str]()
        self._skipped, self._warnings = list[str](), list[str]()
        self._unchanged = 0

    def outcome(self, skipped: tuple[str, ...]) -> Indexed:
        return Indexed(
            new=tuple(self._new),
            changed=tuple(self._changed),
            unchanged=self._unchanged,
            removed=tuple(self._removed),
            skipped=skipped + tuple(self._skipped),
            warnings=tuple(self._warnings),
        )

    def index(self, path: str) -> None:
        try:
            file = self._tools.sources.read(path)
            known = self._tools.repository.with_file(path)
            if known and known.file_hash == file.file_hash and not self._again:
                self._pass_over(known, file.mtime)
            else:
                self._keep(file, known)
        except UnreadableFileError as error:
            self._skipped.append(str(error))
        except InvalidEntryError as error:
            self._skipped.append(f"{path!r}: {error}")

    def forget(self, path: str) -> None:
        known = self._tools.repository.with_file(path)
        if known and not self._rehearsed:
            self._tools.repository.delete(known.entry_id)
        self._removed.append(path)

    def _pass_over(self, known: Entry, mtime: int) -> None:
        self._unchanged += 1
        if mtime != known.file_mtime and not self._rehearsed:
            self._tools.repository.put(attrs.evolve(known, file_mtime=mtime))

    def _keep(self, file: MarkdownFile, known: Entry | None) -> None:
        fields = read_fields(file.markdown.front_matter)
        kind = fields.kind or kind_by_place(file.path, self._tools.project_root) or _kind_before(known)
        entry = to_entry(file, fields, kind, self._tools.workplace, known)
        if not self._rehearsed:
            put_in_place(self._tools.repository, entry)
        (self._changed if known else self._new).append(file.path)
        self._warnings += [f"{file.path!r}: {each}" for each in file.markdown.complaints + fields.complaints]


def _kind_before(known: Entry | None) -> Kind:
    """Return the kind of a file whose place means nothing: what it was saved as stays."""
    return known.kind if known else "document"
