"""The projects of a store in memory, and where the user works."""

import errno
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import NOWHERE, Workplace
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.project import Authorship, Identity, Project, Visibility
from hardwon.domain.model.repository import OWN, Version, without_user
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.domain.use_cases.place_files import PlaceFiles
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry, StoreEntry
from hardwon.ports.entries import EntryRepository
from hardwon.ports.override import override
from hardwon.ports.projects import Projects
from hardwon.ports.repository import FileVersions, RepositoryHistory
from tests.fakes.state import State


class Past(NamedTuple):
    """
    A repository's past.

    Attributes:
        authors: The address of each commit's author.
        first_commits: The hashes of commits without parents.
        remote: The address of `origin`, as it is configured.
        is_shallow: Whether it was cloned in part.

    """

    authors: tuple[str, ...] = ()
    first_commits: tuple[str, ...] = ()
    remote: str = ""
    is_shallow: bool = False


class InMemoryRepositoryHistory(RepositoryHistory):
    """
    Repositories by root; any other folder is none.

    Attributes:
        pasts: By the root of the repository.
        asked: Calls, as the method and the root. A remote costs no process, and is not listed.
        can_answer: Whether git can be run.

    """

    def __init__(self, *addresses: str) -> None:
        self._addresses = {address.lower() for address in addresses}
        self.pasts: dict[str, Past] = {}
        self.asked: list[tuple[str, str]] = []
        self.can_answer = True

    @override
    def authorship(self, root: str, deadline: Deadline) -> Authorship:
        self.asked.append(("authorship", root))
        if root not in self.pasts:
            return "own"
        if deadline.passed() or not self.can_answer:
            return "unknown"
        authors = {author.lower() for author in self.pasts[root].authors}
        return (
            "own" if not authors or not self._addresses or authors & self._addresses else "foreign"
        )

    @override
    def first_commit(self, root: str, deadline: Deadline) -> str:
        self.asked.append(("first_commit", root))
        if root not in self.pasts:
            return ""
        if deadline.passed():
            raise TimeoutError(errno.ETIMEDOUT, "no time is left for git")
        if not self.can_answer:
            raise FileNotFoundError(errno.ENOENT, "no git on PATH")
        past = self.pasts[root]
        return "" if past.is_shallow else min(past.first_commits, default="")

    @override
    def has_commit(self, root: str, commit: str) -> bool:
        return root in self.pasts and commit in self.pasts[root].first_commits

    @override
    def remote(self, root: str) -> str:
        return without_user(self.pasts[root].remote) if root in self.pasts else ""


class InMemoryVersions(FileVersions):
    """Every version is the user's but those of *others*, by path."""

    def __init__(self, others: dict[str, Version] | None = None) -> None:
        self.others = others or {}

    @override
    def version_of(self, path: str) -> Version:
        return self.others.get(path, OWN)


def placing(
    projects: Projects,
    identify: Callable[[str], Identity] = lambda folder: Identity(folder, folder),
) -> PlaceFiles:
    """Return what gives entries of files their project; no git, the user's folder is `/home/me`."""
    know = KnowProjects(
        projects, InMemoryRepositoryHistory("me@example.invalid"), exists=lambda _: True
    )
    return PlaceFiles(
        know=know,
        identify=identify,
        label_of=lambda folder: folder.split("/")[-1] or "/",
        home="/home/me",
    )


class InMemoryProjects(Projects):
    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()

    @override
    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield

    @override
    def known(self) -> tuple[Project, ...]:
        return tuple(self.state.projects.values())

    @override
    def add(self, identity: Identity, label: str) -> Project:
        for project in self.known():
            if project.identity.key == identity.key:
                return project
        project = Project(self._free_id(identity.key), label, identity)
        self.state.projects[project.id] = project
        return project

    @override
    def put(self, project: Project) -> None:
        if any(
            other.identity.key == project.identity.key and other.id != project.id
            for other in self.known()
        ):
            raise StorageError("another project has that key")
        self.state.projects[project.id] = project

    @override
    def merge(self, project_id: str, into: str) -> int:
        moved = [
            number for number, entry in self.state.entries.items() if entry.project == project_id
        ]
        for number in moved:
            self.state.entries[number] = attrs.evolve(self.state.entries[number], project=into)
        for number, places in self.state.places.items():
            self.state.places[number] = {into if place == project_id else place for place in places}
        del self.state.projects[project_id]
        for project in self.known():
            if project.joined == project_id:
                head = None if project.id == into else into
                self.state.projects[project.id] = project._replace(joined=head)
        return len(moved)

    @override
    def entry_counts(self) -> Mapping[str, int]:
        return Counter(
            entry.project for entry in self.state.entries.values() if entry.project is not None
        )

    @override
    def trusted_folders(self) -> tuple[str, ...]:
        return tuple(sorted(self.state.trusted_folders))

    @override
    def trust_below(self, folder: str, *, trusted: bool) -> None:
        (self.state.trusted_folders.add if trusted else self.state.trusted_folders.discard)(folder)

    @override
    def places_of(self, entry_id: str) -> tuple[str, ...]:
        return tuple(sorted(self.state.places.get(self.state.number_of(entry_id) or 0, ())))

    @override
    def add_place(self, entry_id: str, project_id: str) -> None:
        number = self.state.number_of(entry_id)
        if number is not None and self.state.entries[number].project != project_id:
            self.state.places.setdefault(number, set()).add(project_id)

    def _free_id(self, key: str) -> str:
        number = 0
        while short_hash("project", key, str(number)) in self.state.projects:
            number += 1
        return short_hash("project", key, str(number))


ANYHOW = Origin(NOWHERE, "writer")


def store_entry(
    repository: EntryRepository, projects: Projects | None = None, origin: Origin = ANYHOW
) -> StoreEntry:
    """Return what stores lessons of *origin* in *repository*, which is beside *projects* where those matter."""
    return StoreEntry(PlaceEntry(repository, projects or InMemoryProjects(), origin))


def working_in(
    project: str,
    workspace: str | None = None,
    branch: str | None = None,
    touched_files: tuple[str, ...] = (),
) -> Workplace:
    """Return a place in *project*, whose label is its id."""
    visibility = Visibility(own=(project,))
    return Workplace(
        project, workspace, branch, touched_files, label=project, visibility=visibility
    )
