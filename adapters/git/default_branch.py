"""
The default branch of a repository, whose content the user accepted.

`git clone` and newer versions of `git fetch` note it. Without their note, a local branch counts
only if no other may be the default. Standard library only.
"""

import os
from collections.abc import Collection, Iterator

from hardwon.adapters.folder import state_of
from hardwon.adapters.git.identity import (
    BRANCH,
    common_folder,
    config_text,
    first_line,
    git_folder,
    identify,
    top_of,
)

HEADS = "refs/heads/"
OF_ORIGIN = "refs/remotes/origin/"
ORIGIN_HEAD = f"{OF_ORIGIN}HEAD"
USUAL = ("main", "master")
DEFAULT_BRANCHES = (*USUAL, "develop", "trunk")
"""Branches that others start from. The first two start from no other."""

OWN_REMOTES = ("origin", ".")
UNFINISHED = (
    *("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"),
    *("rebase-merge", "rebase-apply", "sequencer"),
)
"""Files of git during a merge, cherry-pick, revert, rebase or patch."""
LARGEST_PACKED = 1 << 24
MAX_BRANCHES = 1000


def is_checked_out(top: str, common: str) -> bool:
    """
    Return whether *top* has the default branch and no unfinished merge.

    No process runs.
    """
    folder = git_folder(top)
    if not set(UNFINISHED).isdisjoint(_names_in(folder)):
        return False
    head = first_line(os.path.join(folder, "HEAD"))
    named = first_line(os.path.join(common, *ORIGIN_HEAD.split("/")))
    branch = head.removeprefix(BRANCH)
    if head == branch:
        return False
    return branch == default_branch(common, {*_heads(common)}, named.removeprefix("ref: "))


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def checked_out_state(project_root: str) -> tuple[object, ...]:
    """
    Return what differs after a commit or a switch of the branch.

    No process runs. Changes of the work tree are not noticed.
    """
    identity, top = identify(project_root), top_of(os.path.realpath(project_root))
    if top is None:
        return (identity,)
    folder = git_folder(top)
    common = common_folder(top) or folder
    head = first_line(os.path.join(folder, "HEAD"))
    reference = head.removeprefix("ref: ")
    names = (reference, f"logs/{reference}", ORIGIN_HEAD, "packed-refs", "reftable/tables.list")
    return (identity, head, *(state_of(os.path.join(common, *name.split("/"))) for name in names))


def default_branch(common: str, heads: Collection[str], origin_head: str) -> str | None:
    """
    Return the default branch of the repository *common*, None if unknown.

    Args:
        common: Its git common directory.
        heads: The names of its local branches.
        origin_head: The reference that the remote `origin` names as its default; empty if unknown.
    """
    if origin_head.startswith(OF_ORIGIN):
        return origin_head.removeprefix(OF_ORIGIN)
    names = heads if len(heads) == 1 else dict.fromkeys((*_named_by_user(), *USUAL))
    candidates = [name for name in names if name in heads]
    return candidates[0] if len(candidates) == 1 and _is_no_fork(common, candidates[0]) else None


def is_without_commits(common: str) -> bool:
    """
    Return whether no reference of the repository *common* names a commit.

    No process runs.
    """
    folders = os.walk(os.path.join(common, "refs"))
    return not (
        any(files for _, _, files in folders)
        or os.path.lexists(os.path.join(common, "packed-refs"))
    ) and (not os.path.lexists(os.path.join(common, "reftable")))


def _named_by_user() -> list[str]:
    from hardwon.adapters.git.config_file import values  # noqa: PLC0415  # only where no remote says it

    return values(config_text(os.path.expanduser("~"), ".gitconfig"), "init.defaultbranch")[-1:]


def _is_no_fork(common: str, branch: str) -> bool:
    """Return whether *branch* follows no branch of a fork, as for a pull request."""
    from hardwon.adapters.git.config_file import values  # noqa: PLC0415  # only where no remote says it

    config = config_text(common)
    remotes, merged = (values(config, f"branch.{branch}.{key}")[-1:] for key in ("remote", "merge"))
    return all(remote in OWN_REMOTES for remote in remotes) and all(
        name == f"{HEADS}{branch}" for name in merged
    )


def _heads(common: str) -> Iterator[str]:
    """Yield local branches in files of *common*, a thousand of each sort at most."""
    folder = os.path.join(common, "refs", "heads")
    count = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            yield os.path.relpath(os.path.join(parent, name), folder).replace(os.sep, "/")
            count += 1
            if count >= MAX_BRANCHES:
                return
    yield from _packed(common)


def _packed(common: str) -> Iterator[str]:
    try:
        with open(os.path.join(common, "packed-refs"), encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST_PACKED)
    except OSError:
        return
    for line in text.splitlines():
        _, _, name = line.partition(" ")
        if name.startswith(HEADS):
            yield name.removeprefix(HEADS)
