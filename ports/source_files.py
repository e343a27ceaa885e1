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
        """
        Return the memory of the project and of the other roots that were named.

        That is all below the project's folder `memory`, `memory-*.md` beside it
        and all below `specs/*/memory`; of another root the same `specs/*/memory`,
        or all there is where it has no `specs`. Of a root that is not there
        nothing is asked for, so nothing of it is gone.
        """
        ...

    def of_spec_folder(self, name: str) -> Listing:
        """
        Return the files of `of_project` whose `spec_folder` is *name*; none where there is no such folder.

        Skipped is what belongs there too, or what it may lie in.

        Raises:
            UnreadableFileError: *name* can't be the name of a folder.
        """
        ...

    def ensure_inside(self, path: str) -> str:
        """
        Return the real path of the markdown file at *path*, which lies inside the project or another root.

        Raises:
            UnreadableFileError: *path* is relative, is not there, is no regular
                file `*.md`, or lies or leads outside; the message names the roots.
        """
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
