"""Look again at what is known: confirm an entry, or make it universal."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.retro.banks import Noted, counted, promoted
from hardwon.domain.model.retro.lesson import bank_lesson, day_of, observed_in_of
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.ports.bank_files import BankFiles
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository


@attrs.frozen
class LookedAt:
    """
    What became of an entry.

    Attributes:
        before: As it stood in the store.
        entry: As it now stands there.
        noted: What became of the knowledge bank.

    """

    before: Entry
    entry: Entry
    noted: Noted


@attrs.frozen(kw_only=True)
class LookAgain:
    """
    Change a learning in the store and in the knowledge bank; neither gets a second one of it.

    Attributes:
        bank: The markdown files.
        repository: The entries.
        clock: The time.

    """

    bank: BankFiles
    repository: EntryRepository
    clock: Clock

    def confirm(self, entry_id: str) -> LookedAt:
        """
        Count that the learning was observed once more, now; in the bank wherever it stands.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or a file can't be changed; nothing was.
            UnreadableFileError: a file can't be written; nothing was changed in the store.
            StorageError: the store can't be written now.

        """
        with self.repository.transaction(), self.bank.held() as texts:
            before, now = self._learning(entry_id), self.clock.now()
            again = attrs.evolve(
                before,
                observation_count=min(before.observation_count + 1, MAX_COUNT),
                updated_at=max(before.updated_at, now),
            )
            self.repository.put(again)
            outcome = counted(texts, entry_id, day_of(again.updated_at))
            self.bank.write(outcome.texts)
        return LookedAt(before, again, outcome)

    def promote(self, entry_id: str) -> LookedAt:
        """
        Make the learning one of all projects: of none in its row, and in the user's own bank; twice is as once.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or the file can't take it; nothing was changed.
            UnreadableFileError: a file can't be written; nothing was changed in the store.
            StorageError: the store can't be written now.

        """
        with self.repository.transaction(), self.bank.held() as texts:
            before = self._learning(entry_id)
            universal = attrs.evolve(before, source_project=None)
            if universal != before:
                self.repository.put(universal)
            observed_in = observed_in_of(before.notes) or before.source_project or ""
            lesson = bank_lesson(before, observed_in, before.observation_count)
            outcome = promoted(texts, lesson)
            self.bank.write(outcome.texts)
        return LookedAt(before, universal, outcome)

    def _learning(self, entry_id: str) -> Entry:
        entry, _ = known_entry(self.repository, entry_id)
        if entry.kind != "learning":
            raise InvalidEntryError(f"{entry_id} is a {entry.kind}: a retrospective looks at learnings alone")
        return entry
