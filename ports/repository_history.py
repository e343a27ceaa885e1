"""The history of a repository: who committed to it, where it began, and where it was cloned from."""

from typing import Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Authorship


class RepositoryHistory(Protocol):
    """Facts of a repository's past. A *root* is that of an `Identity`."""

    def authorship(self, root: str, deadline: Deadline) -> Authorship:
        """
        Return whether the user wrote a commit that a branch, tag or other reference reaches; never raises.

        Addresses are compared whole, upper and lower case alike. The user's are those of the user's and the machine's
        configuration; those that a repository's own configuration names do not count.

        Returns:
            `own` also without a repository, a commit, or an address of the user; `unknown` if there was no answer by
            the deadline, or none at all.

        """
        ...

    def first_commit(self, root: str, deadline: Deadline) -> str:
        """
        Return the hash of the first commit of the checked-out history, of several the smallest.

        Empty where there is none to compare: no repository, no commit, or a history that was cloned in part.

        Raises:
            TimeoutError: *deadline* passed; a later call may succeed.
            OSError: git is missing, can't be run or fails.

        """
        ...

    def has_commit(self, root: str, commit: str) -> bool:
        """
        Return whether the repository has that commit among its own objects; never raises. No process.

        Without an answer it is false: an object that lies elsewhere, as in a clone that borrows them, is not looked for.
        """
        ...

    def remote(self, root: str) -> str:
        """Return the address of the remote `origin` without user name and password; empty without one. No process."""
        ...
