"""Save a session: its file, and its entry."""

import attrs

from hardwon.domain.model.document import Document, FileFields
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.file_entry import to_entry
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.use_cases.index_one_file import put_in_place
from hardwon.domain.use_cases.stored_values import record_given, without_file_values
from hardwon.ports.activity import History
from hardwon.ports.clock import Clock
from hardwon.ports.documents import SessionFiles, SourceFiles
from hardwon.ports.entries import EntryRepository

NO_DESCRIPTION = (
    "nothing says what the session was about: give --description, a line 'description:' in the"
    " front matter, or a sentence of prose"
)


def _clean(text: str | None) -> str | None:
    return stored_form(text or "").strip() or None


@attrs.frozen(kw_only=True)
class GivenMetadata:
    """
    The values that the user gives for a session, besides its text.

    Attributes:
        description: A summary; None takes it from the text.
        keywords: Additional words to find it by.
    """

    description: str | None = attrs.field(default=None, converter=_clean)
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    permanent: bool = False


@attrs.frozen(kw_only=True)
class SaveSession:
    """Write the file of a session and index it."""

    sources: SourceFiles
    sessions: SessionFiles
    repository: EntryRepository
    history: History
    workplace: Workplace
    clock: Clock

    def write(self, text: str, given: GivenMetadata) -> str:
        """
        Write *text*, redacted, to a new file of the project's sessions.

        Returns its path.
        """
        now = self.clock.now().astimezone()
        clean = stored_form(text)
        if "\0" in clean:
            raise InvalidEntryError(
                f"the text holds a NUL character at position {clean.index(chr(0))}: remove it"
            )
        if self.repository.forgotten.holds([clean, given.description or ""]):
            raise ForgottenError
        entry = self._entry(
            self.sessions.parse(clean, now), given
        )  # validates before a file is created
        return self.sessions.create(clean, entry, now)

    def index(self, path: str, given: GivenMetadata) -> Entry:
        """
        Store the entry of the session file *path*.

        The path is absolute, links resolved.
        """
        document = self.sources.read(path)
        with self.repository.transaction():
            known = self.repository.with_file(path)
            stored = put_in_place(self.repository, self._entry(document, given, known))
            of_file = self._entry(document, GivenMetadata(description=given.description), known)
            record_given(self.history, of_file, after=stored, at=self.clock.now())
            return stored

    def _entry(self, document: Document, given: GivenMetadata, known: Entry | None = None) -> Entry:
        fields = _fields(document.fields, given)
        if not (fields.description or _is_described(known, document) or document.summary):
            raise InvalidEntryError(NO_DESCRIPTION)
        kept = without_file_values(known, self.history) if known else None
        entry = to_entry(document, fields, kind="session", workplace=self.workplace, known=kept)
        return attrs.evolve(entry, source=known.source if known else "manual")


def _fields(fields: FileFields, given: GivenMetadata) -> FileFields:
    return attrs.evolve(
        fields,
        description=given.description or fields.description,
        tags=given.tags + fields.tags,
        keywords=given.keywords + fields.keywords,
        permanent=given.permanent or fields.permanent,
    )


def _is_described(known: Entry | None, document: Document) -> bool:
    return known is not None and known.kind == "session" and known.file_hash == document.file_hash
