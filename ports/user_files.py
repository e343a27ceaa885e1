from typing import Protocol


class UserFiles(Protocol):
    """Files of the user's, read and written as a whole; a link is followed, but not out of the root that is named."""

    def read(self, path: str, root: str) -> str | None:
        """
        Return what the file holds, line ends as they are; None where there is none.

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

    def write(self, path: str, text: str, root: str) -> None:
        """
        Let the file hold *text*, whole or not at all; one that is there keeps its mode, and folders are made.

        Raises:
            UneditableFileError: as for `ensure_writable`, or it can't be written now.
        """
        ...

    def remove(self, path: str, root: str) -> None:
        """Remove the file, if it is there; what is raised is as for `write`."""
        ...

    def remove_empty_folder(self, path: str) -> None:
        """Remove the folder if it is there and empty."""
        ...
