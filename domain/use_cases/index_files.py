"""Index files, and delete entries of missing files."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable

import attrs

from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.use_cases.edit_entries import DeleteEntries
from hardwon.domain.use_cases.index_one_file import IndexedFile, IndexOneFile, Selection
from hardwon.ports.documents import Listing, SourceFiles
from hardwon.ports.entries import EntryRepository

Progress = Callable[[int, int, str], None]
"""Called with the files done, all files, and the last path."""

STORED = ("new", "changed", "reindexed")
"""Outcomes by which a text was stored."""

MAX_AGAIN = 3
"""How often a file that changes is indexed again."""


@attrs.frozen(kw_only=True)
class IndexOutcome:
    """
    The outcome of indexing files, or of a dry run.

    Attributes:
        deleted: The number of unchanged files whose entry was deleted from the store.
        removed: Files that are gone, with their entries.
        skipped: Files that can't be used with the reasons, one line each.
        warnings: Parts of indexed files that could not be read, one line each.
    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    deleted: int = 0
    removed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class IndexFiles:
    """
    Index files, and delete the entries of those that are gone.

    Attributes:
        private: Prefixes of paths of private files. Where one is gone, its entries stay, as git may
            have removed it, unless the file itself is named.
    """

    sources: SourceFiles
    repository: EntryRepository
    project_root: str
    private: tuple[str, ...] = ()
    index_one_file: IndexOneFile
    forget: DeleteEntries

    def index(
        self,
        paths: Iterable[str] = (),
        *,
        spec_folder: str = "",
        force: bool = False,
        everywhere: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> IndexOutcome:
        """
        Index the files at and below *paths*.

        Without paths, these are the project's memory, or that of a spec folder. Files with
        unchanged bytes are skipped, whatever their mtime. Files that are gone are processed first,
        so that a moved file is recognised under its new path. Each file is stored by itself: an
        interrupted run loses nothing.

        Args:
            paths: Files and folders.
            spec_folder: Without *paths*, only the files of the spec folder of that name.
            force: Also index unchanged files, and those whose entries were deleted.
            everywhere: Also index all other files below the project's folder that have an entry.
            dry_run: Change nothing, only return the outcome.
            progress: Called after each file.
            wanted: Called before each file; False stops the run and keeps what was done.
        """
        listings = [self.sources.at(path) for path in paths] or [self._listing(spec_folder)]
        files = {file for listing in listings for file in listing.files}
        files |= self._elsewhere() if everywhere else set()
        run = _Run(self, "all" if force else "changed", dry_run=dry_run)
        for path in itertools.takewhile(lambda _: wanted(), self._gone(listings, files)):
            run.forget(path)
        for done, path in enumerate(itertools.takewhile(lambda _: wanted(), sorted(files)), 1):
            run.index(path)
            if progress:
                progress(done, len(files), path)
        return run.outcome(skipped=tuple(line for listing in listings for line in listing.skipped))

    def index_file(
        self, path: str, *, select: Selection = "changed", dry_run: bool = False
    ) -> IndexedFile:
        """
        Index the file at *path*, again if it was changed meanwhile.

        Otherwise an older text might replace that of another process, which read it later.

        Raises:
            UnreadableFileError: it can't be read, or not indexed.
            InvalidEntryError: it gives no valid entry.
        """
        document = self.sources.read(path)
        kept = self.index_one_file.index(document, select=select, dry_run=dry_run)
        with contextlib.suppress(UnreadableFileError):  # removed meanwhile: the next run finds out
            for _ in range(MAX_AGAIN):
                if dry_run or kept.outcome not in STORED:
                    break
                stored, document = document.file_hash, self.sources.read(path)
                if document.file_hash == stored:
                    break
                kept = self.index_one_file.index(document, select=select)
        return kept

    @property
    def of_project(self) -> EntryFilter:
        """The filter for all entries of files below the project's folder."""
        return EVERYTHING._replace(folder=self.project_root)

    def _listing(self, spec_folder: str) -> Listing:
        return (
            self.sources.of_spec_folder(spec_folder) if spec_folder else self.sources.of_project()
        )

    def _elsewhere(self) -> set[str]:
        return {path for path in self._known_below() if not self.sources.is_gone(path)}

    def _known_below(self) -> list[str]:
        return self.repository.files_starting_with(os.path.join(self.project_root, ""))

    def _gone(self, listings: Iterable[Listing], files: set[str]) -> list[str]:
        prefixes = {prefix for listing in listings for prefix in listing.prefixes}
        known = {
            path for prefix in prefixes for path in self.repository.files_starting_with(prefix)
        }
        gone = (
            path
            for path in sorted(known - files)
            if path in prefixes or not path.startswith(self.private)
        )
        return [path for path in gone if self.sources.is_gone(path)]


class _Run:
    def __init__(self, tools: IndexFiles, select: Selection, *, dry_run: bool) -> None:
        self._tools = tools
        self._select: Selection = select
        self._dry_run = dry_run
        self._new, self._changed, self._removed = list[str](), list[str](), list[str]()
        self._skipped, self._warnings = list[str](), list[str]()
        self._unchanged, self._deleted = 0, 0

    def outcome(self, skipped: tuple[str, ...]) -> IndexOutcome:
        return IndexOutcome(
            new=tuple(self._new),
            changed=tuple(self._changed),
            unchanged=self._unchanged,
            deleted=self._deleted,
            removed=tuple(self._removed),
            skipped=skipped + tuple(self._skipped),
            warnings=tuple(self._warnings),
        )

    def index(self, path: str) -> None:
        try:
            kept = self._tools.index_file(path, select=self._select, dry_run=self._dry_run)
        except UnreadableFileError as error:
            self._skipped.append(str(error))
        except InvalidEntryError as error:
            self._skipped.append(f"{path!r}: {error}")
        else:
            self._count(path, kept)

    def forget(self, path: str) -> None:
        known = self._tools.repository.of_file(path)
        if not any(entry.file_hash for entry in known):
            return  # imported from an older index without a file: only the store has its text
        if not self._dry_run:
            self._tools.forget.gone(path)
        self._removed.append(path)

    def _count(self, path: str, kept: IndexedFile) -> None:
        match kept.outcome:
            case "new":
                self._new.append(path)
            case "changed" | "reindexed":
                self._changed.append(path)
            case "unchanged":
                self._unchanged += 1
            case "deleted":
                self._deleted += 1
        self._warnings += kept.warnings
