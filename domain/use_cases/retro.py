"""
Keep what a retrospective taught, in the knowledge bank and in the store.

Look again at what is known: confirm an entry, or make it universal.

Find what was learned earlier and bears on the feature that just ended.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

import attrs

from hardwon.domain.model.context import ContextQuery, Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_COUNT, Entry
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.knowledge_bank import BankScope
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.retro.bank_edit import Banks, Noted, counted, noted, promoted
from hardwon.domain.model.retro.lesson import Lesson, bank_lesson, day_of, observed_in_of
from hardwon.domain.use_cases.edit_entries import known_entry
from hardwon.domain.use_cases.import_knowledge import SyncBanks
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.store_entry import Stored, StoreEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.knowledge_bank import BankFiles


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


class SavedRetro(NamedTuple):
    """
    The outcome of a retrospective.

    Attributes:
        lessons: What became of each.
        skipped: What of the banks the store could not take in, one line each.

    """

    lessons: tuple[Kept, ...]
    skipped: tuple[str, ...] = ()


@attrs.frozen
class SaveRetro:
    """
    Write lessons to the knowledge bank and to the store, all of them or none.

    Attributes:
        bank: The markdown files.
        open_store: Opens the store, made when it is not there, for what the banks say; None when the store is to be
            left alone.

    """

    bank: BankFiles
    open_store: Callable[[], SyncBanks] | None

    def save(self, lessons: Sequence[Lesson]) -> SavedRetro:
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
        with self.bank.held() as banks:
            foreseen = _all_noted(banks, lessons)
            if self.open_store is None:
                self.bank.write(foreseen[-1].noted.banks if foreseen else banks)
                return SavedRetro(foreseen)
            return self._in_both(banks, lessons, self.open_store())

    def foreseen(self, lessons: Sequence[Lesson]) -> SavedRetro:
        """Return what would become of the knowledge bank; nothing is written."""
        return SavedRetro(_all_noted(self.bank.banks(), lessons))

    def _in_both(self, banks: Banks, lessons: Sequence[Lesson], take_in: SyncBanks) -> SavedRetro:
        with take_in.repository.transaction():
            take_in.take_in(banks)  # before anything is counted, or what is new in the files would be counted from one
            stored = [_stored(lesson, StoreEntry(take_in.repository)) for lesson in lessons]
            kept = _all_noted(banks, lessons, stored)
            banks = kept[-1].noted.banks if kept else banks
            self.bank.write(banks)
            skipped = take_in.take_in(banks)  # or the next import would read what was written
        return SavedRetro(kept, skipped)


def _all_noted(banks: Banks, lessons: Sequence[Lesson], stored: Sequence[Stored] = ()) -> tuple[Kept, ...]:
    kept = list[Kept]()
    troubles = list[str]()
    for lesson, known in zip_longest(lessons, stored):
        count = known.entry.observation_count if known else 1
        try:
            outcome = noted(banks, lesson.for_bank(count), scope_of(lesson))
        except InvalidEntryError as error:
            troubles.append(f"{lesson.place}: {error}")
            continue
        banks = outcome.banks
        kept.append(Kept(lesson, outcome, known))
    if troubles:
        raise InvalidAnswerError(troubles)
    return tuple(kept)


def _stored(lesson: Lesson, store_entry: StoreEntry) -> Stored:
    stored = store_entry.keep(lesson.entry)
    if lesson.entry.source_project is not None or stored.entry.source_project is None:
        return stored
    universal = attrs.evolve(stored.entry, source_project=None)
    store_entry.repository.put(universal)
    return attrs.evolve(stored, entry=universal)


def scope_of(lesson: Lesson) -> BankScope:
    """Return whose bank a lesson belongs in."""
    return "local" if lesson.entry.source_project is not None else "global"


@attrs.frozen
class Revised:
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
class ReviseLearning:
    """
    Change a learning in the store and in the knowledge bank; neither gets a second one of it.

    Attributes:
        bank: The markdown files.
        take_in: Lets the store know what they say.
        clock: The time.

    """

    bank: BankFiles
    take_in: SyncBanks
    clock: Clock

    def confirm(self, entry_id: str) -> Revised:
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

    def promote(self, entry_id: str) -> Revised:
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

    def _looked(self, entry_id: str, look: Callable[[Entry, Banks], Revised]) -> Revised:
        """Hold the files, then the store; take in what the files say, look, and take in what was written."""
        with self.bank.held() as banks, self._repository.transaction():
            self.take_in.take_in(banks)
            looked = look(self._learning(entry_id), banks)
            if looked.entry != looked.before:
                self._repository.put(looked.entry)
            self.bank.write(looked.noted.banks)
            return attrs.evolve(looked, skipped=self.take_in.take_in(looked.noted.banks))

    def _confirmed(self, entry: Entry, banks: Banks) -> Revised:
        again = attrs.evolve(
            entry,
            observation_count=min(entry.observation_count + 1, MAX_COUNT),
            updated_at=max(entry.updated_at, self.clock.now()),
        )
        return Revised(entry, again, counted(banks, entry.entry_id, day_of(again.updated_at)))

    @property
    def _repository(self) -> EntryRepository:
        return self.take_in.repository

    def _learning(self, entry_id: str) -> Entry:
        entry, _ = known_entry(self._repository, entry_id)
        if entry.kind != "learning":
            raise InvalidEntryError(f"{entry_id} is a {entry.kind}: a retrospective looks at learnings alone")
        return entry


def _promoted(entry: Entry, banks: Banks) -> Revised:
    observed_in = observed_in_of(entry.notes) or entry.source_project or ""
    lesson = bank_lesson(entry, observed_in, entry.observation_count)
    return Revised(entry, attrs.evolve(entry, source_project=None), promoted(banks, lesson))


SEARCHED = 100
"""How many answers are looked through for those that are older and of this project."""


class Reviewed(NamedTuple):
    """
    What may be looked at again.

    Attributes:
        entries: The likeliest first.
        degradations: What was missing from the search, one line each.

    """

    entries: tuple[Entry, ...]
    degradations: tuple[str, ...]


class Review(NamedTuple):
    """
    Find learnings of a project, and of all projects, that the work just done may confirm or contradict.

    Attributes:
        recall: Answers what is asked.
        workplace: Where the work was done.

    """

    recall: Recall
    workplace: Workplace

    def find(self, work: ContextQuery, before: dt.datetime, limit: int, deadline: Deadline) -> Reviewed:
        """
        Return at most *limit* learnings that *work* recalls best; nothing is counted.

        Args:
            work: Its feature and files; without either nothing is found.
            before: Only what was last observed before it.
            limit: How many.
            deadline: When the search must end.

        Raises:
            StorageError: the store can't be read.

        """
        question = Question(
            text=work.compose() or "",
            only=LEARNINGS._replace(ranked=True),
            policy="adaptive",
            limit=SEARCHED,
            minimum=None,
            workplace=self.workplace,
            keyword_text=work.keyword_text,
        )
        recollection = self.recall.answer(question, deadline)
        found = (answer.entry for answer in recollection.answers)
        older = [entry for entry in found if entry.updated_at < before and self._is_of_here(entry)]
        return Reviewed(tuple(older[:limit]), recollection.degradations)

    def _is_of_here(self, entry: Entry) -> bool:
        return entry.source_project in {None, self.workplace.project}
