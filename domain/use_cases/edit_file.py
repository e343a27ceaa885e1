"""Change the text of an entry in the file of hardwon's that holds it, and index that file."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.index_files import Indexed, IndexFiles
from hardwon.ports.documents import OwnTexts


@attrs.frozen
class EditFile:
    """
    Change the markdown of an entry's file or section; a user's document is edited by the user alone.

    Attributes:
        texts: The files.
        index_files: Indexes the changed file.

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

    def apply(self, entry: Entry, before: str, after: str) -> Indexed:
        """
        Write *after*, without secrets, in place of *before*, and index the file.

        Raises:
            ForgottenError: the user had a text of it forgotten; nothing was changed.
            InvalidEntryError: another section would change; nothing was changed.
            UneditableFileError: the file was changed meanwhile, or can't be written; nothing was changed.
            StorageError: the store can't be written now; the file is changed.
        """
        clean = redact(after)
        if self.index_files.repository.forgotten.holds([clean]):
            raise ForgottenError
        self.texts.replace(entry.file_path or "", entry.anchor_id, before, clean)
        return self.index_files.index([entry.file_path or ""])
