"""Keep what a session was about."""

import attrs

from hardwon.domain.model.context import Workplace, describe
from hardwon.domain.model.document import to_entry
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.formats.document_format import FileFields, FrontValue, Markdown, MarkdownFile, read_fields
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.index_one_file import put_in_place
from hardwon.ports.clock import Clock
from hardwon.ports.documents import SessionFiles, SourceFiles
from hardwon.ports.entries import EntryRepository

NAME_FORMAT = "memory-%Y%m%d-%H%M%S"
NO_DESCRIPTION = (
    "nothing says what the session was about: give --description, a line 'description:' in the front matter,"
    " or a sentence of prose"
)


def _clean(text: str | None) -> str | None:
    return redact(text or "").strip() or None


@attrs.frozen(kw_only=True)
class Given:
    """
    What the user says of a session, beside its text.

    Attributes:
        description: What it was about; None leaves that to the text.
        tags: The user's own labels.
        keywords: Words to find it by.
        permanent: Whether it is kept for good.

    """

    description: str | None = attrs.field(default=None, converter=_clean)
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    permanent: bool = False


@attrs.frozen(kw_only=True)
class KeepSession:
    """
    Keep a session: its file, and the entry that stands for it, which holds its description alone.

    Attributes:
        sources: Files that are there.
        sessions: Files to be written.
        repository: The entries.
        workplace: Where the session took place.
        clock: The time.

    """

    sources: SourceFiles
    sessions: SessionFiles
    repository: EntryRepository
    workplace: Workplace
    clock: Clock

    def write(self, text: str, given: Given) -> str:
        """
        Write *text*, without secrets, to a file of its own among the project's sessions; return its path.

        Raises:
            InvalidEntryError: it can't be kept; nothing was written.
            UnreadableFileError: the file can't be written.

        """
        now = self.clock.now().astimezone()
        markdown = self._parsed(redact(text))
        whole = MarkdownFile("/", int(now.timestamp()), "", markdown)
        entry = self._entry(whole, given)  # before a file is made: nothing may be left of what can't be kept
        front_matter: dict[str, FrontValue] = {
            **markdown.front_matter,
            "description": entry.description,
            "tags": entry.tags,
            "keywords": entry.keywords,
            "date": markdown.front_matter.get("date", now.isoformat(timespec="seconds")),
            **({"permanent": True} if entry.permanent else {}),
        }
        return self.sessions.create(f"{now:{NAME_FORMAT}}", front_matter, markdown.body)

    def index(self, path: str, given: Given) -> Entry:
        """
        Let an entry stand for the session in the file *path*, absolute with links resolved; return it as stored.

        Raises:
            InvalidEntryError: it can't be kept.
            UnreadableFileError: the file can't be used.
            StorageError: the store can't be written now.

        """
        file = self.sources.read(path)
        with self.repository.transaction():
            return put_in_place(self.repository, self._entry(file, given, self.repository.with_file(path)))

    def _parsed(self, text: str) -> Markdown:
        """Return *text* in its parts; a head that can't be read whole stays part of the body, so nothing is lost."""
        if "\0" in text:
            raise InvalidEntryError(f"the text holds a NUL character at position {text.index(chr(0))}: remove it")
        markdown = self.sessions.parse(text)
        return Markdown({}, text) if markdown.complaints else markdown

    def _entry(self, file: MarkdownFile, given: Given, known: Entry | None = None) -> Entry:
        fields = _fields(file.markdown, given)
        if not (fields.description or _is_described(known, file) or describe(redact(file.markdown.body))):
            raise InvalidEntryError(NO_DESCRIPTION)
        entry = to_entry(file, fields, "session", self.workplace, known)
        return attrs.evolve(entry, source=known.source if known else "manual")


def _fields(markdown: Markdown, given: Given) -> FileFields:
    """Return what the user says of the session, then what its file says."""
    fields = read_fields(markdown.front_matter)
    return attrs.evolve(
        fields,
        description=given.description or fields.description,
        tags=given.tags + fields.tags,
        keywords=given.keywords + fields.keywords,
        permanent=given.permanent or fields.permanent,
    )


def _is_described(known: Entry | None, file: MarkdownFile) -> bool:
    return known is not None and known.kind == "session" and known.file_hash == file.file_hash
