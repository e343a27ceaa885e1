"""Projects: what a folder is known by, whose it is, and what may be shown where."""

from typing import Literal, NamedTuple, TypeAlias


class Identity(NamedTuple):
    """
    What a folder is known by, read from the file system without running git.

    Attributes:
        key: The git common directory; of a folder that is in no repository, the folder. An absolute path without links.
        root: The top of the work tree, or the folder; an absolute path without links.
        is_repository: Whether *key* is a git common directory.
        device: The number of the file system of *key*; 0 if unknown.
        inode: The number of *key* there; 0 if unknown.
    """

    key: str
    root: str
    is_repository: bool = False
    device: int = 0
    inode: int = 0


Authorship: TypeAlias = Literal["unknown", "own", "foreign"]
"""Whether the user committed to a repository; `own` also where there is nothing to ask: no repository, commit or address."""

Trust: TypeAlias = Literal["unsaid", "trusted", "revoked"]
"""What the user said of a project."""


class Project(NamedTuple):
    """
    A project that the store knows.

    Attributes:
        id: What entries name it by; it stays when the project moves.
        label: The name of its folder.
        identity: What it is known by now.
        remote: The address of `origin`; empty without one, or when it was not looked up yet.
        first_commit: The first commit of the checked-out history; empty without one, or when it was not looked up yet.
        authorship: Whether the user committed to it.
        trust: What the user said of it.
        joined: The id of the project that this is another clone of; None for none.
    """

    id: str
    label: str
    identity: Identity
    remote: str = ""
    first_commit: str = ""
    authorship: Authorship = "unknown"
    trust: Trust = "unsaid"
    joined: str | None = None
