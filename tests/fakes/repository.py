"""Histories of repositories and versions of files, in memory."""

import errno
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Authorship
from hardwon.domain.model.repository import OWN, Version, without_user
from hardwon.ports.override import override
from hardwon.ports.repository import FileVersions, RepositoryHistory


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
