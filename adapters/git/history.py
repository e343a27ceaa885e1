"""Placeholder."""

from hardwon.ports.repository_history import RepositoryHistory


class GitRepositoryHistory(RepositoryHistory):
    def authorship(self, root, deadline):
        return "own"

    def first_commit(self, root, deadline):
        return None

    def remote(self, root):
        return ""
