"""Let the store say what the files say."""

import itertools
import os
from collections.abc import Callable, Iterable

import attrs

from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.use_cases.edit_entries import Forget
from hardwon.domain.use_cases.index_one_file import IndexedFile, IndexOneFile, Selection, stored_of
from hardwon.ports.documents import Listing, SourceFiles
from hardwon.ports.entries import EntryRepository

Progress = Callable[[int, int, str], None]
"""Called with the number of files done, the number of all, and the last path."""


@attrs.frozen(kw_only=True)
class Indexed:
    """
    The outcome of indexing files, or what it would be.

    Attributes:
        new: Files that had no entry.
        changed: Files whose entry was made anew.
        unchanged: How many files are as they were.
        deleted: How many files have no entry because it was deleted, and did not change since.
        removed: Files that are gone, and their entries with them.
        skipped: Files that can't be used and why, one line each.
        warnings: What could not be read of a file that was indexed, one line each.

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
    Bring files into the store, those that changed anew, and forget those that are gone.

    Attributes:
        sources: The files.
        repository: The entries.
        project_root: The project's folder, links resolved.
        index_one_file: Brings one file in.
        forget: Takes out what is gone.

    """

    sources: SourceFiles
    repository: EntryRepository
    project_root: str
    index_one_file: IndexOneFile
    forget: Forget

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
    ) -> Indexed:
        """
        Index the files at and below *paths*, each read once; no path means the project's memory, or a spec folder's.

        A file whose bytes are as they were is passed over, whatever its time
        says. What is gone is forgotten first: what was moved is then known under
        its new path. Each file is stored by itself: work cut off is not lost.

        Args:
            paths: Files and folders.
            spec_folder: Without *paths*, only the files of the spec folder of that name.
            force: Index files that did not change too, and those whose entries were deleted.
            everywhere: Also those below the project's folder that have an entry, wherever they lie there.
            dry_run: Change nothing, only return what would be done.
            progress: Called when a file is done.
            wanted: Asked before each file whether to go on; what was done stays.

        Raises:
            UnreadableFileError: *spec_folder* can't be the name of one.
            StorageError: the store can't be written now; what was done before is stored.

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

    @property
    def of_project(self) -> EntryFilter:
        """All files below the project's folder that have an entry."""
        return EVERYTHING._replace(folder=self.project_root)

    def _listing(self, spec_folder: str) -> Listing:
        return self.sources.of_spec_folder(spec_folder) if spec_folder else self.sources.of_project()

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
    """One run over the files, and its outcome so far."""

    def __init__(self, tools: IndexFiles, select: Selection, *, dry_run: bool) -> None:
        self._tools = tools
        self._select: Selection = select
        self._dry_run = dry_run
        self._new, self._changed, self._removed = list[str](), list[str](), list[str]()
        self._skipped, self._warnings = list[str](), list[str]()
        self._unchanged, self._deleted = 0, 0

    def outcome(self, skipped: tuple[str, ...]) -> Indexed:
        return Indexed(
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
            kept = self._tools.index_one_file.index(
                self._tools.sources.read(path), select=self._select, dry_run=self._dry_run
            )
        except UnreadableFileError as error:
            self._skipped.append(str(error))
        except InvalidEntryError as error:
            self._skipped.append(f"{path!r}: {error}")
        else:
            self._count(path, kept)

    def forget(self, path: str) -> None:
        known = stored_of(self._tools.repository, path)
        if all(entry.kind == "document" and not entry.file_hash for entry in known):
            return  # an older index brought it and no file: the store alone has its text
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
