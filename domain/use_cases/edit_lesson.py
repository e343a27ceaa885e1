"""Change the text of a learning in the store and in the knowledge banks that hold it, together."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.retro.bank_edit import BankPlace, Banks, Noted, reworded
from hardwon.domain.model.retro.lesson import bank_lesson
from hardwon.domain.use_cases.edit_entries import Changed, ChangeEntry, known_entry
from hardwon.domain.use_cases.import_knowledge import SyncBanks
from hardwon.ports.knowledge_bank import BankFiles


@attrs.frozen
class Edited:
    """
    The outcome of an edit.

    Attributes:
        changed: The change of the store.
        places: The files of the knowledge banks that were changed with it.
        skipped: Entries of the banks that could not be imported, one line each.

    """

    changed: Changed
    places: tuple[BankPlace, ...]
    skipped: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class EditLesson:
    """
    Change the text of a learning everywhere.

    Attributes:
        bank: The markdown files.
        sync_banks: Synchronises the store with them.
        change_entry: Changes the store.

    """

    bank: BankFiles
    sync_banks: SyncBanks
    change_entry: ChangeEntry

    def apply(self, entry_id: str, change: EntryChange) -> Edited:
        """
        Apply *change* to the learning of that id, and its title and description to every bank that holds it.

        The files are locked before the store, and written last before its commit.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, a value is invalid, another learning has that description, or a file
                can't hold it; nothing was changed.
            ForgottenError: the user had that description forgotten; nothing was changed.
            UneditableFileError: a file can't be written, or another process holds them; nothing was changed.
            UnreadableFileError: a file can't be read; nothing was changed.
            StorageError: the store can't be written now.

        """
        with self.bank.held() as banks, self.change_entry.repository.transaction():
            self.sync_banks.sync(banks)
            before, _ = known_entry(self.change_entry.repository, entry_id)
            if before.kind != "learning":
                raise InvalidEntryError(f"{entry_id} is a {before.kind}: its text is that of its file")
            changed = self.change_entry.apply(entry_id, change)
            noted = _in_banks(banks, before, changed.entry)
            self.bank.write(noted.banks)
            return Edited(changed, noted.counted, self.sync_banks.sync(noted.banks))


def _in_banks(banks: Banks, before: Entry, after: Entry) -> Noted:
    lesson = bank_lesson(after, "", 1)
    name = lesson.name if after.name != before.name else ""
    if not name and after.description == before.description:
        return Noted(banks, None, ())
    return reworded(banks, before.entry_id, name, lesson.description)
