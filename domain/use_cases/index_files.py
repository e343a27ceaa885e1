"""Index files, and delete entries of missing files."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator

import attrs

from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.use_cases.edit_entries import DeleteEntries
from hardwon.domain.use_cases.index_one_file import (
    FilePlan,
    IndexedFile,
    IndexOneFile,
    Selection,
)
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
        so that a moved file is recognised under its new path. New files are stored a few at a time:
        an interrupted run leaves those for the next one.

        Args:
            paths: Files and folders.
            spec_folder: Without *paths*, only the files of the spec folder of that name.
            force: Also index unchanged files, and those whose entries were deleted.
            everywhere: Also index all other files below the project's folder that have an entry.
            dry_run: Change nothing, only return the outcome.
            progress: Called after each file, for new ones when they are stored.
            wanted: Called before each file; False stops the run and keeps what was done.
        """
        listings = [self.sources.at(path) for path in paths] or [self._listing(spec_folder)]
        files = {file for listing in listings for file in listing.files}
        files |= self._elsewhere() if everywhere else set()
        select: Selection = "all" if force else "changed"
        run = _Run(self, select, total=len(files), progress=progress, dry_run=dry_run)
        gone = self._gone(listings, files) + self._moved_away(files)
        for path in itertools.takewhile(lambda _: wanted(), gone):
            run.forget(path)
        for path in itertools.takewhile(lambda _: wanted(), sorted(files)):
            run.index(path)
        run.store_new()
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
        plan = self.plan(path, select)
        kept = plan.carry_out(dry_run=dry_run)
        return kept if dry_run else self.confirmed(plan, kept)

    def plan(self, path: str, select: Selection) -> FilePlan:
        """Return how the entries of the file at *path* are brought up to date."""
        return self.index_one_file.plan(self.sources.read(path), select)

    def confirmed(self, plan: FilePlan, kept: IndexedFile) -> IndexedFile:
        """
        Return *kept*, or the outcome of a later text.

        The file may have been changed since it was read.
        """
        document = plan.document
        with contextlib.suppress(UnreadableFileError):  # removed meanwhile: the next run finds out
            for _ in range(MAX_AGAIN):
                if kept.outcome not in STORED:
                    break
                stored, document = document.file_hash, self.sources.read(document.path)
                if document.file_hash == stored:
                    break
                kept = self.index_one_file.index(document, select=plan.select)
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

    def _moved_away(self, files: set[str]) -> list[str]:
        """
        Return the former paths of *files*, from before the project's folder was moved.

        A former path is that of the same file in another folder of the project, which is gone.
        """
        root = os.path.join(self.project_root, "")
        new = {path.removeprefix(root) for path in files if path.startswith(root)}
        new -= {path.removeprefix(root) for path in self._known_below()} if new else set()
        elsewhere = self.repository.files_starting_with("") if new else []
        return [path for path in elsewhere if self._is_former(path, new)]

    def _is_former(self, path: str, new: set[str]) -> bool:
        own = self.index_one_file.workplace.own
        return any(
            relative in new
            and self.sources.is_gone(folder)
            and any(entry.project in own for entry in self.repository.of_file(path))
            for folder, relative in _splits(path)
        )


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Yield each folder that holds *path*, with the rest of the path."""
    at = path.find(os.sep, 1)
    while at > 0:
        yield path[:at], path[at + 1 :]
        at = path.find(os.sep, at + 1)


class _Run:
    def __init__(
        self,
        tools: IndexFiles,
        select: Selection,
        *,
        total: int,
        progress: Progress | None,
        dry_run: bool,
    ) -> None:
        self._tools = tools
        self._select: Selection = select
        self._done, self._total, self._progress = itertools.count(1), total, progress
        self._dry_run = dry_run
        self._waiting = list[FilePlan]()
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
        """Index a file, a new one later together with others."""
        with self._skipping(path):
            plan = self._tools.plan(path, self._select)
            if not self._dry_run and plan.is_fresh and plan.entries:  # made before it is stored
                self._waiting.append(plan)
                if len(self._waiting) >= self._tools.repository.files_at_once:
                    self.store_new()
                return
            if self._waiting:
                self.store_new()
                plan = self._tools.plan(path, self._select)
            self._carry_out(plan)

    def store_new(self) -> None:
        """
        Store the new files that wait.

        If one of them gives no valid entry, they are stored one by one.
        """
        waiting, self._waiting = self._waiting, []
        try:
            stored = self._tools.index_one_file.store(waiting) if waiting else []
        except InvalidEntryError:
            for path in [plan.document.path for plan in waiting]:
                with self._skipping(path):
                    self._carry_out(self._tools.plan(path, self._select))
        else:
            for plan, kept in zip(waiting, stored, strict=True):
                with self._skipping(plan.document.path):
                    self._count(plan.document.path, self._tools.confirmed(plan, kept))

    def _carry_out(self, plan: FilePlan) -> None:
        kept = plan.carry_out(dry_run=self._dry_run)
        self._count(
            plan.document.path, kept if self._dry_run else self._tools.confirmed(plan, kept)
        )

    @contextlib.contextmanager
    def _skipping(self, path: str) -> Iterator[None]:
        try:
            yield
        except UnreadableFileError as error:
            self._skip(path, str(error))
        except InvalidEntryError as error:
            self._skip(path, f"{path!r}: {error}")

    def _skip(self, path: str, line: str) -> None:
        self.store_new()
        self._skipped.append(line)
        self._finish(path)

    def _finish(self, path: str) -> None:
        if self._progress:
            self._progress(next(self._done), self._total, path)

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
            case "forgotten":
                pass
        self._warnings += kept.warnings
        self._finish(path)
