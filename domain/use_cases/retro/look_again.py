"""Look again at what is known: confirm an entry, or make it universal."""

from collections.abc import Callable

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.retro.banks import BankTexts, Noted, counted, promoted
from hardwon.domain.model.retro.lesson import bank_lesson, day_of, observed_in_of
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.domain.use_cases.retro.take_in_bank import TakeInBank
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
        skipped: What of the banks the store could not take in, one line each.

    """

    before: Entry
    entry: Entry
    noted: Noted
    skipped: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class LookAgain:
    """
    Change a learning in the store and in the knowledge bank; neither gets a second one of it.

    Attributes:
        bank: The markdown files.
        take_in: Lets the store know what they say.
        clock: The time.

    """

    bank: BankFiles
    take_in: TakeInBank
    clock: Clock

    def confirm(self, entry_id: str) -> LookedAt:
        """
        Count that the learning was observed once more, now; in the bank wherever it stands.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or a file can't be changed; nothing was.
            UneditableFileError: a file can't be written, or somebody else holds them; nothing was changed.
            UnreadableFileError: a file can't be read; nothing was changed.
            StorageError: the store can't be written now.

        """
        return self._looked(entry_id, self._confirmed)

    def promote(self, entry_id: str) -> LookedAt:
        """
        Make the learning one of all projects: of none in its row, and in the user's own bank; twice is as once.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or the file can't take it; nothing was changed.
            UneditableFileError: a file can't be written, or somebody else holds them; nothing was changed.
            UnreadableFileError: a file can't be read; nothing was changed.
            StorageError: the store can't be written now.

        """
        return self._looked(entry_id, _promoted)

    def _looked(self, entry_id: str, look: Callable[[Entry, BankTexts], LookedAt]) -> LookedAt:
        """Hold the files, then the store; take in what the files say, look, and take in what was written."""
        with self.bank.held() as texts, self._repository.transaction():
            self.take_in(texts)
            looked = look(self._learning(entry_id), texts)
            if looked.entry != looked.before:
                self._repository.put(looked.entry)
            self.bank.write(looked.noted.texts)
            return attrs.evolve(looked, skipped=self.take_in(looked.noted.texts))

    def _confirmed(self, entry: Entry, texts: BankTexts) -> LookedAt:
        again = attrs.evolve(
            entry,
            observation_count=min(entry.observation_count + 1, MAX_COUNT),
            updated_at=max(entry.updated_at, self.clock.now()),
        )
        return LookedAt(entry, again, counted(texts, entry.entry_id, day_of(again.updated_at)))

    @property
    def _repository(self) -> EntryRepository:
        return self.take_in.repository

    def _learning(self, entry_id: str) -> Entry:
        entry, _ = known_entry(self._repository, entry_id)
        if entry.kind != "learning":
            raise InvalidEntryError(f"{entry_id} is a {entry.kind}: a retrospective looks at learnings alone")
        return entry


def _promoted(entry: Entry, texts: BankTexts) -> LookedAt:
    observed_in = observed_in_of(entry.notes) or entry.source_project or ""
    lesson = bank_lesson(entry, observed_in, entry.observation_count)
    return LookedAt(entry, attrs.evolve(entry, source_project=None), promoted(texts, lesson))
