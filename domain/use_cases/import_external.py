"""Import the memory of another program, and take that back."""

import contextlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.session import SessionBuffer
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.use_cases.capture import Capture, CaptureIndexOutcome, Learn
from hardwon.domain.use_cases.edit_entries import DeleteEntries
from hardwon.domain.use_cases.store_entry import PlaceEntry
from hardwon.ports.entries import EntryRepository
from hardwon.ports.external_memory import ExternalConversation, ExternalMemory
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.transcripts import TranscribedExchange

EXAMPLES = 5


class ExternalItems(NamedTuple):
    """
    The contents of an external memory.

    Attributes:
        names: The first names, of conversations and of lessons.
    """

    conversations: int = 0
    lessons: int = 0
    names: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The number of items."""
        return self.conversations + self.lessons


def items_of(external: ExternalMemory, progress: Callable[[], None]) -> ExternalItems:
    """
    Count the items of *external*, read to the end.

    Raises:
        UnreadableFileError: it is cut off or damaged.
    """
    found = ExternalItems()
    for conversation in external.conversations():
        names = (*found.names, conversation.name)[:EXAMPLES]
        found = found._replace(conversations=found.conversations + 1, names=names)
        progress()
    for lesson in external.lessons():
        names = (*found.names, lesson.name)[:EXAMPLES]
        found = found._replace(lessons=found.lessons + 1, names=names)
        progress()
    return found


@attrs.frozen(kw_only=True)
class ExternalOutcome:
    """
    The outcome of an import.

    Attributes:
        known: The items of which all was in the store, or was imported and deleted.
        problems: One line each.
    """

    conversations: int = 0
    lessons: int = 0
    known: int = 0
    problems: tuple[str, ...] = ()

    def __add__(self, other: "ExternalOutcome") -> "ExternalOutcome":
        return ExternalOutcome(
            conversations=self.conversations + other.conversations,
            lessons=self.lessons + other.lessons,
            known=self.known + other.known,
            problems=self.problems + other.problems,
        )


@attrs.frozen(slots=False, kw_only=True)
class ImportExternal:
    """
    Import items of another program into a project.

    A second import adds nothing. The ledger has the ids of all that was added, by *path*: these are
    taken back, and none is restored after its deletion.
    """

    path: str
    project_root: str
    capture: Capture
    learn: Learn
    repository: EntryRepository
    place_entry: PlaceEntry
    ledger: ImportLedger
    delete: DeleteEntries

    def keep_conversation(self, conversation: ExternalConversation) -> ExternalOutcome:
        """
        Write a conversation to the project's files, and index them.

        Raises:
            UnreadableFileError: a file can't be written; a repeated import completes it.
            CaptureInterruptedError: `hardwon forget` waits; a retry completes it.
        """
        read = [
            TranscribedExchange(exchange, begins_at=place, is_over=True)
            for place, exchange in enumerate(conversation.exchanges, 1)
        ]
        begun = SessionBuffer(session_id="", project_root=self.project_root)
        captured = self.capture.add(begun, read)
        new = {section for section in captured.section_ids if self._is_unknown(section)}
        self.ledger.record(self.path, new, "")
        problems = self.learn(captured.files).problems
        counted = ExternalOutcome(conversations=1) if new else ExternalOutcome(known=1)
        return attrs.evolve(counted, problems=problems)

    def keep_lessons(self, lessons: Sequence[Entry]) -> ExternalOutcome:
        """Store *lessons*, of which others store theirs meanwhile."""
        return sum(map(self._keep_lesson, lessons), ExternalOutcome())

    def entries(self) -> list[Entry]:
        """Return the entries that were imported from the path and are still there."""
        return [*filter(None, map(self.repository.by_id, sorted(self._imported)))]

    def take_back(self) -> CaptureIndexOutcome:
        """Delete all that was imported from the path."""
        learned = self.learn(self.capture.files.remove(sorted(self._imported)))
        with self.repository.transaction():
            self.delete.delete([entry for entry in self.entries() if entry.kind == "learning"])
            self.ledger.withdraw(self.path, self._imported)
        return learned

    def _keep_lesson(self, lesson: Entry) -> ExternalOutcome:
        with contextlib.suppress(ForgottenError, InvalidEntryError):  # nothing of it may be kept
            entry = redact_entry(lesson)
            with self.repository.transaction([entry.entry_id]):
                if self._is_unknown(entry.entry_id):
                    placed = self.place_entry.place(entry, lambda known, _: known)
                    if not placed.merged:
                        self.ledger.record(self.path, {entry.entry_id}, "")
                        return ExternalOutcome(lessons=1)
        return ExternalOutcome(known=1)

    def _is_unknown(self, entry_id: str) -> bool:
        is_stored = self.repository.by_id(entry_id) is not None
        return not (is_stored or entry_id in self._imported)

    @cached_property
    def _imported(self) -> set[str]:
        return self.ledger.headings(self.path)
