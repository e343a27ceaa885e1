"""Keep what a retrospective taught, in the knowledge bank and in the store."""

from collections.abc import Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.retro.banks import BankTexts, Noted, Scope, noted
from hardwon.domain.model.retro.lesson import Lesson
from hardwon.domain.use_cases.keeping.store_entry import Stored, StoreEntry
from hardwon.ports.bank_files import BankFiles


class Kept(NamedTuple):
    """
    What became of a lesson.

    Attributes:
        lesson: The lesson.
        noted: What became of the knowledge bank.
        stored: As it now stands in the store; None when the store was left alone.

    """

    lesson: Lesson
    noted: Noted
    stored: Stored | None


@attrs.frozen
class KeepRetro:
    """
    Write lessons to the knowledge bank and to the store, all of them or none.

    Attributes:
        bank: The markdown files.
        store_entry: Keeps one in the store; None when the store is to be left alone.

    """

    bank: BankFiles
    store_entry: StoreEntry | None

    def __call__(self, lessons: Sequence[Lesson]) -> list[Kept]:
        """
        Keep *lessons*; one that is known is counted once more, in both places.

        The files are written last before the store is committed: what a crash leaves is in the files, which the next
        import reads, or nowhere.

        Raises:
            InvalidEntryError: a file can't take one of them; nothing was written.
            UnreadableFileError: a file can't be written.
            StorageError: the store can't be written now.

        """
        if self.store_entry is None:
            with self.bank.held() as texts:
                return self._kept(texts, lessons)
        with self.store_entry.repository.transaction(), self.bank.held() as texts:
            return self._kept(texts, lessons)

    def foreseen(self, lessons: Sequence[Lesson]) -> list[Kept]:
        """Return what would become of the knowledge bank; nothing is written."""
        texts, kept = self.bank.texts(), list[Kept]()
        for lesson in lessons:
            outcome = noted(texts, lesson.for_bank(1), scope_of(lesson))
            texts = outcome.texts
            kept.append(Kept(lesson, outcome, None))
        return kept

    def _kept(self, texts: BankTexts, lessons: Sequence[Lesson]) -> list[Kept]:
        kept = list[Kept]()
        for lesson in lessons:
            stored = self._store(lesson)
            outcome = noted(texts, lesson.for_bank(stored.entry.observation_count if stored else 1), scope_of(lesson))
            texts = outcome.texts
            kept.append(Kept(lesson, outcome, stored))
        self.bank.write(texts)
        return kept

    def _store(self, lesson: Lesson) -> Stored | None:
        if self.store_entry is None:
            return None
        stored = self.store_entry(lesson.entry)
        if lesson.entry.source_project is not None or stored.entry.source_project is None:
            return stored
        universal = attrs.evolve(stored.entry, source_project=None)
        self.store_entry.repository.put(universal)
        return attrs.evolve(stored, entry=universal)


def scope_of(lesson: Lesson) -> Scope:
    """Return whose bank a lesson belongs in."""
    return "project" if lesson.entry.source_project is not None else "universal"
