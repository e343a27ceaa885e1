"""Know projects: register them, look up their history, trust them, and join or move them."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.project import Conversations, Identity, Project, Registry, Trust, TrustMode
from hardwon.ports.projects import Projects
from hardwon.ports.repository_history import RepositoryHistory

GONE = "gone:"
"""The beginning of the key of a project in whose place another one is now."""


class KnowProjects(NamedTuple):
    """
    The projects of a store, and what git knows of them.

    Attributes:
        projects: Those that the store knows.
        history: The histories that git knows.
        mode: Which projects are trusted.
        exists: Whether there is a file or folder at a path.
    """

    projects: Projects
    history: RepositoryHistory
    mode: TrustMode = "own"
    exists: Callable[[str], bool] = os.path.lexists

    def registry(self) -> Registry:
        """Return all projects that the store knows."""
        return Registry(self.projects.known(), self.projects.trusted_folders(), self.mode)

    def register(self, identity: Identity, label: str) -> Project:
        """
        Return the project of *identity*, added if the store does not know it.

        Raises:
            StorageError: the store can't be written now.
        """
        known = self.registry().with_key(identity.key)
        if known is None:
            known = self._now_a_repository(identity, label) or self.projects.add(identity, label)
        if known.identity != identity and known.identity.root != identity.root and not self.exists(known.identity.root):
            known = self._changed(known._replace(identity=identity, label=label))
        return known

    def _now_a_repository(self, identity: Identity, label: str) -> Project | None:
        """Return the project of the folder that became the repository *identity*; None if the store knows none."""
        plain = self.registry().with_key(identity.root) if identity.is_repository else None
        if plain is None or plain.identity.is_repository:
            return None
        trust: Trust = "revoked" if plain.trust == "revoked" else "unsaid"
        return self._changed(
            plain._replace(identity=identity, label=label, authorship="unknown", trust=trust, joined=None)
        )

    def here(self, identity: Identity, label: str, deadline: Deadline) -> Project:
        """
        Return the project of *identity*, registered; git is asked once whether the user committed to it.

        A store that can't be written now gives a project that it does not know: its id is empty.
        """
        try:
            project = self._as_found(self.register(identity, label), identity, deadline)
        except StorageError:
            project = Project("", label, identity)
        if project.authorship != "unknown":
            return project
        asked = self._with_authorship(project, deadline)
        with suppress(StorageError):  # asked again next time
            return self._changed(asked) if project.id and asked != project else asked
        return asked

    def _as_found(self, project: Project, identity: Identity, deadline: Deadline) -> Project:
        """
        Return *project* as it is found at its place now.

        Another git directory at the same path is another working copy, for which the word of the user does not hold:
        git is asked again. One of another history is another project; the former one keeps what was stored there.
        """
        known = project.identity
        if known.key != identity.key or known.inode in {0, identity.inode} or not identity.is_repository:
            return project
        first: str | None = None
        with suppress(OSError):
            first = self.history.first_commit(identity.root, deadline)
        if first and (first, self.history.remote(identity.root)) == (project.first_commit, project.remote):
            return self._changed(project._replace(identity=identity, authorship="unknown", trust="unsaid", joined=None))
        with self.projects.transaction():
            self._changed(project._replace(identity=known._replace(key=f"{GONE}{project.id}:{known.key}")))
            return self.projects.add(identity, project.label)

    def _with_authorship(self, project: Project, deadline: Deadline) -> Project:
        authorship = self.history.authorship(project.identity.root, deadline)
        return project if authorship == "unknown" else project._replace(authorship=authorship)

    def keep_conversations(self, project: Project, how: Conversations) -> Project:
        """
        Keep the conversations of *project* as the user chose.

        Raises:
            StorageError: the store can't be written now.
        """
        return self._changed(project._replace(chosen=how))

    def look_up(self, project: Project, deadline: Deadline) -> Project:
        """
        Return *project* after git was asked for everything that tells whether it is a known one, moved or cloned.

        A moved repository becomes the project that it was. A second clone that may speak elsewhere joins the first.

        Raises:
            StorageError: the store can't be written now.
        """
        if not project.identity.is_repository:
            return project
        root, found = project.identity.root, project
        if project.authorship != "own":
            found = self._with_authorship(project, deadline)
        with suppress(OSError):  # git did not answer, or not in time: the next look may tell
            found = found._replace(first_commit=project.first_commit or self.history.first_commit(root, deadline))
        found = found._replace(remote=self.history.remote(root))
        return self.settle(self._moved(found if found == project else self._changed(found)))

    def _moved(self, project: Project) -> Project:
        """Return the project that *project* is under a new path, if it is one."""
        for other in self.registry().projects:
            if other.id != project.id and _is_same_repository(project, other) and not self.exists(other.identity.key):
                return self.move(other, project.identity, project.label)
        return project

    def settle(self, project: Project) -> Project:
        """
        Let the trusted clones of the repository of *project* be one project, and the others stand apart; return *project*.

        Raises:
            StorageError: the store can't be written now.
        """
        registry = self.registry()
        clones = [other for other in registry.projects if _is_clone(other, project)]
        trusted = [clone.id for clone in clones if registry.is_shared(clone)]
        with self.projects.transaction():
            for clone in clones:
                joined = trusted[0] if clone.id in trusted[1:] else None
                if joined != clone.joined:
                    self._changed(clone._replace(joined=joined))
        return self.registry().with_id(project.id) or project

    def move(self, project: Project, identity: Identity, label: str) -> Project:
        """
        Return *project* at another place; what was stored there meanwhile joins it.

        The facts of git are those of the new place; trust that the user gave or took there comes before that of *project*.

        Raises:
            StorageError: the store can't be written now.
        """
        moved = project._replace(identity=identity, label=label)
        with self.projects.transaction():
            there = self.registry().with_key(identity.key)
            if there and there.id != project.id:
                self.projects.merge(there.id, project.id)
                trust = project.trust if there.trust == "unsaid" else there.trust
                moved = there._replace(id=project.id, label=label, identity=identity, trust=trust, joined=None)
            return self.settle(self._changed(moved))

    def is_gone(self, project: Project) -> bool:
        """Return whether the folder of *project* is gone, or another project is there now."""
        identity = project.identity
        return not (project.is_elsewhere or (self.exists(identity.key) and self.exists(identity.root)))

    def not_looked_up(self) -> list[Project]:
        """Return the repositories that are there and that git was not asked about, or gave no answer."""
        return [
            project
            for project in self.registry().projects
            if project.is_repository_to_ask and not self.is_gone(project)
        ]

    def merge(self, project: Project, into: Project) -> int:
        """
        Let everything of *project* belong to *into*; return the number of entries.

        Other clones of *project* do not follow it: they stay one project among themselves.

        Raises:
            StorageError: the two are one, or the store can't be written now.
        """
        if project.id == into.id:
            raise StorageError(f"{project.label} can't be merged into itself")
        clones = [other for other in self.registry().projects if other.joined == project.id]
        with self.projects.transaction():
            moved = self.projects.merge(project.id, into.id)
            for clone in clones:
                self.settle(clone)
        return moved

    def trust(self, project: Project, *, trusted: bool) -> Project:
        """
        Return *project* as the user wants it: trusted, or not.

        Raises:
            StorageError: the store can't be written now.
        """
        return self.settle(self._changed(project._replace(trust="trusted" if trusted else "revoked")))

    def trust_below(self, folder: str, *, trusted: bool) -> None:
        """
        Trust every project below *folder*, a real path, also later ones; or no longer. Trust that was given to one project, or taken from it, stays.

        Raises:
            StorageError: the store can't be written now; nothing was changed.
        """
        with self.projects.transaction():
            self.projects.trust_below(folder, trusted=trusted)
            for project in self.registry().projects:
                self.settle(project)

    def _changed(self, project: Project) -> Project:
        self.projects.put(project)
        return project


def _is_same_repository(project: Project, other: Project) -> bool:
    """
    Return whether both have one first commit and one git directory, by device and inode.

    A project that was imported from another machine has no directory here: it has the same `origin`.
    """
    here, there = project.identity, other.identity
    if not project.first_commit or project.first_commit != other.first_commit:
        return False
    if there.inode:
        return (here.device, here.inode) == (there.device, there.inode)
    return bool(project.remote) and project.remote == other.remote


def _is_clone(other: Project, project: Project) -> bool:
    """Return whether both are one repository: of one first commit and one `origin`, or one project."""
    is_known = bool(project.first_commit and project.remote)
    is_clone = is_known and (other.first_commit, other.remote) == (project.first_commit, project.remote)
    return is_clone or other.id == project.id
