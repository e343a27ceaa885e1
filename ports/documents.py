"""
The files that hold documents: the project's sources, sessions, captured conversations, and the agent's instructions.

Imports nothing expensive at run time: the hook reads instructions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.domain.model.conversation.session import Chunk
    from hardwon.domain.model.document import Document
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.vocabulary import Kind


class SectionOfSession(NamedTuple):
    """
    A section of a file that names the session it comes from.

    Attributes:
        section_id: The id of its chunk or detail: 16 hex digits.
        kind: Conversation, decision, gotcha or preference.
        starts_at: When its first exchange began, in UTC.
        ends_at: When its last exchange began, in UTC.
        permanent: Whether it is marked as kept for good.

    """

    section_id: str
    kind: "Kind"
    starts_at: "dt.datetime"
    ends_at: "dt.datetime"
    permanent: bool


class ConversationFiles(Protocol):
    """The project's folders of conversations, decisions, gotchas and preferences."""

    def put(self, chunks: "Sequence[Chunk]") -> Mapping[str, str]:
        """
        Write *chunks*, and their decisions, gotchas and preferences, as sections of files.

        A section takes the place of the one with its id. A new one goes into a file of
        the same kind and day with a like topic, else into a new file. All else in a
        file stays as it is; a file that would not change is not touched. A file is
        written whole or not at all; if another process changes it meanwhile, the
        change is planned again. A file that can't be used, such as a read-only one,
        stays as it is: the section goes into the next one.

        Returns:
            The file of each section by the section's id; absolute paths, links resolved.

        Raises:
            UnreadableFileError: a file or folder can't be written; earlier sections may be written.

        """
        ...

    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        """
        Remove the sections with these ids from the files; return the files that had any.

        All else in a file stays as it is; one that is left with nothing but
        what `put` begins a file with is deleted. Unknown ids, and
        files that can't be used, are passed over.

        Returns:
            Absolute paths, links resolved, in order, without repeats; those of deleted files too.

        Raises:
            UnreadableFileError: a file or folder can't be written; earlier ones may be changed.

        """
        ...

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        """
        Return the sections that name that session, in no particular order.

        A section without a time is left out, as are files that can't be used.

        Raises:
            UnreadableFileError: a folder leads out of the project.

        """
        ...


class SessionFiles(Protocol):
    """The project's folder of sessions."""

    def parse(self, text: str, at: "dt.datetime") -> "Document":
        """Return the session *text*, written at that time; if its head can't be read whole, all of it is body."""
        ...

    def create(self, text: str, session: "Entry", at: "dt.datetime") -> str:
        """
        Write *text* to a new file, whole or not at all; return its path, absolute with links resolved.

        Args:
            text: The session.
            session: Its entry: description, tags, keywords and permanence at the head of the file are its own.
            at: The local time, which the file is named after; if that name is taken, `-2`, `-3` and so on follow it.

        Raises:
            InvalidEntryError: it would be longer than a file may be.
            UnreadableFileError: it can't be written.

        """
        ...


ENDING = ".md"
"""The ending of names of files that can be read, in small letters or capitals."""


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
    """Files that entries are made of."""

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

    def read(self, path: str) -> "Document":
        """
        Return the file of that path.

        Raises:
            UnreadableFileError: it is not a regular file of text up to 4 MB, or can't be read.
        """
        ...

    def parse(self, path: str, mtime: int, text: str) -> "Document":
        """Return *text* as if it stood at *path*; its hash is empty, so that the file is indexed if it comes back."""
        ...

    def is_gone(self, path: str) -> bool:
        """Tell whether there is certainly nothing at *path*: what may not be looked at is not gone."""
        ...


class Instructions(Protocol):
    """The instruction files that the host gives the agent at the beginning of every session; none is ours."""

    def texts(self) -> Iterator[tuple[str, str]]:
        """
        Yield the name of each file and what it says, the project's own first.

        Whatever is there and can't be read says nothing. Read when it is asked for: most prompts need none of it.
        """
        ...
