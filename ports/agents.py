"""Coding agents, and the record of their set-up."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol, TypeAlias


class SetupWrite(NamedTuple):
    """
    The last write of the set-up to a file.

    Attributes:
        digest: sha256 of the text written.
        was_there: Whether the file existed before this write.
        is_made: Whether hardwon created the file; others may have written to it since.
        original: The text before, where it can't be derived from the new one.
    """

    digest: str
    was_there: bool
    is_made: bool
    original: str | None = None


class SetupRecord(Protocol):
    """
    The persistent record of everything the set-up wrote.

    An empty record leaves no file.
    """

    @property
    def is_empty(self) -> bool:
        """Whether nothing is recorded."""
        ...

    @property
    def keeps_everywhere(self) -> bool | None:
        """
        Whether conversations are kept in every project.

        None in the record of an earlier hardwon, which did.
        """
        ...

    def held(self) -> AbstractContextManager[None]:
        """Keep other processes from changing it, and read what they wrote."""
        ...

    def keep_everywhere(self, *, wanted: bool) -> None:
        """Record whether conversations are kept in every project."""
        ...

    def last_write(self, path: str) -> SetupWrite | None:
        """Return the last write to a file, None without one."""
        ...

    def put(self, path: str, written: SetupWrite) -> None:
        """Record a write before it is made."""
        ...

    def drop(self, path: str) -> None:
        """Remove the record of a file."""
        ...

    def paths(self) -> list[str]:
        """Return the files that were written to, sorted."""
        ...

    def folders(self) -> list[str]:
        """Return the folders that were created, sorted."""
        ...

    def add_folders(self, folders: list[str]) -> None:
        """Record folders that are about to be created."""
        ...

    def drop_folder(self, folder: str) -> None:
        """Remove the record of a folder."""
        ...

    def projects(self) -> list[str]:
        """Return the projects that were set up, sorted."""
        ...

    def add_project(self, project: str) -> None:
        """Record a project."""
        ...

    def drop_project(self, project: str) -> None:
        """Remove the record of a project."""
        ...


class SetupTarget(Protocol):
    """
    A file that an agent reads, with the part that hardwon manages.

    Texts are whole files with their line ends.
    """

    @property
    def path(self) -> str:
        """The absolute path."""
        ...

    @property
    def root(self) -> str:
        """The folder that the path may not lead out of."""
        ...

    def snippet(self, text: str | None) -> str:
        """
        Return the lines that a user would add to *text* by hand.

        Empty for a file that is managed as a whole.
        """
        ...

    def with_managed(self, text: str | None) -> str:
        """
        Return *text* with the managed part, once and up to date.

        Everything else is unchanged. Where a piece of the part has the name of something of the
        user's, only the other pieces are added.

        Args:
            text: The file's text, None without a file.

        Raises:
            TakenNameError: something of the user's has the names of all pieces.
            UneditableFileError: the file can't be edited safely.
        """
        ...

    def without_managed(self, text: str) -> str | None:
        """
        Return *text* without the managed part, None when nothing is left.

        Raises:
            UneditableFileError: the file can't be edited safely.
        """
        ...

    def ensure_not_taken(self, text: str) -> None:
        """
        Check that the user's parts of *text* have no managed names.

        Raises:
            TakenNameError: something of the user's has the name of a piece.
            UneditableFileError: the file can't be edited safely.
        """
        ...

    def is_blank(self, text: str) -> bool:
        """
        Return whether *text* has no content.

        So is a file that had the managed part only, after its removal.
        """
        ...


BY_PLUGIN = "its plugin"
HOOK_TOOL = "hardwon_hook"
"""
The server's tool that agents call with the events of a session.

It is not listed: models have no use for it.
"""


class Connection(NamedTuple):
    """
    The ways in which an agent is configured to call hardwon.

    Attributes:
        ways: Descriptions, such as the path of the file, or `BY_PLUGIN`. None when it does not;
            with several, hooks run twice.
        missing: Absolute paths of programs that its files name and that do not exist.
    """

    ways: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Agent(Protocol):
    """A coding agent that hardwon can be set up for."""

    @property
    def name(self) -> str:
        """The name in options."""
        ...

    @property
    def title(self) -> str:
        """The name for people."""
        ...

    @property
    def program(self) -> str:
        """The name of its executable."""
        ...

    @property
    def is_untried(self) -> bool:
        """Whether it is set up only if it is named."""
        ...

    @property
    def is_there(self) -> bool:
        """Whether its folder is in the user's home: it is installed."""
        ...

    def targets(self) -> Sequence[SetupTarget]:
        """Return the files that get a managed part."""
        ...

    def unwanted(self) -> Sequence[SetupTarget]:
        """Return the files whose managed part is removed."""
        ...

    def project_targets(self, project: str) -> Sequence[SetupTarget]:
        """Return the files of *project*, a real path, to be managed."""
        ...

    def project_unwanted(self, project: str) -> Sequence[SetupTarget]:
        """Return the files of *project*, a real path, to be cleaned."""
        ...

    def connection(self) -> Connection:
        """
        Return how it is configured to call hardwon now.

        Files that can't be read are ignored.
        """
        ...

    def obstacle(self, project: str) -> str:
        """
        Return what keeps it from calling hardwon in *project*, a real path.

        This is a file and its setting; empty for none.
        """
        ...

    def wants(self, project: str, start_seconds: Callable[[], float]) -> Sequence[str]:
        """
        Return what it still needs before it calls hardwon in *project*.

        One line each, with what to type.

        Args:
            project: Where the user works, a real path.
            start_seconds: Measures how long the server takes to start; only called if the agent
                limits that.
        """
        ...

    def next_step(self) -> str:
        """Return the user's next step, in one line."""
        ...


FolderState: TypeAlias = Literal["there", "deleted", "away"]


class UserFiles(Protocol):
    """
    The user's files, read and written as a whole.

    Links are followed within the root given.
    """

    def read(self, path: str, root: str) -> str | None:
        """
        Return the file's text with its line ends, None without a file.

        Raises:
            UneditableFileError: it leads out of *root*, is no regular file of UTF-8 text up to 4
                MB, or can't be read.
        """
        ...

    def ensure_writable(self, path: str, root: str) -> None:
        """
        Check that the file may be written, or does not exist.

        Raises:
            UneditableFileError: it leads out of *root*, or is read-only.
        """
        ...

    def missing_folders(self, path: str) -> list[str]:
        """Return the folders that `write` would create, the outermost first."""
        ...

    def folder_state(self, path: str) -> FolderState:
        """Return whether the folder exists, was deleted, or is unmounted."""
        ...

    def write(self, path: str, text: str, root: str) -> None:
        """
        Write the file atomically.

        An existing file keeps its mode, missing folders are created.

        Raises:
            UneditableFileError: as for `ensure_writable`, or it can't be written now.
        """
        ...

    def remove(self, path: str, root: str) -> None:
        """
        Remove the file if it exists.

        Raises the errors of `write`.
        """
        ...

    def remove_empty_folder(self, path: str) -> None:
        """Remove the folder if it exists and is empty."""
        ...


class AnsweringMark(Protocol):
    """The mark of a running server that answers its client's hooks."""

    def set(self) -> None:
        """Write the mark of this process, unless there is one."""
        ...

    def remove(self) -> None:
        """Remove the mark, so that processes answer."""
        ...

    def remove_dead(self) -> None:
        """Remove the marks of this client and of clients that are gone."""
        ...
