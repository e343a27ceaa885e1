"""Register projects, look up their history, trust, join and move them."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.project import (
    LARGEST_NUMBER,
    Conversations,
    Identity,
    Project,
    Registry,
    Trust,
)
from hardwon.domain.model.repository import one_spelling
from hardwon.domain.model.vocabulary import TrustMode
from hardwon.ports.projects import Projects
from hardwon.ports.repository import RepositoryHistory

GONE = "gone:"
"""The key prefix of a project whose place another one has taken."""


def number_at(path: str) -> int:
    """Return the inode of the path, 0 if unknown."""
    try:
        return os.stat(path).st_ino & LARGEST_NUMBER
    except OSError:
        return 0


class KnowProjects(NamedTuple):
    """
    The projects of a store, with their history in git.

    Attributes:
        number_at: Returns its inode number; 0 if unknown.
        on_decision: Called after the user's decision on trust.
    """

    projects: Projects
    history: RepositoryHistory
    mode: TrustMode = "own"
    exists: Callable[[str], bool] = os.path.lexists
    number_at: Callable[[str], int] = number_at
    on_decision: Callable[[], None] = lambda: None

    def registry(self) -> Registry:
        """Return all projects that the store knows."""
        return Registry(self.projects.known(), self.projects.trusted_folders(), self.mode)

    def register(self, identity: Identity, label: str, deadline: Deadline | None = None) -> Project:
        """
        Return the project of *identity*, adding it if it is new.

        It is not new if the store knows the same repository at a former place. Git may be asked
        about that within *deadline*, never without one.
        """
        known = self.registry().with_key(identity.key)
        if known is None:
            known = (
                self._renamed(identity, label, deadline)
                or self._now_a_repository(identity, label)
                or self.projects.add(identity, label)
            )
        if (
            known.identity != identity
            and known.identity.root != identity.root
            and (identity.is_main or not self.exists(known.identity.root))
        ):
            known = self._changed(known._replace(identity=identity, label=label))
        return known

    def _renamed(self, identity: Identity, label: str, deadline: Deadline | None) -> Project | None:
        """
        Return the project that was renamed or moved to *identity*.

        It is recognised by the inode of its git directory. As inodes are reused, trust is kept only
        if the repository has the first commit that it had. Before that is known, git has to say the
        same of its authors, or lessons of a deleted foreign repository would become the user's.
        """
        for project in self.registry().projects:
            if _has_number(project, identity) and not self._is_there(project):
                moved = project._replace(identity=identity, label=label)
                if project.first_commit:
                    if self.history.has_commit(identity.root, project.first_commit):
                        return self._changed(moved)
                elif deadline and self._may_be(project, identity, deadline):
                    trust: Trust = "revoked" if project.trust == "revoked" else "unsaid"
                    return self._changed(moved._replace(trust=trust, joined=None))
        return None

    def _is_there(self, project: Project) -> bool:
        key = project.identity.key
        return self.exists(key) and self.number_at(key) in {0, project.identity.inode}

    def _may_be(self, project: Project, identity: Identity, deadline: Deadline) -> bool:
        """Return whether *project*, without a known commit, may be at *identity* now."""
        remote = self.history.remote(identity.root)
        is_same_remote = not project.remote or one_spelling(project.remote) == one_spelling(remote)
        return (
            is_same_remote
            and project.identity.device == identity.device
            and project.authorship == self.history.authorship(identity.root, deadline) != "unknown"
        )

    def _now_a_repository(self, identity: Identity, label: str) -> Project | None:
        plain = self.registry().with_key(identity.root) if identity.is_repository else None
        if plain is None or plain.identity.is_repository:
            return None
        trust: Trust = "revoked" if plain.trust == "revoked" else "unsaid"
        return self._changed(
            plain._replace(
                identity=identity, label=label, authorship="unknown", trust=trust, joined=None
            )
        )

    def here(self, identity: Identity, label: str, deadline: Deadline) -> Project:
        """
        Return the project of *identity*, registered.

        Git is asked once whether the user committed to it. If the store can't be written now, an
        unknown project has an empty id.
        """
        try:
            project = self._as_found(self.register(identity, label, deadline), identity, deadline)
        except StorageError:
            project = Project("", label, identity)
        if project.authorship != "unknown":
            return project
        asked = self._with_authorship(project, deadline)
        asked = asked._replace(remote=asked.remote or self.history.remote(identity.root))
        with suppress(StorageError):  # asked again next time
            return self._changed(asked) if project.id and asked != project else asked
        return asked

    def _as_found(self, project: Project, identity: Identity, deadline: Deadline) -> Project:
        """
        Return *project* as it is found at its place now.

        Another git directory at the same path is another working copy, to which the user's trust
        does not apply: git is asked again. One of another history is another project; the former
        one keeps what was stored there.
        """
        known = project.identity
        if (
            known.key != identity.key
            or known.inode in {0, identity.inode}
            or not identity.is_repository
        ):
            return project
        first: str | None = None
        with suppress(OSError):
            first = self.history.first_commit(identity.root, deadline)
        here = project._replace(first_commit=first, remote=self.history.remote(identity.root))
        if first and _facts(here) == _facts(project):
            return self._changed(
                project._replace(
                    identity=identity, authorship="unknown", trust="unsaid", joined=None
                )
            )
        with self.projects.transaction():
            self._changed(
                project._replace(identity=known._replace(key=f"{GONE}{project.id}:{known.key}"))
            )
            return self.register(identity, project.label)

    def _with_authorship(self, project: Project, deadline: Deadline) -> Project:
        authorship = self.history.authorship(project.identity.root, deadline)
        return project if authorship == "unknown" else project._replace(authorship=authorship)

    def keep_conversations(self, project: Project, how: Conversations) -> Project:
        """Keep the conversations of *project* as the user chose."""
        return self._changed(project._replace(chosen=how))

    def look_up(self, project: Project, deadline: Deadline) -> Project:
        """
        Return *project* after asking git whether it was moved or cloned.

        A moved repository becomes the project that it was. A second clone that is shared joins the
        first, and becomes the one that was imported from another machine.
        """
        if not project.identity.is_repository:
            return project
        root, found = project.identity.root, project
        if project.authorship != "own":
            found = self._with_authorship(project, deadline)
        with suppress(OSError):  # git did not answer, or not in time: the next look may tell
            found = found._replace(
                first_commit=project.first_commit or self.history.first_commit(root, deadline)
            )
        found = found._replace(remote=self.history.remote(root))
        return self.settled(found if found == project else self._changed(found))

    def settled(self, project: Project) -> Project:
        """
        Return *project* where it is now, joined with its clones.

        Only trusted clones are joined.
        """
        for other in self.registry().projects:
            if other.id != project.id and self._is_moved(other, project):
                return self.move(other, project.identity, project.label)
        return self.settle(project)

    def _is_moved(self, other: Project, project: Project) -> bool:
        """
        Return whether *other* is *project* at its former place.

        Both have the same first commit and git directory, by inode. A project that was imported
        from another machine has no directory here: its clone has the same `origin`, and must be
        shared itself, as its files can claim anything.
        """
        if not project.first_commit or project.first_commit != other.first_commit:
            return False
        if other.identity.inode:
            return _has_number(other, project.identity) and not self._is_there(other)
        is_clone = _is_clone(other, project) and not self.exists(other.identity.key)
        return is_clone and self.registry().is_shared(project)

    def bring_in(self, brought: Iterable[Project]) -> None:
        """
        Let projects of another machine's backup wait for their clones here.

        Projects that are here are unchanged.
        """
        for project in brought:
            if self.is_gone(project):
                self._changed(project._replace(identity=without_folder(project)))
        self.settle_all()

    def settle_all(self) -> None:
        """Settle every project, as after the user's decision on many of them."""
        for project in self.registry().projects:
            if now := self.registry().with_id(
                project.id
            ):  # it may have become another one meanwhile
                self.settled(now)

    def settle(self, project: Project) -> Project:
        """Join the trusted clones of *project*, separate the others, and return *project*."""
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
        Return *project* at another place, merged with a project stored there.

        The facts of git are those of the new place. Trust that the user gave or took there takes
        precedence over that of *project*.
        """
        moved = project._replace(identity=identity, label=label)
        with self.projects.transaction():
            there = self.registry().with_key(identity.key)
            if there and there.id != project.id:
                self.projects.merge(there.id, project.id)
                trust = project.trust if there.trust == "unsaid" else there.trust
                moved = there._replace(
                    id=project.id, label=label, identity=identity, trust=trust, joined=None
                )
            return self.settle(self._changed(moved))

    def goes_on(self, project: Project) -> bool:
        """Return whether an existing clone is one project with *project*."""
        registry = self.registry()
        clones = (registry.with_id(clone) for clone in registry.group_of(project)[1:])
        return any(clone is not None and not self.is_gone(clone) for clone in clones)

    def is_gone(self, project: Project) -> bool:
        """Return whether the folder of *project* is gone or holds another project."""
        identity = project.identity
        return not (
            project.is_elsewhere or (self.exists(identity.key) and self.exists(identity.root))
        )

    def not_looked_up(self) -> list[Project]:
        """Return the existing repositories without an answer of git yet."""
        return [
            project
            for project in self.registry().projects
            if project.is_repository_to_ask and not self.is_gone(project)
        ]

    def merge(self, project: Project, into: Project) -> int:
        """
        Move everything of *project* to *into*, and return the number of entries.

        Other clones of *project* do not follow it: they stay one project among themselves.
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
        """Trust or distrust *project*, and return it."""
        decided = self.settled(
            self._changed(project._replace(trust="trusted" if trusted else "revoked"))
        )
        self.on_decision()
        return decided

    def trust_below(self, folder: str, *, trusted: bool) -> None:
        """
        Trust every present and later project below *folder*, or no longer.

        Trust that was given to one project, or taken from it, stays. The folder is a real path.
        """
        with self.projects.transaction():
            self.projects.trust_below(folder, trusted=trusted)
            self.settle_all()
        self.on_decision()

    def _changed(self, project: Project) -> Project:
        self.projects.put(project)
        return project


def _has_number(project: Project, identity: Identity) -> bool:
    known = project.identity
    return known.is_repository and identity.is_repository and 0 < known.inode == identity.inode


def without_folder(project: Project) -> Identity:
    """
    Return the identity of *project* on a machine that lacks its folder.

    A repository is not identified by its path: another one that is made there must not be taken for
    it. A clone of it, wherever it is made, becomes it when git is asked.
    """
    identity = project.identity._replace(device=0, inode=0)
    if identity.is_repository and not identity.key.startswith(GONE):
        return identity._replace(key=f"{GONE}{project.id}:{identity.key}")
    return identity


def facts_of(project: Project) -> tuple[str, str] | None:
    """
    Return the facts that identify clones of *project* on every machine.

    None if they are unknown.
    """
    return _facts(project) if project.first_commit and project.remote else None


def _facts(project: Project) -> tuple[str, str]:
    return (project.first_commit or "", one_spelling(project.remote))


def _is_clone(other: Project, project: Project) -> bool:
    facts = facts_of(project)
    return other.id == project.id or (facts is not None and facts_of(other) == facts)
