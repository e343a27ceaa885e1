"""Keep what a retrospective taught, in the knowledge bank and in the store."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

import attrs

from hardwon.domain.model.bank_grammar import BankScope
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.retro.banks import BankTexts, Noted, noted
from hardwon.domain.model.retro.lesson import Lesson
from hardwon.domain.use_cases.keeping.store_entry import Stored, StoreEntry
from hardwon.domain.use_cases.retro.take_in_bank import TakeInBank
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


class KeptRetro(NamedTuple):
    """
    The outcome of a retrospective.

    Attributes:
        lessons: What became of each.
        skipped: What of the banks the store could not take in, one line each.

    """

    lessons: tuple[Kept, ...]
    skipped: tuple[str, ...] = ()


@attrs.frozen
class KeepRetro:
    """
    Write lessons to the knowledge bank and to the store, all of them or none.

    Attributes:
        bank: The markdown files.
        open_store: Opens the store, made when it is not there, for what the banks say; None when the store is to be
            left alone.

    """

    bank: BankFiles
    open_store: Callable[[], TakeInBank] | None

    def __call__(self, lessons: Sequence[Lesson]) -> KeptRetro:
        """
        Keep *lessons*; one that is known is counted once more, in both places.

        The files are held before the store is, and no store is made for lessons that they can't take. They are written
        last before the store is committed. A process that is killed in between leaves some of the files written and the
        store as it was: the next retrospective takes in what they say.

        Raises:
            InvalidAnswerError: a file can't take some of them; nothing was written.
            UneditableFileError: a file can't be written, or somebody else holds them; nothing was written.
            UnreadableFileError: a file can't be read; nothing was written.
            StorageError: the store can't be written now; nothing was written, unless it was its commit that failed.

        """
        with self.bank.held() as texts:
            foreseen = _all_noted(texts, lessons)
            if self.open_store is None:
                self.bank.write(foreseen[-1].noted.texts if foreseen else texts)
                return KeptRetro(foreseen)
            return self._in_both(texts, lessons, self.open_store())

    def foreseen(self, lessons: Sequence[Lesson]) -> KeptRetro:
        """Return what would become of the knowledge bank; nothing is written."""
        return KeptRetro(_all_noted(self.bank.texts(), lessons))

    def _in_both(self, texts: BankTexts, lessons: Sequence[Lesson], take_in: TakeInBank) -> KeptRetro:
        with take_in.repository.transaction():
            take_in(texts)  # before anything is counted, or what is new in the files would be counted from one
            stored = [_stored(lesson, StoreEntry(take_in.repository)) for lesson in lessons]
            kept = _all_noted(texts, lessons, stored)
            texts = kept[-1].noted.texts if kept else texts
            self.bank.write(texts)
            skipped = take_in(texts)  # or the next import would read what was written
        return KeptRetro(kept, skipped)


def _all_noted(texts: BankTexts, lessons: Sequence[Lesson], stored: Sequence[Stored] = ()) -> tuple[Kept, ...]:
    kept = list[Kept]()
    troubles = list[str]()
    for lesson, known in zip_longest(lessons, stored):
        count = known.entry.observation_count if known else 1
        try:
            outcome = noted(texts, lesson.for_bank(count), scope_of(lesson))
        except InvalidEntryError as error:
            troubles.append(f"{lesson.place}: {error}")
            continue
        texts = outcome.texts
        kept.append(Kept(lesson, outcome, known))
    if troubles:
        raise InvalidAnswerError(troubles)
    return tuple(kept)


def _stored(lesson: Lesson, store_entry: StoreEntry) -> Stored:
    stored = store_entry(lesson.entry)
    if lesson.entry.source_project is not None or stored.entry.source_project is None:
        return stored
    universal = attrs.evolve(stored.entry, source_project=None)
    store_entry.repository.put(universal)
    return attrs.evolve(stored, entry=universal)


def scope_of(lesson: Lesson) -> BankScope:
    """Return whose bank a lesson belongs in."""
    return "local" if lesson.entry.source_project is not None else "global"
