"""A git repository: history, file versions, ignored files and the working copy."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Authorship
from hardwon.domain.model.repository import Version


class RepositoryHistory(Protocol):
    """
    Facts of a repository's past.

    A *root* is that of an `Identity`.
    """

    def authorship(self, root: str, deadline: Deadline) -> Authorship:
        """
        Return whether the user wrote a commit that a reference reaches.

        Never raises. A reference is a branch, tag or other. Addresses are compared whole, upper and
        lower case alike. The user's are those of the user's and the machine's configuration; those
        that a repository's own configuration names do not count.

        Returns:
            `own` also without a repository, a commit, or an address of the user; `unknown` if there
            was no answer by the deadline, or none at all.
        """
        ...

    def first_commit(self, root: str, deadline: Deadline) -> str:
        """
        Return the hash of the first commit of the checked-out history.

        Of several, the smallest. Empty where there is none to compare: no repository, no commit, or
        a history that was cloned in part.

        Raises:
            TimeoutError: *deadline* passed; a later call may succeed.
            OSError: git is missing, can't be run or fails.
        """
        ...

    def has_commit(self, root: str, commit: str) -> bool:
        """
        Return whether the repository has that commit among its own objects.

        Never raises, starts no process. Without an answer it is false: an object that lies
        elsewhere, as in a clone that borrows them, is not searched for.
        """
        ...

    def remote(self, root: str) -> str:
        """
        Return the address of the remote `origin`, empty without one.

        It has no user name and password. Starts no process.
        """
        ...


class GitExclusion(Protocol):
    """
    The patterns by which git ignores a project's folders of conversations.

    They apply to this user alone.
    """

    def exclude(self, project_root: str) -> None:
        """
        Let git ignore the folders that hardwon writes below `memory`.

        Idempotent, and without effect outside of a repository.

        Raises:
            UnreadableFileError: the patterns can't be written.
        """
        ...

    def include(self, project_root: str) -> None:
        """
        Remove these patterns (idempotent).

        Raises:
            UnreadableFileError: they can't be taken out.
        """
        ...

    def tracked(self, project_root: str) -> Sequence[str]:
        """
        Return the files in these folders that git already tracks.

        Paths are relative to the top of the work tree.
        """
        ...


class FileVersions(Protocol):
    """
    The present versions of files in working copies.

    A version is the user's if it is in the default branch, if commits of the user brought it, or if
    the user changed the file and did not commit it yet; and so is everything outside of a
    repository with commits.
    """

    def version_of(self, path: str) -> Version:
        """
        Return the version of the file at *path*, an absolute path.

        Never raises; without an answer it is of others.
        """
        ...


PathKind: TypeAlias = Literal["file", "folder", "missing", "outside"]


class WorkTree(Protocol):
    """
    The files of a project as they are now, in a repository or not.

    Paths are relative to its root, with slashes, in any composition of accents. Nothing outside of
    the root is read, also through no link.
    """

    def kind_of(self, path: str) -> PathKind:
        """
        Return what is at *path*, which may be absolute.

        It is `outside` if it, or a link in it, leads out of the root.
        """
        ...

    def content(self, path: str, at_most: int) -> bytes | None:
        """Return the content of a file, None if it is larger or unreadable."""
        ...

    def files(self, ending: str) -> Sequence[str]:
        """
        Return the paths that end in *ending*, sorted.

        Those that git ignores are left out, and those beyond a limit.
        """
        ...

    def is_elsewhere(self, path: str) -> bool:
        """
        Return whether a missing file is only in another branch.

        Raises:
            OSError: git can't tell, or not in time.
        """
        ...

    def is_settled(self) -> bool:
        """Return whether no merge, rebase or the like is unfinished."""
        ...
