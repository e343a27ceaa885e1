"""Random repositories, worktrees, clones, copies, moves, merges and trust, against a model that says who sees what."""

import itertools
from typing import Any, ClassVar, NamedTuple

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Authorship, Identity, Project
from hardwon.domain.model.vocabulary import Reach, TrustMode
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.ports.override import override
from hardwon.ports.repository import RepositoryHistory
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import InMemoryProjects
from tests.strategies import lesson

PARENTS = ("/home/acme", "/home/globex")
FOLDERS = (*PARENTS, "/home")
REACHES: tuple[Reach, ...] = ("everywhere", "shared", "home")
NO_HURRY = Deadline(lambda: 0.0)


class Repository(NamedTuple):
    """
    The facts that git knows of a working copy.

    Attributes:
        first_commit: Empty without one.
        remote: Empty without one.
        authorship: Whether the user committed to it.
    """

    first_commit: str = ""
    remote: str = ""
    authorship: Authorship = "own"

    def is_clone_of(self, other: "Repository") -> bool:
        """Return whether both have one history and one `origin`."""
        return bool(self.remote) and (self.first_commit, self.remote) == (
            other.first_commit,
            other.remote,
        )


@attrs.define(eq=False)
class Copy:
    """
    A working copy, which stays the same when it moves.

    Attributes:
        root: Its folder.
        inode: The number of its git directory; 0 in a folder outside of repositories.
        worktrees: Folders of its other worktrees.
        choice: Whether the user trusted it; None where nothing was said.
        is_known: Whether a session and the worker's look followed since it was made.
        is_replaced: Whether a repository of another history is in its place.
        was: The copy whose git directory was copied to this place and removed there.
    """

    root: str
    repository: Repository
    inode: int = 0
    worktrees: list[str] = attrs.field(factory=list)
    choice: bool | None = None
    is_known: bool = False
    is_replaced: bool = False
    was: "Copy | None" = None

    @property
    def key(self) -> str:
        """The path that identifies it now."""
        return f"{self.root}/.git" if self.inode else self.root

    def identity(self, root: str) -> Identity:
        """Return its identity, read in the folder *root*."""
        return Identity(
            self.key, root, bool(self.inode), device=1 if self.inode else 0, inode=self.inode
        )


@attrs.define
class Stored:
    """
    An entry.

    Attributes:
        entry_id: In the store.
        of: The copy where it was stored.
        reach: Where it may be shown.
        places: The copies where it was stored again.
    """

    entry_id: str
    of: Copy
    reach: Reach
    places: list[Copy] = attrs.field(factory=list)

    def belong(self, copy: Copy, *before: Copy) -> None:
        """Let it belong to *copy* where it belonged to one of *before*."""
        self.of = copy if self.of in before else self.of
        self.places = [copy if place in before else place for place in self.places]


class Git(RepositoryHistory):
    """Git on the disk of the machine."""

    def __init__(self, machine: "ProjectsMachine") -> None:
        self._machine = machine

    @override
    def authorship(self, root: str, deadline: Deadline) -> Authorship:
        del deadline
        return self._machine.at(root).repository.authorship

    @override
    def first_commit(self, root: str, deadline: Deadline) -> str:
        del deadline
        return self._machine.at(root).repository.first_commit

    @override
    def has_commit(self, root: str, commit: str) -> bool:
        return self._machine.at(root).repository.first_commit == commit

    @override
    def remote(self, root: str) -> str:
        return self._machine.at(root).repository.remote


class ProjectsMachine(RuleBasedStateMachine):
    """Work in projects that come, move and go."""

    copies: ClassVar[Bundle[Copy]] = Bundle("copies")
    upstreams: ClassVar[Bundle[Repository]] = Bundle("upstreams")
    parents = st.sampled_from(PARENTS)
    labels = st.sampled_from(["app", "lib"])
    authorships = st.sampled_from(["own", "foreign"])

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count(1)
        self.disk = list[Copy]()
        self.used = set[str]()
        self.stored = list[Stored]()
        self.trusted_folders = set[str]()
        self.projects = InMemoryProjects()
        self.repository = InMemoryEntryRepository(self.projects.state)

    @initialize(target=copies, mode=st.sampled_from(["own", "ask"]), count=st.integers(0, 3))
    def begin(self, mode: TrustMode, count: int) -> Any:
        """Begin with some clones of one repository, which would seldom come about."""
        self.mode = mode
        self.know = KnowProjects(self.projects, Git(self), mode, self.exists, self.number_at)
        upstream = self._published("own")
        clones = [self._add(PARENTS[number % 2], "app", upstream) for number in range(count)]
        for clone in clones:
            self._look_at(clone, clone.root)
        return multiple(*clones)

    def exists(self, path: str) -> bool:
        return any(path in {copy.root, copy.key, *copy.worktrees} for copy in self.disk)

    def number_at(self, path: str) -> int:
        return next((copy.inode for copy in self.disk if path == copy.key), 0)

    def at(self, root: str) -> Copy:
        return next(copy for copy in self.disk if root in {copy.root, *copy.worktrees})

    def _free(self, parent: str, label: str) -> str:
        """Return a new folder; two in one parent have different names, two in different parents may have one."""
        names = itertools.chain([label], (f"{label}{number}" for number in self.numbers))
        path = next(path for name in names if (path := f"{parent}/{name}") not in self.used)
        self.used.add(path)
        return path

    def _add(
        self, parent: str, label: str, repository: Repository, *, is_repository: bool = True
    ) -> Copy:
        inode = next(self.numbers) if is_repository else 0
        copy = Copy(self._free(parent, label), repository, inode)
        self.disk.append(copy)
        return copy

    @rule(target=copies, parent=parents, label=labels)
    def make_folder(self, parent: str, label: str) -> Copy:
        return self._add(parent, label, Repository(), is_repository=False)

    @rule(target=copies, parent=parents, label=labels, authorship=authorships)
    def make_repository(self, parent: str, label: str, authorship: Authorship) -> Copy:
        return self._add(parent, label, Repository(f"commit-{next(self.numbers)}", "", authorship))

    @rule(target=upstreams, authorship=authorships)
    def make_upstream(self, authorship: Authorship) -> Repository:
        return self._published(authorship)

    def _published(self, authorship: Authorship) -> Repository:
        number = next(self.numbers)
        return Repository(f"commit-{number}", f"https://example.org/{number}", authorship)

    @rule(target=copies, upstream=upstreams, parent=parents, label=labels)
    def clone(self, upstream: Repository, parent: str, label: str) -> Copy:
        return self._add(parent, label, upstream)

    @rule(target=copies, of=copies, parent=parents, label=labels)
    def copy(self, of: Copy, parent: str, label: str) -> Copy:
        return self._add(parent, label, of.repository, is_repository=bool(of.inode))

    @rule(of=copies, parent=parents, label=labels)
    def add_worktree(self, of: Copy, parent: str, label: str) -> None:
        if of.inode:
            of.worktrees.append(self._free(parent, label))

    @rule(of=copies)
    def remove_worktree(self, of: Copy) -> None:
        if of.worktrees:
            of.worktrees.pop()
            self._look_at(of, of.root)

    @rule(of=copies, parent=parents, label=labels)
    def move(self, of: Copy, parent: str, label: str) -> None:
        """Rename a repository on its file system, and go on with work there."""
        if of.inode:
            of.root = self._free(parent, label)
            self._look_at(of, of.root)

    @rule(of=copies, parent=parents, label=labels, is_looked_up=st.booleans())
    def rename_between_hooks(
        self, of: Copy, parent: str, label: str, *, is_looked_up: bool
    ) -> None:
        """Rename a repository after a hook, maybe before the worker asked git; a hook is the first to see it then."""
        if of.inode and not of.is_replaced:
            before = self._look_at(of, of.root) if is_looked_up else self._see(of)
            of.root = self._free(parent, label)
            assert self._see(of).id == before.id
            self._look_at(of, of.root)

    @rule(target=copies, of=consumes(copies), parent=parents, label=labels)
    def move_across(self, of: Copy, parent: str, label: str) -> Any:
        """Move a repository to another file system: another project, until the user names the old place."""
        if not of.inode or of.worktrees or not of.is_known:
            return multiple(of)
        self.disk.remove(of)
        copy = self._add(parent, label, of.repository)
        copy.was = of
        return copy

    @rule(of=copies)
    def name_the_old_place(self, of: Copy) -> None:
        if of.was is None:
            return
        was, of.was = of.was, None
        old = self._project(was)
        self._look_at(of, of.root)
        self.know.move(old, of.identity(of.root), of.root.rpartition("/")[2])
        of.choice = was.choice if of.choice is None else of.choice
        self._belong(of, was)

    @rule(of=copies, authorship=authorships)
    def clone_again(self, of: Copy, authorship: Authorship) -> None:
        """Delete a repository and clone it to the same place, where git may know other authors."""
        if of.inode and of.is_known and not of.worktrees:
            of.inode, of.choice = next(self.numbers), None
            of.repository = of.repository._replace(authorship=authorship)
            self._look_at(of, of.root)

    @rule(target=copies, of=consumes(copies), upstream=upstreams)
    def replace(self, of: Copy, upstream: Repository) -> Any:
        """Delete a repository and clone another one to its place."""
        if not of.inode or not of.is_known or of.worktrees or upstream.is_clone_of(of.repository):
            return multiple(of)
        self.disk.remove(of)
        of.is_replaced = True
        copy = Copy(of.root, upstream, next(self.numbers))
        self.disk.append(copy)
        self._look_at(copy, copy.root)
        return copy

    @rule(of=copies, authorship=authorships)
    def make_it_a_repository(self, of: Copy, authorship: Authorship) -> None:
        if not of.inode:
            of.inode, of.repository = (
                next(self.numbers),
                Repository(f"commit-{next(self.numbers)}", "", authorship),
            )
            of.choice = False if of.choice is False else None
            self._look_at(of, of.root)

    @rule(of=copies, into=copies)
    def merge(self, of: Copy, into: Copy) -> None:
        """Let the entries of one project belong to another; what is stored in its folder later is of a new project."""
        if of is into or not (of.is_known and into.is_known):
            return
        self.know.merge(self._project(of), self._project(into))
        self._belong(into, of)
        of.is_known, of.choice = False, None

    def _belong(self, copy: Copy, *before: Copy) -> None:
        for item in self.stored:
            item.belong(copy, *before)

    @rule(of=copies)
    def visit(self, of: Copy) -> None:
        self._look_at(of, of.root)

    @rule(of=copies, place=st.integers(0, 2), reach=st.sampled_from(REACHES))
    def store(self, of: Copy, place: int, reach: Reach) -> None:
        """Store an entry in the copy or in one of its worktrees."""
        roots = [of.root, *of.worktrees]
        project = self._look_at(of, roots[place % len(roots)])
        entry = attrs.evolve(
            lesson(f"Lesson {next(self.numbers)}"), project=project.id, reach=reach
        )
        self.repository.put(entry)
        self.stored.append(Stored(entry.entry_id, of, reach))

    @rule(number=st.integers(0, 9), of=copies)
    def store_again(self, number: int, of: Copy) -> None:
        """Store a known entry in another project too."""
        if self.stored:
            item = self.stored[number % len(self.stored)]
            self.projects.add_place(item.entry_id, self._look_at(of, of.root).id)
            item.places.append(of)

    @rule(of=copies, trusted=st.booleans())
    def trust(self, of: Copy, *, trusted: bool) -> None:
        self.know.trust(self._look_at(of, of.root), trusted=trusted)
        of.choice = trusted

    @rule(folder=st.sampled_from(FOLDERS), trusted=st.booleans())
    def trust_below(self, folder: str, *, trusted: bool) -> None:
        self.know.trust_below(folder, trusted=trusted)
        (self.trusted_folders.add if trusted else self.trusted_folders.discard)(folder)

    def _see(self, copy: Copy) -> Project:
        """Let a hook begin in a copy."""
        return self.know.here(copy.identity(copy.root), copy.root.rpartition("/")[2], NO_HURRY)

    def _look_at(self, copy: Copy, root: str) -> Project:
        """Let a session start in a folder, and the worker look after it."""
        project = self.know.here(copy.identity(root), root.rpartition("/")[2], NO_HURRY)
        copy.is_known = True
        return self.know.look_up(project, NO_HURRY)

    def _project(self, copy: Copy) -> Project:
        project = self.know.registry().with_key(copy.key)
        assert project, f"the store does not know {copy}"
        return project

    def _is_foreign(self, copy: Copy) -> bool:
        if copy.choice is not None:
            return not copy.choice
        if not copy.is_replaced and any(
            copy.root.startswith(f"{folder}/") for folder in self.trusted_folders
        ):
            return False
        return self.mode == "ask" or copy.repository.authorship != "own"

    def _is_one_project(self, one: Copy, other: Copy) -> bool:
        """Return whether both are one working copy, or trusted clones of one repository."""
        if one is other:
            return True
        is_clone = one.repository.is_clone_of(other.repository)
        return is_clone and not self._is_foreign(one) and not self._is_foreign(other)

    def _is_shown(self, item: Stored, copy: Copy) -> bool:
        if item.reach == "everywhere" or any(
            self._is_one_project(place, copy) for place in (item.of, *item.places)
        ):
            return True
        return (
            item.reach == "shared" and not self._is_foreign(item.of) and not self._is_foreign(copy)
        )

    @invariant()
    def every_project_shows_what_it_may(self) -> None:
        registry = self.know.registry()
        for copy in self.disk:
            if not copy.is_known:
                continue
            visibility = registry.visibility(self._project(copy))
            for item in self.stored:
                project, places = self._origin(item)
                shown, expected = (
                    visibility.admits(project, item.reach, places),
                    self._is_shown(item, copy),
                )
                assert shown == expected, f"{item} is {'' if shown else 'not '}shown in {copy}"

    def _origin(self, item: Stored) -> tuple[str | None, tuple[str, ...]]:
        """Return the project and the other places of an entry in the store."""
        entry = self.repository.by_id(item.entry_id)
        assert entry, f"{item} is lost"
        return entry.project, self.projects.places_of(item.entry_id)

    @invariant()
    def one_label_never_names_two_projects_of_different_folders(self) -> None:
        registry = self.know.registry()
        for copy, other in itertools.combinations(
            [known for known in self.disk if known.is_known], 2
        ):
            if copy.root.rpartition("/")[0] != other.root.rpartition("/")[
                0
            ] and not self._is_one_project(copy, other):
                labels = [registry.label_of(self._project(item).id) for item in (copy, other)]
                assert labels[0] != labels[1], f"{labels[0]} names {copy} and {other}"


TestProjects = ProjectsMachine.TestCase
