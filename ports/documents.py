from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.conversation.details import Note
from hardwon.domain.model.formats.document_format import FrontValue, Markdown, MarkdownFile
from hardwon.domain.model.formats.memory_file import SectionOfSession


class ConversationFiles(Protocol):
    """The project's folders of conversations, decisions, gotchas and preferences."""

    def put(self, notes: Sequence[Note]) -> tuple[str, ...]:
        """
        Write each of *notes*, in place of the section of its name if there is one; return the files they stand in.

        A note goes into the file of its day that has it already, else into one
        of the same kind and day with a like topic, else into a new one. All else
        in a file stays as it is; a file that would not change is not touched.
        Each file is written whole or not at all; what somebody else writes
        meanwhile is not lost. A file that can't be used, such as a read-only
        one, stays as it is: the note goes into the next one.

        Returns:
            Absolute paths, links resolved, in order, each once.

        Raises:
            UnreadableFileError: a file or folder can't be written; earlier notes may be written.

        """
        ...

    def remove(self, note_ids: Sequence[str]) -> tuple[str, ...]:
        """
        Take the sections of these names out of the files; return the files that had any.

        All else in a file stays as it is; one that is left with nothing but
        what `put` begins a file with is deleted. Names that are nowhere, and
        files that can't be used, are passed over.

        Returns:
            Absolute paths, links resolved, in order, each once; those of deleted files too.

        Raises:
            UnreadableFileError: a file or folder can't be written; earlier ones may be changed.

        """
        ...

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        """
        Return the sections that name that session, in no particular order.

        One that does not say when it was is left out, as are files that can't be used.

        Raises:
            UnreadableFileError: a folder leads out of the project.

        """
        ...


class PlanFiles(Protocol):
    """The plans of the project's phases."""

    def of_phase(self, number: str) -> str | None:
        """Return the plan of the phase of that number, as a path from the project's folder; None when there is none."""
        ...


class SessionFiles(Protocol):
    """The project's folder of sessions."""

    def parse(self, text: str) -> Markdown:
        """Return what *text* says, as if it were read from a file."""
        ...

    def create(self, stem: str, front_matter: Mapping[str, FrontValue], body: str) -> str:
        """
        Write a new file, whole or not at all; return its path, absolute with links resolved.

        Args:
            stem: Its name without ending; when that is taken, `-2`, `-3` and so on follow it.
            front_matter: What stands at its head.
            body: What stands below.

        Raises:
            InvalidEntryError: it would be longer than a file may be.
            UnreadableFileError: it can't be written.

        """
        ...


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
