"""Find all folders on this machine that may hold files of hardwon."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache

import attrs

from hardwon.adapters.folders.record import WrittenFolder, WrittenFolders, known_device
from hardwon.adapters.folders.whereabouts import Whereabouts, whereabouts
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY
from hardwon.domain.model.project import Identity, Project
from hardwon.ports.overview import Overview
from hardwon.ports.projects import Projects
from hardwon.ports.transcripts import CaptureJournal

GIT_SECONDS = 5.0
"""The longest search for first commits."""


@attrs.frozen(kw_only=True)
class FolderSearch:
    """
    Finds the folders in which hardwon wrote files.

    Attributes:
        first_commit: Asks git for the first commit of a repository; raises OSError.
    """

    recorded: WrittenFolders
    projects: Projects
    journal: CaptureJournal
    overview: Overview
    work_trees: Callable[[Identity], Iterable[str]]
    folder_of_files: Callable[[str], str]
    first_commit: Callable[[str, Deadline], str]

    def whereabouts_of(self, project_root: str) -> Whereabouts:
        """Return the present places of *project_root* and all written folders."""
        dismissed = self.recorded.dismissed()
        projects = [
            project for project in self.projects.known() if os.path.isabs(project.identity.root)
        ]
        written = dict[str, WrittenFolder]()
        of_projects = self._of_projects(
            projects, numbers_hold=not self.recorded.is_from_another_machine()
        )
        for folder in (*of_projects, *self._of_sessions(), *self._of_entries()):
            is_asked_for = folder.path not in dismissed
            written.setdefault(
                folder.path, folder if is_asked_for else WrittenFolder(folder.path, is_part=True)
            )
        known = self.recorded.all()
        here = WrittenFolder(os.path.realpath(project_root))
        others = [
            folder
            for path, folder in written.items()
            if path not in {folder.path for folder in known}
        ]
        around = (os.path.dirname(here.path), os.path.expanduser("~"))
        return whereabouts([here, *known, *others], around, self._same_repository(projects))

    def _of_projects(
        self, projects: list[Project], *, numbers_hold: bool
    ) -> Iterator[WrittenFolder]:
        """
        Yield the folders of *projects*.

        In a store from another machine their numbers may be foreign; folders written here are
        recorded.
        """
        for identity in (project.identity for project in projects):
            key, root, is_repository, device, inode = identity
            if f"{key}{os.sep}".startswith(os.path.join(root, "")):
                is_known = inode and numbers_hold
                yield WrittenFolder(
                    root, known_device(device) if is_known else None, inode if is_known else 0
                )
            else:  # the key is elsewhere, as that of a linked work tree
                yield WrittenFolder(root, is_part=True)
            if is_repository:
                trees = self.work_trees(identity)
                yield from (
                    WrittenFolder(tree, is_part=True) for tree in trees if os.path.isdir(tree)
                )

    def _of_sessions(self) -> Iterator[WrittenFolder]:
        roots = list[str]()
        with suppress(StorageError):  # a damaged journal is erased as a file
            roots += (session.project_root for session in self.journal.waiting())
            roots += (session.project_root for session in self.journal.buffers())
        for root in filter(os.path.isabs, dict.fromkeys(roots)):
            yield WrittenFolder(os.path.realpath(root), is_part=True)
            yield WrittenFolder(self.folder_of_files(root), is_part=True)

    def _of_entries(self) -> Iterator[WrittenFolder]:
        for _, path, _ in self.overview.entries_by_file():
            root, _, place = path.rpartition(f"{os.sep}{MEMORY}{os.sep}")
            if root and place.startswith(CONVERSATION_FOLDERS):
                yield WrittenFolder(root, is_part=True)

    def _same_repository(self, projects: list[Project]) -> Callable[[str, str], bool]:
        """Return a predicate: the repository at *new* begins with the first commit of *old*'s."""
        commits = {project.identity.root: project.first_commit for project in projects}
        deadline = Deadline.after(GIT_SECONDS, time.monotonic)

        @cache
        def first_commit(folder: str) -> str:
            try:
                return self.first_commit(folder, deadline)
            except OSError:
                return ""

        return lambda old, new: bool(commits.get(old)) and commits[old] == first_commit(new)
