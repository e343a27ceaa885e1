from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.sections.session_sections import SectionOfSession


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
