"""Change a lesson or section where it stands, and merge lessons."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.retro.bank_edit import BankEditOutcome, BankPlace, Banks, reworded
from hardwon.domain.model.retro.lesson import bank_lesson
from hardwon.domain.use_cases.edit_entries import ChangeEntry, EditOutcome, known_entry
from hardwon.domain.use_cases.import_knowledge import SyncBanks
from hardwon.domain.use_cases.index_files import IndexFiles, IndexOutcome
from hardwon.domain.use_cases.supersede import Supersede
from hardwon.ports.documents import OwnTexts
from hardwon.ports.knowledge_bank import BankFiles


@attrs.frozen
class LessonEditOutcome:
    """
    The outcome of an edit.

    Attributes:
        places: The knowledge-bank files that were changed too.
        skipped: Entries of the banks that could not be imported, one line each.
    """

    changed: EditOutcome
    places: tuple[BankPlace, ...]
    skipped: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class EditLesson:
    """Change a learning's text in the store and every bank."""

    bank: BankFiles
    sync_banks: SyncBanks
    change_entry: ChangeEntry

    def apply(self, entry_id: str, change: EntryChange) -> LessonEditOutcome:
        """
        Apply *change* to the learning and the banks that hold it.

        The files are locked before the store, and written last before its commit.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, a value is invalid, another learning has that
                description, or a file can't hold it; nothing was changed.
            ForgottenError: the user had that description forgotten; nothing was changed.
            UneditableFileError: a file can't be written, or another process holds them; nothing was
                changed.
            UnreadableFileError: a file can't be read; nothing was changed.
        """
        with self.bank.held() as banks, self.change_entry.repository.transaction():
            self.sync_banks.sync(banks)
            before, _ = known_entry(self.change_entry.repository, entry_id)
            if before.kind != "learning":
                raise InvalidEntryError(
                    f"{entry_id} is a {before.kind}: its text is that of its file"
                )
            changed = self.change_entry.apply(entry_id, change)
            noted = _in_banks(banks, before, changed.entry)
            self.bank.write(noted.banks)
            return LessonEditOutcome(changed, noted.counted, self.sync_banks.sync(noted.banks))


def _in_banks(banks: Banks, before: Entry, after: Entry) -> BankEditOutcome:
    lesson = bank_lesson(after, "", 1)
    name = lesson.name if after.name != before.name else ""
    if not name and after.description == before.description:
        return BankEditOutcome(banks, None, ())
    return reworded(banks, before.entry_id, name=name, description=lesson.description)


@attrs.frozen
class EditFile:
    """
    Change the markdown of an entry's file or section.

    A user's document is edited by the user alone.
    """

    texts: OwnTexts
    index_files: IndexFiles

    def text_of(self, entry: Entry) -> str:
        """
        Return the markdown of *entry*.

        Raises:
            InvalidEntryError: it is a document.
            UneditableFileError: hardwon did not write its file, or it can't be read or written.
        """
        if entry.kind == "document":
            raise InvalidEntryError(
                f"its text is that of its file: edit {entry.file_path}; hardwon index takes it over"
            )
        return self.texts.read(entry.file_path or "", entry.anchor_id)

    def apply(self, entry: Entry, before: str, after: str) -> IndexOutcome:
        """
        Write *after*, without secrets, in place of *before*, and index the file.

        Raises:
            ForgottenError: the user had a text of it forgotten; nothing was changed.
            InvalidEntryError: another section would change; nothing was changed.
            UneditableFileError: the file was changed meanwhile, or can't be written; nothing was
                changed.
            StorageError: the store can't be written now; the file is changed.
        """
        clean = redact(after)
        if self.index_files.repository.forgotten.holds([clean]):
            raise ForgottenError
        self.texts.replace(entry.file_path or "", entry.anchor_id, before=before, after=clean)
        return self.index_files.index([entry.file_path or ""])


@attrs.frozen
class MergeLessons:
    """Merge two learnings, of which one supersedes the other."""

    edit_lesson: EditLesson
    supersede: Supersede

    def apply(self, older: str, newer: str, change: EntryChange) -> LessonEditOutcome:
        """
        Apply *change* to *newer*, which supersedes *older*.

        The newer one gets the keywords of both.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: one is no learning, both are the same, one is superseded already, or
                a value is invalid; nothing was changed. The others are those of `EditLesson.apply`.
        """
        repository = self.supersede.change_entry.repository
        before, after = known_entry(repository, older)[0], known_entry(repository, newer)[0]
        ensure_mergeable(before, after)
        keywords = tuple(dict.fromkeys((*after.keywords, *before.keywords)))
        edited = self.edit_lesson.apply(newer, attrs.evolve(change, keywords=keywords))
        self.supersede.apply(older, edited.changed.entry.entry_id)
        return edited


def ensure_mergeable(older: Entry, newer: Entry) -> None:
    """
    Check that two entries can be merged.

    Raises:
        InvalidEntryError: they can't.
    """
    if older.entry_id == newer.entry_id:
        raise InvalidEntryError("an entry can't be merged with itself: name two")
    for entry in (older, newer):
        if entry.kind != "learning":
            raise InvalidEntryError(
                f"{entry.entry_id} is a {entry.kind}: only learnings are merged"
            )
        if entry.superseded_by:
            raise InvalidEntryError(
                f"{entry.entry_id} is superseded already, by {entry.superseded_by}"
            )
