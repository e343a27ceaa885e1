from typing import NamedTuple, Protocol

from hardwon.domain.model.files.markdown import MarkdownFile


class Listing(NamedTuple):
    """
    Files that can be indexed.

    Attributes:
        files: Their absolute paths, links resolved, in order, each once.
        prefixes: Whatever path begins with one of these was asked for too: not among *files*, it may be gone.
        skipped: What was found and can't be used, one line each.

    """

    files: tuple[str, ...]
    prefixes: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class SourceFiles(Protocol):
    """Markdown files that entries are made of."""

    def of_project(self) -> Listing:
        """Return the project's memory: all below its folder `memory`, and `memory-*.md` beside that."""
        ...

    def at(self, path: str) -> Listing:
        """
        Return the file of that path, or the markdown files below that folder.

        Hidden folders are passed over, and links that lead out of the folder are
        not followed. Where nothing is, nothing is listed.
        """
        ...

    def read(self, path: str) -> MarkdownFile:
        """
        Return the file of that path.

        Raises:
            UnreadableFileError: it is not a regular file of text up to 4 MB, or can't be read.
        """
        ...

    def is_gone(self, path: str) -> bool:
        """Tell whether there is certainly nothing at *path*: what may not be looked at is not gone."""
        ...
