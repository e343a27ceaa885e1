"""
The files that hold documents.

They are the project's sources, sessions, captured conversations, and the agent's instructions.
Imports nothing expensive at run time: the hook reads instructions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.domain.model.conversation.repair import RepairNote
    from hardwon.domain.model.conversation.session import Chunk
    from hardwon.domain.model.document import Document
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.vocabulary import Kind


Captured: TypeAlias = "Chunk | RepairNote"


class SectionOfSession(NamedTuple):
    """
    A section of a file that names the session it comes from.

    Attributes:
        section_id: The id of its chunk or detail: 16 hex digits.
        kind: Conversation, decision, gotcha or preference.
        starts_at: When its first exchange began, in UTC.
        ends_at: When its last exchange began, in UTC.
        permanent: Whether it is marked as permanent.
    """

    section_id: str
    kind: "Kind"
    starts_at: "dt.datetime"
    ends_at: "dt.datetime"
    permanent: bool


class ConversationFiles(Protocol):
    """The project's folders of conversations, decisions, gotchas and preferences."""

    def put(self, captured: "Sequence[Captured]") -> Mapping[str, str]:
        """
        Write what was *captured* as sections of files.

        A chunk has decisions, gotchas and preferences with sections of their own. A repair is the
        section of a gotcha.

        A section replaces the one with its id. A new one goes into a file of the same
        kind and day with a similar topic, else into a new file. All else in a file is
        unchanged; a file that would not change is not written. Each file is written
        atomically; if another process changed it meanwhile, the change is planned again.
        A file that can't be used, such as a read-only or conflicted one, is left alone:
        the section goes into the next one.

        Returns:
            The file of each section by the id of the section; absolute paths, links resolved.

        Raises:
            UnreadableFileError: a file or folder can't be written, or a conflicted file has one of
                the sections already; earlier sections may be written.
        """
        ...

    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        """
        Remove the sections with these ids, and return their files.

        All else in a file is unchanged; a file left with only the header that `put` writes is
        deleted. Unknown ids, and files that can't be used, are skipped.

        Returns:
            Absolute paths, links resolved, sorted, without duplicates; deleted files included.

        Raises:
            UnreadableFileError: a file or folder can't be written; earlier ones may be changed.
        """
        ...

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        """
        Return the sections that name that session, in no order.

        Sections without a time, and files that can't be used, are left out.

        Raises:
            UnreadableFileError: a folder leads out of the project.

        """
        ...


class OwnTexts(Protocol):
    """The texts of hardwon's own files, for corrections."""

    def read(self, path: str, anchor: str) -> str:
        """
        Return the markdown of that section without its markers.

        An empty anchor means the whole file.

        Raises:
            UneditableFileError: hardwon did not write it, or it can't be read or written.
        """
        ...

    def replace(self, path: str, anchor: str, before: str, after: str) -> None:
        """
        Write *after* in place of *before*, which `read` returned, atomically.

        All else stays byte for byte.

        Raises:
            InvalidEntryError: another section would change; nothing was written.
            UneditableFileError: it was changed meanwhile, or can't be written; nothing was written.
        """
        ...


class SessionFiles(Protocol):
    """The project's folder of sessions."""

    def parse(self, text: str, at: "dt.datetime") -> "Document":
        """
        Return the session *text*, written at that time.

        Front matter that can't be parsed counts as body.
        """
        ...

    def create(self, text: str, session: "Entry", at: "dt.datetime") -> str:
        """
        Write *text* to a new file, atomically, and return its path.

        The path is absolute with links resolved.

        Args:
            text: The session.
            session: Its entry, which gives the front matter: description, tags, keywords,
                permanence.
            at: The local time, which gives the file name; a taken name gets the suffix `-2`, `-3`
                and so on.

        Raises:
            InvalidEntryError: it would be longer than a file may be.
            UnreadableFileError: it can't be written.
        """
        ...


ENDING = ".md"
"""The suffix of files that are written."""

ENDINGS = (ENDING, ".markdown")
"""The suffixes of files that can be read, in lower or upper case."""


class Listing(NamedTuple):
    """
    Files that can be indexed.

    Attributes:
        files: Their absolute paths, links resolved, sorted, without duplicates.
        prefixes: The listing is complete below these: a known path with such a prefix that is not
            in *files* may be gone.
        skipped: Files that were found and can't be used, one line each.
    """

    files: tuple[str, ...]
    prefixes: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class SourceFiles(Protocol):
    """The markdown files that entries are made from."""

    def of_project(self) -> Listing:
        """
        Return the memory files of the project and of the other configured roots.

        These are all files below the project's folder `memory`, `memory-*.md` beside it
        and all files below `specs/*/memory`; of another root those below `specs/*/memory`,
        or all of its files without `specs`. A root that does not exist adds no prefix:
        none of its files counts as gone.
        """
        ...

    def of_spec_folder(self, name: str) -> Listing:
        """
        Return the files of `of_project` in the spec folder *name*.

        Its skipped files, and the skipped folders that may contain it, are listed too.

        Raises:
            UnreadableFileError: *name* can't be the name of a folder.
        """
        ...

    def ensure_inside(self, path: str) -> str:
        """
        Return the real path of the markdown file at *path*.

        It must be inside the project or another root.

        Raises:
            UnreadableFileError: *path* is relative, does not exist, is no regular
                file `*.md`, or is or leads outside; the message names the roots.
        """
        ...

    def at(self, path: str) -> Listing:
        """
        Return the file of that path, or the markdown files below that folder.

        Hidden folders are skipped, links that lead out of the folder are not followed.
        A path that does not exist gives an empty listing.
        """
        ...

    def read(self, path: str) -> "Document":
        """
        Return the file of that path, which has no links.

        Raises:
            UnreadableFileError: it is not a regular file of text up to 4 MB, can't be read, is
                conflicted, or a link took its place.
        """
        ...

    def parse(self, path: str, mtime: int, text: str) -> "Document":
        """
        Return *text* as if read from *path*, with an empty hash.

        So the file is indexed if it comes back.
        """
        ...

    def is_gone(self, path: str) -> bool:
        """
        Return whether *path* certainly does not exist.

        A path that can't be checked is not gone.
        """
        ...


class Instructions(Protocol):
    """
    The instruction files of every session.

    Hardwon does not write them.
    """

    def texts(self) -> Iterator[tuple[str, str]]:
        """
        Yield name and text of each file, the project's first.

        Files that can't be read are skipped. Lazy: most prompts need none of them.
        """
        ...
