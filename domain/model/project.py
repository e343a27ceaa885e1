"""Projects: their identity, their trust, and the visibility of entries."""

import os
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from hardwon.domain.model.vocabulary import Reach, TrustMode

LARGEST_NUMBER = (1 << 63) - 1
"""Of a file on its file system, as it is stored."""


class Identity(NamedTuple):
    """
    The identity of a folder, read without running git.

    Attributes:
        key: The git common directory; of a folder that is in no repository, the folder. An absolute
            path without links.
        is_repository: Whether *key* is a git common directory.
        inode: The number of *key* there; 0 if unknown.
    """

    key: str
    root: str
    is_repository: bool = False
    device: int = 0
    inode: int = 0

    @property
    def is_main(self) -> bool:
        """Whether *root* is the main work tree, which holds the git directory."""
        return self.key == os.path.join(self.root, ".git")

    def as_text(self) -> "Identity":
        r"""
        Return the identity as text that can be stored.

        With bytes that are not UTF-8, written as `\xff`, it is no repository.
        """
        root = escaped(self.root)
        if (root, escaped(self.key)) == (self.root, self.key):
            return self
        return self._replace(key=root, root=root, is_repository=False)


def escaped(name: str) -> str:
    r"""Return *name* with bytes that are not UTF-8 as `\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


Authorship: TypeAlias = Literal["unknown", "own", "foreign"]
AUTHORSHIPS: tuple[Authorship, ...] = get_args(Authorship)
"""
Whether the user committed to a repository.

`own` also where there is nothing to ask: no repository, commit or address.
"""

Trust: TypeAlias = Literal["unsaid", "trusted", "revoked"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)
Conversations: TypeAlias = Literal["shared", "private", "off"]
CONVERSATIONS: tuple[Conversations, ...] = get_args(Conversations)
"""The user's word on a project."""

KeepingReason: TypeAlias = Literal["init", "setting", "plugin", "files", "everywhere", "earlier"]
"""
Why the conversations of a project are kept.

`init` ran there, a `setting` or the `plugin` says so, `files` of conversations are there, the user
chose it for every project, or an `earlier` hardwon was set up, which kept those of every project.
"""

WAITING = "label:"
"""Prefix of the key of a project whose folder is unknown."""


TrustReason: TypeAlias = Literal[
    "revoked", "trusted", "waiting", "below", "foreign", "unknown", "unnamed", "own"
]
"""
Why a project may speak elsewhere, or not.

`below` is a trusted folder that contains it; an `unnamed` one is not known to be trusted where only
the user's word counts.
"""


class Project(NamedTuple):
    """
    A project that the store knows.

    Attributes:
        id: The name that entries have for it; it stays when the project moves.
        first_commit: The first commit of the checked-out history; empty without one, None when it
            was not looked up yet.
        chosen: How the user wants its conversations to be kept; None before a choice.
    """

    id: str
    label: str
    identity: Identity
    remote: str = ""
    first_commit: str | None = None
    authorship: Authorship = "unknown"
    trust: Trust = "unsaid"
    joined: str | None = None
    chosen: Conversations | None = None

    @property
    def conversations(self) -> Conversations:
        """How its conversations are kept: shared by git, private, or off."""
        return self.chosen or "private"

    @property
    def keeps_private_files(self) -> bool:
        """
        Whether its conversation files are kept out of git.

        They may vanish without a word of the user.
        """
        return self.identity.is_repository and self.conversations != "shared"

    def is_as_known(self, identity: Identity) -> bool:
        """
        Return whether it is complete, and still the project at *identity*.

        It is complete when all that a session needs is known.
        """
        is_same = self.identity.inode == identity.inode or not identity.is_repository
        return is_same and self.authorship != "unknown"

    @property
    def is_waiting(self) -> bool:
        """Whether it is an older version's label without a folder."""
        return self.identity.key.startswith(WAITING)

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is on another machine, or another member's."""
        return not (self.is_waiting or os.path.isabs(self.identity.root))

    @property
    def is_repository_to_ask(self) -> bool:
        """Whether it is a repository that git has not answered about."""
        return self.identity.is_repository and (
            self.first_commit is None or self.authorship == "unknown"
        )


class Registry(NamedTuple):
    """
    The projects that the store knows, with the user's word on them.

    Attributes:
        trusted_folders: The real paths of folders below which every project is trusted.
    """

    projects: tuple[Project, ...] = ()
    trusted_folders: tuple[str, ...] = ()
    mode: TrustMode = "own"

    def is_shared(self, project: Project) -> bool:
        """Return whether the entries of *project* may be shown in other projects."""
        return self.reason(project) in {"trusted", "below", "own"}

    def reason(self, project: Project) -> TrustReason:
        """Return why entries of *project* may be shown elsewhere or not."""
        if project.trust != "unsaid":
            return project.trust
        if project.is_waiting:
            return "waiting"
        if self.trusted_folder_of(project):
            return "below"
        if project.authorship == "own":
            return "own" if self.mode == "own" else "unnamed"
        return project.authorship

    def trusted_folder_of(self, project: Project) -> str:
        """Return the trusted folder that contains *project*, empty without one."""
        return next(
            (folder for folder in self.trusted_folders if self.is_below(project, folder)), ""
        )

    def is_below(self, project: Project, folder: str) -> bool:
        """Return whether *project* is in *folder*, a real path, or below it."""
        return _is_below(project.identity.key, folder)

    def with_key(self, key: str) -> Project | None:
        """Return the project of that key, if any."""
        return next((project for project in self.projects if project.identity.key == key), None)

    def holding(self, path: str) -> Project | None:
        """Return the innermost project that contains *path*, if any."""
        holders = (project for project in self.projects if _is_below(path, project.identity.root))
        return max(holders, key=lambda project: len(project.identity.root), default=None)

    def with_id(self, project_id: str) -> Project | None:
        """Return the project of that id, if any."""
        return next((project for project in self.projects if project.id == project_id), None)

    def keys_of(self, ids: Sequence[str]) -> frozenset[str]:
        """Return the keys of the projects of those *ids*."""
        return frozenset(project.identity.key for project in self.projects if project.id in ids)

    def group_of(self, project: Project) -> tuple[str, ...]:
        """
        Return the ids of *project* and its clones, its own first.

        Clones count only if both may be shown elsewhere.
        """
        if not self.is_shared(project):
            return (project.id,)
        head = project.joined or project.id
        clones = (
            other
            for other in self.projects
            if head in {other.id, other.joined} and other.id != project.id
        )
        return (project.id, *(other.id for other in clones if self.is_shared(other)))

    def label_of(self, project_id: str | None) -> str:
        """
        Return the display name of a project: its folder's.

        The parent folder is added where several share the name.
        """
        project = self.with_id(project_id or "")
        if project is None:
            return ""
        clones = self.group_of(project)
        if project.is_waiting or not any(
            other.label == project.label and other.id not in clones and not other.is_waiting
            for other in self.projects
        ):
            return project.label
        parent = os.path.basename(os.path.dirname(project.identity.root))
        return "/".join(filter(None, (parent, project.label)))

    def labels(self) -> dict[str, str]:
        """Return the display names of all projects, by id."""
        return {project.id: self.label_of(project.id) for project in self.projects}

    def siblings(self, project: Project) -> tuple[str, ...]:
        """Return the distinct names of other projects in the same folder, sorted."""
        folder = os.path.dirname(project.identity.root)
        beside = (
            other.label for other in self.projects if os.path.dirname(other.identity.root) == folder
        )
        return tuple(sorted({*beside} - {project.label, ""}))

    def named(self, name: str) -> list[Project]:
        """
        Return the projects that *name* denotes.

        It is the project of that id, key or folder; else those of that label with parent, or else
        of that label.
        """
        for is_named in (
            lambda project: name in {project.id, project.identity.key, project.identity.root},
            lambda project: name == self.label_of(project.id),
            lambda project: name == project.label,
        ):
            if found := [project for project in self.projects if is_named(project)]:
                return found
        return []

    def adoptions(self) -> list[tuple[Project, Project]]:
        """
        Return the waiting labels, each with the one project that it means.

        That project has the label, and may speak elsewhere. A label is left out where several
        projects may be meant, or git was not asked yet about one of them.
        """
        pairs = (
            (waiting, self._namesakes(waiting))
            for waiting in self.projects
            if self.reason(waiting) == "waiting"
        )
        return [(waiting, namesakes[0]) for waiting, namesakes in pairs if self._are_one(namesakes)]

    def _namesakes(self, waiting: Project) -> list[Project]:
        others = (
            other
            for other in self.projects
            if other.label == waiting.label and not other.is_waiting
        )
        return [
            other for other in others if self.is_shared(other) or self.reason(other) == "unknown"
        ]

    def _are_one(self, projects: list[Project]) -> bool:
        return (
            bool(projects)
            and self.is_shared(projects[0])
            and {project.id for project in projects} <= {*self.group_of(projects[0])}
        )

    def visibility(self, here: Project | None) -> "Visibility":
        """
        Return what may be shown without a query in the project *here*.

        None stands for a project that the store does not know.
        """
        own = self.group_of(here) if here else ()
        silent = [
            project
            for project in self.projects
            if project.id not in own and not self.is_shared(project)
        ]
        return Visibility(
            own=own,
            silent=tuple(project.id for project in silent),
            is_foreign=here is not None and not self.is_shared(here),
            waiting=tuple(project.id for project in silent if self.reason(project) == "waiting"),
        )


class Visibility(NamedTuple):
    """
    The entries that may be shown without a query in one project.

    Attributes:
        own: The ids of the project and of its other clones.
        silent: The ids of projects whose entries stay at home.
        is_foreign: Whether the project is foreign: of others, only what the user made for
            everywhere is shown there.
        waiting: The ids of those silent ones whose entries wait for the user to name their project.
    """

    own: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    is_foreign: bool = False
    waiting: tuple[str, ...] = ()

    def for_person(self) -> "Visibility":
        """Return what answers a person: all of their projects, and waiting ones."""
        silent = tuple(project_id for project_id in self.silent if project_id not in self.waiting)
        return self._replace(silent=silent, is_foreign=False)

    def admits(self, project: str | None, reach: Reach, places: Iterable[str] = ()) -> bool:
        """Return whether an entry may be shown."""
        if reach == "everywhere" or not {project, *places}.isdisjoint(self.own):
            return True
        return reach == "shared" and (
            project is None or not (self.is_foreign or project in self.silent)
        )


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))
