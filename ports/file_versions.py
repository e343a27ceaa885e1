"""Whose the versions of files are that a checkout brings."""

from typing import Protocol

from hardwon.domain.model.version import Version


class FileVersions(Protocol):
    """
    The present versions of files in working copies.

    A version is the user's if it is in the default branch, if commits of the user brought it, or if the user changed the file
    and did not commit it yet; and so is everything outside of a repository with commits.
    """

    def of(self, path: str) -> Version:
        """Return the version of the file at *path*, an absolute path; never raises, and without an answer it is of others."""
        ...
