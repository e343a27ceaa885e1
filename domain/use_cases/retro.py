"""Retrospectives: save, confirm, promote and review lessons."""

import datetime as dt
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

import attrs

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_COUNT, Entry, redact_entry
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.filters import LEARNINGS, Workplace
from hardwon.domain.model.knowledge_bank import BankScope
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.retro.bank_edit import BankEditOutcome, Banks, counted, noted, promoted
from hardwon.domain.model.retro.lesson import RetroLesson, bank_lesson, day_of, observed_in_of
from hardwon.domain.model.vocabulary import Reach
from hardwon.domain.use_cases.edit_entries import known_entry
from hardwon.domain.use_cases.import_knowledge import SyncBanks
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry, StoredEntry, StoreEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.knowledge_bank import BankFiles


class KeptLesson(NamedTuple):
    """
    The outcome for a lesson.

    Attributes:
        stored: The change of the store; None if the store was not used.
    """

    lesson: RetroLesson
    noted: BankEditOutcome
    stored: StoredEntry | None


class SavedRetro(NamedTuple):
    """
    The outcome of a retrospective.

    Attributes:
        skipped: Entries of the banks that could not be imported, one line each.
    """

    lessons: tuple[KeptLesson, ...]
    skipped: tuple[str, ...] = ()


@attrs.frozen
class SaveRetro:
    """
    Write lessons to the knowledge bank and to the store, atomically.

    Attributes:
        open_store: Opens or creates the store; None to leave it alone.
    """

    bank: BankFiles
    open_store: Callable[[], SyncBanks] | None

    def save(self, lessons: Sequence[RetroLesson]) -> SavedRetro:
        """
        Save *lessons*, and count known ones once more, in both places.

        The files are locked before the store, and no store is created for lessons that the files
        can't hold. The files are written last before the commit of the store. A process that is
        killed in between leaves some files written and the store unchanged: the next retrospective
        imports them.

        Raises:
            InvalidAnswerError: a file can't hold some of them; nothing was written.
            UneditableFileError: a file can't be written, or another process holds them; nothing was
                written.
            UnreadableFileError: a file can't be read; nothing was written.
            StorageError: the store can't be written now; nothing was written, unless its commit
                failed.
        """
        with self.bank.held() as banks:
            foreseen = _all_noted(banks, lessons)
            if self.open_store is None:
                self.bank.write(foreseen[-1].noted.banks if foreseen else banks)
                return SavedRetro(foreseen)
            return self._in_both(banks, lessons, self.open_store())

    def foreseen(self, lessons: Sequence[RetroLesson]) -> SavedRetro:
        """Return the changes of the knowledge bank in a dry run."""
        return SavedRetro(_all_noted(self.bank.banks(), lessons))

    def _in_both(
        self, banks: Banks, lessons: Sequence[RetroLesson], sync_banks: SyncBanks
    ) -> SavedRetro:
        # Before anything is counted, or what is new in the files would be counted from one.
        sync_banks.sync(banks)
        with sync_banks.repository.transaction():
            lessons = [_at_home(lesson, sync_banks.workplace) for lesson in lessons]
            stored = [_stored(lesson, sync_banks) for lesson in lessons]
            kept = _all_noted(banks, lessons, stored)
            banks = kept[-1].noted.banks if kept else banks
            self.bank.write(banks)
        skipped = sync_banks.sync(banks)  # or the next import would read what was written
        return SavedRetro(kept, skipped)


def _all_noted(
    banks: Banks, lessons: Sequence[RetroLesson], stored: Sequence[StoredEntry] = ()
) -> tuple[KeptLesson, ...]:
    kept = list[KeptLesson]()
    problems = list[str]()
    for given, known in zip_longest(lessons, stored):
        lesson = _as_edited(given, known)
        count = known.entry.observation_count if known else 1
        try:
            outcome = noted(banks, lesson.for_bank(count), scope_of(lesson))
        except InvalidEntryError as error:
            problems.append(f"{lesson.place}: {error}")
            continue
        banks = outcome.banks
        kept.append(KeptLesson(lesson, outcome, known))
    if problems:
        raise InvalidAnswerError(problems)
    return tuple(kept)


def _as_edited(lesson: RetroLesson, known: StoredEntry | None) -> RetroLesson:
    is_earlier = known is not None and known.entry.entry_id != lesson.entry.entry_id
    return attrs.evolve(lesson, entry=known.entry) if known and is_earlier else lesson


def _at_home(lesson: RetroLesson, here: Workplace) -> RetroLesson:
    if lesson.entry.source_project is not None or not here.visibility.is_foreign:
        return lesson
    return attrs.evolve(lesson, entry=attrs.evolve(lesson.entry, source_project=here.label))


def _stored(lesson: RetroLesson, sync_banks: SyncBanks) -> StoredEntry:
    reach: Reach = "everywhere" if lesson.entry.source_project is None else "shared"
    imports = sync_banks.import_knowledge
    origin = Origin(sync_banks.workplace, "retro", reach)
    stored = StoreEntry(PlaceEntry(imports.repository, imports.projects, origin)).keep(
        redact_entry(lesson.entry)
    )
    if lesson.entry.source_project is not None or stored.entry.source_project is None:
        return stored
    universal = attrs.evolve(stored.entry, source_project=None)
    sync_banks.repository.put(universal)
    return attrs.evolve(stored, entry=universal)


def scope_of(lesson: RetroLesson) -> BankScope:
    """Return the bank that a lesson belongs to."""
    return "local" if lesson.entry.source_project is not None else "global"


@attrs.frozen
class RevisionOutcome:
    """
    The outcome of a revision.

    Attributes:
        skipped: Entries of the banks that could not be imported, one line each.
    """

    before: Entry
    entry: Entry
    noted: BankEditOutcome
    skipped: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ReviseLearning:
    """Confirm or promote a learning in the store and the knowledge bank."""

    bank: BankFiles
    sync_banks: SyncBanks
    clock: Clock

    def confirm(self, entry_id: str) -> RevisionOutcome:
        """
        Count one more observation of the learning, now, also in every bank.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or a file can't be changed; nothing was changed.
            UneditableFileError: a file can't be written, or another process holds them; nothing was
                changed.
            UnreadableFileError: a file can't be read; nothing was changed.
        """
        return self._revised(entry_id, self._confirmed)

    def promote(self, entry_id: str) -> RevisionOutcome:
        """
        Make the learning one of all projects (idempotent).

        It has no project in the store, and is in the user's own bank.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: it is no learning, or the file can't hold it; nothing was changed.
            UneditableFileError: a file can't be written, or another process holds them; nothing was
                changed.
            UnreadableFileError: a file can't be read; nothing was changed.
        """
        if self.sync_banks.workplace.visibility.is_foreign:
            raise InvalidEntryError(
                f"{entry_id} can't be promoted in a foreign project: {TRUST_FIRST}"
            )
        return self._revised(entry_id, _promoted)

    def _revised(
        self, entry_id: str, look: Callable[[Entry, Banks], RevisionOutcome]
    ) -> RevisionOutcome:
        """
        Revise with the files locked before the store.

        The store is synchronised before and after.
        """
        with self.bank.held() as banks:
            self.sync_banks.sync(banks)
            with self._repository.transaction([entry_id]):
                looked = look(self._learning(entry_id), banks)
                if looked.entry != looked.before:
                    self._repository.put(looked.entry)
                self.bank.write(looked.noted.banks)
            return attrs.evolve(looked, skipped=self.sync_banks.sync(looked.noted.banks))

    def _confirmed(self, entry: Entry, banks: Banks) -> RevisionOutcome:
        confirmed = attrs.evolve(
            entry,
            observation_count=min(entry.observation_count + 1, MAX_COUNT),
            updated_at=max(entry.updated_at, self.clock.now()),
        )
        return RevisionOutcome(
            entry, confirmed, counted(banks, entry.entry_id, day_of(confirmed.updated_at))
        )

    @property
    def _repository(self) -> EntryRepository:
        return self.sync_banks.repository

    def _learning(self, entry_id: str) -> Entry:
        entry, _ = known_entry(self._repository, entry_id)
        if entry.kind != "learning":
            raise InvalidEntryError(
                f"{entry_id} is a {entry.kind}: a retrospective looks at learnings alone"
            )
        return entry


TRUST_FIRST = "run hardwon trust here first, or promote it in a project of yours"


def _promoted(entry: Entry, banks: Banks) -> RevisionOutcome:
    observed_in = observed_in_of(entry.notes) or entry.source_project or ""
    lesson = bank_lesson(entry, observed_in, entry.observation_count)
    return RevisionOutcome(
        entry, attrs.evolve(entry, source_project=None, reach="everywhere"), promoted(banks, lesson)
    )


SEARCHED = 100
"""The number of answers that are filtered for older ones of this project."""


class LearningsToReview(NamedTuple):
    """
    The learnings to review.

    Attributes:
        entries: The most relevant first.
        degradations: The missing parts of the search, one line each.
    """

    entries: tuple[Entry, ...]
    degradations: tuple[str, ...]


class ReviewLearnings(NamedTuple):
    """Find learnings that the finished work may confirm or contradict."""

    recall: Recall
    workplace: Workplace

    def learnings_for(
        self, work: ContextQuery, before: dt.datetime, limit: int, deadline: Deadline
    ) -> LearningsToReview:
        """
        Return the *limit* learnings most relevant to *work*, without counting access.

        These were last observed before *before*. Without a feature or files in *work*, none are
        found.
        """
        question = RecallQuestion(
            text=work.compose() or "",
            only=LEARNINGS._replace(ranked=True, visible_in=self.workplace.visibility),
            policy="adaptive",
            limit=SEARCHED,
            minimum=None,
            workplace=self.workplace,
            keyword_text=work.keyword_text,
        )
        recollection = self.recall.answer(question, deadline)
        found = (answer.entry for answer in recollection.answers)
        older = [entry for entry in found if entry.updated_at < before and self._is_of_here(entry)]
        return LearningsToReview(tuple(older[:limit]), recollection.degradations)

    def _is_of_here(self, entry: Entry) -> bool:
        return entry.source_project is None or entry.project in self.workplace.own
