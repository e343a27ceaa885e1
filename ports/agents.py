from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias


class Written(NamedTuple):
    """
    A record of a file that the set-up wrote.

    Attributes:
        digest: sha256 of its new text.
        was_there: Whether there was a file when this was written.
        is_made: Whether the file would not be there without us, though others may have written to it since.
        original: Its text before, where that can't be derived from the new one.

    """

    digest: str
    was_there: bool
    is_made: bool
    original: str | None = None


class SetupRecord(Protocol):
    """A record of all that the set-up wrote, kept from one run to the next; an empty one leaves no file."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is noted."""
        ...

    def get(self, path: str) -> Written | None:
        """Return the last write to a file; None for none."""
        ...

    def put(self, path: str, written: Written) -> None:
        """Note a write before it is made."""
        ...

    def drop(self, path: str) -> None:
        """Forget a file."""
        ...

    def paths(self) -> list[str]:
        """Return the files that were written to, in order."""
        ...

    def folders(self) -> list[str]:
        """Return the folders that were made, in order."""
        ...

    def add_folders(self, folders: list[str]) -> None:
        """Note folders that are about to be made."""
        ...

    def drop_folder(self, folder: str) -> None:
        """Forget a folder."""
        ...

    def projects(self) -> list[str]:
        """Return the projects that were set up, in order."""
        ...

    def add_project(self, project: str) -> None:
        """Note a project."""
        ...

    def drop_project(self, project: str) -> None:
        """Forget a project."""
        ...


class SetupTarget(Protocol):
    """A file that an agent reads, and our part of it; texts are whole files, line ends as they are."""

    @property
    def path(self) -> str:
        """Where it is, absolute."""
        ...

    @property
    def root(self) -> str:
        """The folder that it may not lead out of."""
        ...

    def snippet(self, text: str | None) -> str:
        """Return the lines that a user would add to *text* by hand; empty for a file that is all ours."""
        ...

    def with_managed(self, text: str | None) -> str:
        """
        Return *text* with our part, once and as it should be; all else is as it was.

        Where only a part of it would take a name of the user's, the rest is brought in.

        Args:
            text: The file's text, None where there is no file.

        Raises:
            TakenNameError: something of the user's has the name of ours, and nothing can be brought in.
            UneditableFileError: it can't be edited safely.

        """
        ...

    def without_managed(self, text: str) -> str | None:
        """
        Return *text* without our part, None when all of it is ours; itself when nothing is.

        Raises:
            UneditableFileError: it can't be edited safely.
        """
        ...

    def ensure_not_taken(self, text: str) -> None:
        """
        Do nothing where all of ours could stand in *text*.

        Raises:
            TakenNameError: something of the user's has the name of ours.
            UneditableFileError: it can't be edited safely.
        """
        ...

    def is_blank(self, text: str) -> bool:
        """Tell whether *text* says nothing: a file that held only ours is then left with it."""
        ...


BY_PLUGIN = "its plugin"


class Connection(NamedTuple):
    """
    How an agent comes to call us.

    Attributes:
        ways: In words, such as the file that says so; none when it does not.
        missing: Absolute paths of programs that its files name and that are gone.

    """

    ways: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def is_by_plugin(self) -> bool:
        """Whether our plugin is enabled, which brings hooks and tools."""
        return BY_PLUGIN in self.ways

    @property
    def is_twice(self) -> bool:
        """Whether hooks run twice."""
        return len(self.ways) > 1


class Agent(Protocol):
    """A coding agent that can be given a memory."""

    @property
    def name(self) -> str:
        """As an option names it."""
        ...

    @property
    def title(self) -> str:
        """As people name it."""
        ...

    @property
    def program(self) -> str:
        """The name of its program."""
        ...

    @property
    def is_there(self) -> bool:
        """Whether its folder is in the user's home."""
        ...

    def targets(self) -> Sequence[SetupTarget]:
        """Return the files that are to hold something of ours."""
        ...

    def unwanted(self) -> Sequence[SetupTarget]:
        """Return the files that are to hold nothing of ours any more."""
        ...

    def project_targets(self, project: str) -> Sequence[SetupTarget]:
        """Return the files in *project*, a real path, that are to hold something of ours."""
        ...

    def project_unwanted(self, project: str) -> Sequence[SetupTarget]:
        """Return the files in *project*, a real path, that are to hold nothing of ours any more."""
        ...

    def connection(self) -> Connection:
        """Return how it comes to call us now; files that can't be read say nothing."""
        ...

    def obstacle(self, project: str) -> str:
        """Return the file and the setting that keep it from calling us in *project*, a real path; empty for none."""
        ...

    def next_step(self) -> str:
        """Return the user's next step, in one line."""
        ...


FolderState: TypeAlias = Literal["there", "deleted", "away"]


class UserFiles(Protocol):
    """Files of the user's, read and written as a whole; a link is followed, but not out of the root that is named."""

    def read(self, path: str, root: str) -> str | None:
        """
        Return the file's text, line ends as they are; None where there is no file.

        Raises:
            UneditableFileError: it leads out of *root*, is no regular file of UTF-8 text up to 4 MB,
                or can't be read.
        """
        ...

    def ensure_writable(self, path: str, root: str) -> None:
        """
        Do nothing where the file may be written, or is not there.

        Raises:
            UneditableFileError: it leads out of *root*, or is read-only.
        """
        ...

    def missing_folders(self, path: str) -> list[str]:
        """Return the folders that `write` would make, the outermost first."""
        ...

    def folder_state(self, path: str) -> FolderState:
        """Tell whether the folder is there, deleted for good, or away, as with the disk it is on."""
        ...

    def write(self, path: str, text: str, root: str) -> None:
        """
        Write the file atomically; one that is there keeps its mode, and missing folders are made.

        Raises:
            UneditableFileError: as for `ensure_writable`, or it can't be written now.
        """
        ...

    def remove(self, path: str, root: str) -> None:
        """Remove the file, if it is there; raises the errors of `write`."""
        ...

    def remove_empty_folder(self, path: str) -> None:
        """Remove the folder if it is there and empty."""
        ...
