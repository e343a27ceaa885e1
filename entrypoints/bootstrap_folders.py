"""Every folder that may hold files of hardwon on this machine, from all records of the store."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

from hardwon.adapters.folders.record import WrittenFolder, WrittenFolders, known_device
from hardwon.adapters.folders.whereabouts import Whereabouts, whereabouts
from hardwon.adapters.git.history import GitRepositoryHistory
from hardwon.adapters.git.identity import linked_work_trees, main_work_tree
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY
from hardwon.domain.model.project import Project
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_capture import open_journal
from hardwon.entrypoints.bootstrap_project import folder_of_files

GIT_SECONDS = 5.0
"""The longest search for first commits."""


def find_folders(memory: Memory, project_root: str) -> Whereabouts:
    """Return where all folders are now in which files were written, and that of *project_root*."""
    recorded = WrittenFolders(memory.settings.global_store)
    dismissed = recorded.dismissed()
    projects = [project for project in memory.store.projects.known() if os.path.isabs(project.identity.root)]
    written = dict[str, WrittenFolder]()
    of_projects = _of_projects(projects, numbers_hold=not recorded.is_from_another_machine())
    for folder in (*of_projects, *_of_sessions(memory), *_of_entries(memory)):
        is_asked_for = folder.path not in dismissed
        written.setdefault(folder.path, folder if is_asked_for else WrittenFolder(folder.path, is_part=True))
    known = recorded.all()
    here = WrittenFolder(os.path.realpath(project_root))
    others = [folder for path, folder in written.items() if path not in {folder.path for folder in known}]
    around = (os.path.dirname(here.path), os.path.expanduser("~"))
    return whereabouts([here, *known, *others], around, _same_repository(projects))


def dismiss_folder(memory: Memory, path: str) -> None:
    """
    Note that the folder at *path* is gone for good.

    Raises:
        StorageError: it can't be noted.
    """
    WrittenFolders(memory.settings.global_store).dismiss(path)


def _of_projects(projects: list[Project], *, numbers_hold: bool) -> Iterator[WrittenFolder]:
    """
    Yield the folders of *projects*.

    Where the store came from another machine, their numbers may be of that one; what is written on this one is recorded.
    """
    for key, root, is_repository, device, inode in (project.identity for project in projects):
        if f"{key}{os.sep}".startswith(os.path.join(root, "")):
            is_known = inode and numbers_hold
            yield WrittenFolder(root, known_device(device) if is_known else None, inode if is_known else 0)
        else:  # the key is elsewhere, as that of a linked work tree
            yield WrittenFolder(root, is_part=True)
        if is_repository:
            trees = (main_work_tree(root), *linked_work_trees(key))
            yield from (WrittenFolder(tree, is_part=True) for tree in trees if os.path.isdir(tree))


def _of_sessions(memory: Memory) -> Iterator[WrittenFolder]:
    journal = open_journal(memory.settings.global_store)
    roots = list[str]()
    with suppress(StorageError):  # a damaged journal is erased as a file
        roots += (session.project_root for session in journal.waiting())
        roots += (session.project_root for session in journal.buffers())
    for root in filter(os.path.isabs, dict.fromkeys(roots)):
        yield WrittenFolder(os.path.realpath(root), is_part=True)
        yield WrittenFolder(folder_of_files(root), is_part=True)


def _of_entries(memory: Memory) -> Iterator[WrittenFolder]:
    for _, path, _ in memory.store.overview.entries_by_file():
        root, _, place = path.rpartition(f"{os.sep}{MEMORY}{os.sep}")
        if root and place.startswith(CONVERSATION_FOLDERS):
            yield WrittenFolder(root, is_part=True)


def _same_repository(projects: list[Project]) -> Callable[[str, str], bool]:
    """Return whether a repository, by its folder, begins with the first commit of the project that was at another one."""
    commits = {project.identity.root: project.first_commit for project in projects}
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)

    @cache
    def first_commit(folder: str) -> str:
        try:
            return GitRepositoryHistory().first_commit(folder, deadline)
        except OSError:
            return ""

    return lambda old, new: bool(commits.get(old)) and commits[old] == first_commit(new)
