"""A repository's branches, in which a missing file is looked for."""

import os
from collections.abc import Sequence
from functools import cached_property

from hardwon.adapters.git.default_branch import HEADS, OF_ORIGIN, ORIGIN_HEAD, default_branch
from hardwon.adapters.git.history import HistoryQuestion
from hardwon.adapters.git.identity import common_folder, first_line, git_folder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Identity

MAX_BRANCHES = 40
"""The number of branches, the newest, in which a missing file is looked for."""


def _folders_of(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)] or [name]


SUBMODULE = b"160000 commit"
"""How git lists a submodule."""


class Branches:
    """Look for a file that is missing in the work tree in branches."""

    def __init__(self, identity: Identity, deadline: Deadline) -> None:
        self._identity = identity
        self._question = HistoryQuestion(identity, deadline)

    def have(self, name: str) -> bool:
        """
        Return whether the file *name* is missing here, and not deleted.

        Another branch has it, or only a part of the files is checked out. The default branch
        decides. A file that the last commit has was deleted by the user.
        """
        if self._listed("HEAD", [name]):
            return self._is_sparse
        is_in_submodule = SUBMODULE in self._listed("HEAD", _folders_of(name))
        if is_in_submodule or any(self._listed(branch, [name]) for branch in self._defaults):
            return True
        whole = ["log", "--max-count=1", "--format=%H", "HEAD", "--", f":(top,literal){name}"]
        if self._question.try_to(whole)[1]:
            return False
        return any(self._listed(branch, [name]) for branch in self._all)

    def _listed(self, revision: str, names: Sequence[str]) -> bytes:
        """Return the lines on *names* in *revision*, empty without it."""
        code, output = self._question.try_to(["ls-tree", "-z", revision, "--", *names])
        return b"" if code else output

    @property
    def _is_sparse(self) -> bool:
        sparse = os.path.join(git_folder(self._identity.root), "info", "sparse-checkout")
        return os.path.lexists(sparse)

    @cached_property
    def _all(self) -> list[str]:
        newest = ["--sort=-committerdate", f"--count={MAX_BRANCHES}", "--format=%(refname)"]
        return (
            self._question.ask(["for-each-ref", *newest, "refs/heads", "refs/remotes"])
            .decode("utf-8", "surrogateescape")
            .split()
        )

    @property
    def _defaults(self) -> list[str]:
        common = common_folder(self._identity.root) or self._identity.key
        origin = first_line(os.path.join(common, *ORIGIN_HEAD.split("/"))).removeprefix("ref: ")
        heads = [name.removeprefix(HEADS) for name in self._all if name.startswith(HEADS)]
        branch = default_branch(common, heads, origin)
        known = (f"{HEADS}{branch}", f"{OF_ORIGIN}{branch}") if branch else ()
        return [name for name in known if name in self._all]
