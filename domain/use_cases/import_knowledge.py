"""Import knowledge banks, and synchronise their counts."""

import datetime as dt
from collections.abc import Callable, Sequence

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_COUNT, Entry, redact_entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import (
    ENTRY_HEAD,
    OBSERVED_IN,
    BankEntry,
    BankFile,
    changed_files,
    text_after,
)
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.repository import OWN, Version
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, Banks
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import KnowledgeBank
from hardwon.ports.projects import Projects
from hardwon.ports.repository import FileVersions

NAME_WORDS = 8
FOREIGN_COUNT = 100
"""Maximum observation count from a file of a foreign project or version."""
REPLACEMENT = "\ufffd"
FROM_FILE = ("name", "notes", "references", "observation_count", "confidence", "updated_at")
"""The fields that a file gives a lesson, apart from its identity."""


@attrs.frozen(kw_only=True)
class ImportOutcome:
    """
    The outcome of an import.

    Attributes:
        known: The number of entries that were in the store, or whose heading was imported before.
        skipped: Entries that could not be imported with the reasons, one line each.
        forgotten: The number of entries left out as the user had them forgotten.
    """

    added: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: tuple[str, ...] = ()
    left: int = 0

    def __add__(self, other: "ImportOutcome") -> "ImportOutcome":
        return ImportOutcome(
            added=self.added + other.added,
            known=self.known + other.known,
            skipped=self.skipped + other.skipped,
            left=self.left + other.left,
            forgotten=self.forgotten + other.forgotten,
        )


Progress = Callable[[BankFile], None]


@attrs.frozen(kw_only=True)
class ImportKnowledge:
    """
    Import new entries, never a heading twice.

    So hand edits of known entries are not synced back, and deleted entries stay
    deleted, while entries that a teammate added are imported. Entries of a version
    that is not the user's are kept at home.

    Attributes:
        elsewhere: Returns the paths of a file in the project's other folders, also in former ones.
    """

    bank: KnowledgeBank
    repository: EntryRepository
    projects: Projects
    ledger: ImportLedger
    versions: FileVersions
    clock: Clock
    workplace: Workplace
    elsewhere: Callable[[str], Sequence[str]] = lambda _: ()

    def changed(self, deadline: Deadline, largest: int) -> ImportOutcome:
        """
        Import the files that changed since their last import, until *deadline*.

        Args:
            deadline: No file is begun after it.
            largest: The maximum size in bytes; larger files are left for `everything`.
        """
        total = ImportOutcome()
        for file in changed_files(self.bank.files(), self.ledger.fingerprint):
            total += (
                ImportOutcome(left=1)
                if file.size > largest or deadline.passed()
                else self._file(file)
            )
        return total

    def everything(self, progress: Progress = lambda _: None) -> ImportOutcome:
        """
        Import every file, without a time limit.

        Args:
            progress: Called before each entry, with its file.
        """
        return sum((self._file(file, progress) for file in self.bank.files()), ImportOutcome())

    def _file(self, file: BankFile, progress: Progress = lambda _: None) -> ImportOutcome:
        entries = self.bank.read(file)
        if entries is None:
            return ImportOutcome()
        seen = self.ledger.headings(file.path)
        new = {entry for entry in entries if redact(entry.heading) not in seen}
        new -= self._deleted(file, new)
        version = self.version_of(file) if new else OWN
        outcomes = dict[BankEntry, ImportOutcome]()
        for entry in entries:
            progress(file)
            outcomes[entry] = (
                self._entry(entry, file, version) if entry in new else ImportOutcome(known=1)
            )
        taken = {
            redact(entry.heading)
            for entry, outcome in outcomes.items()
            if outcome.added or outcome.known
        }
        self.ledger.record(file.path, taken, file.fingerprint)
        return sum(outcomes.values(), ImportOutcome())

    def _deleted(self, file: BankFile, new: set[BankEntry]) -> set[BankEntry]:
        """
        Return those of *new* that were imported elsewhere in the project, and deleted.

        The store has no such text, which the other file still has. A moved file is the same one.
        """
        missing = {entry for entry in new if not self.repository.by_id(stored_identity(entry))}
        found = set[BankEntry]()
        for path in self.elsewhere(file.path) if missing and file.project is not None else ():
            headings, has_moved = (
                self.ledger.headings(path),
                self.ledger.fingerprint(path) == file.fingerprint,
            )
            there = missing if has_moved else self.bank.read(file._replace(path=path)) or ()
            imported = {
                stored_identity(entry) for entry in there if redact(entry.heading) in headings
            }
            found |= {entry for entry in missing if stored_identity(entry) in imported}
        return found

    def version_of(self, file: BankFile) -> Version:
        """Return the present version of *file*, own for the user's own bank."""
        return OWN if file.project is None else self.versions.version_of(file.path)

    def as_of_user(self, known: Entry, lesson: BankEntry, file: BankFile) -> Entry:
        """
        Return *known*, an entry kept at home, with the values of *lesson*.

        The lesson is in the user's own version of *file*.
        """
        now = redact_entry(
            _to_entry(
                lesson, file, now=self.clock.now(), highest_count=self._highest_count(file, OWN)
            )
        )
        values = {name: getattr(now, name) for name in FROM_FILE}
        return attrs.evolve(known, **values, door="bank", reach="shared")

    def _entry(self, lesson: BankEntry, file: BankFile, version: Version) -> ImportOutcome:
        is_own = version.owns(lesson.lines)
        try:
            entry = redact_entry(
                _to_entry(
                    lesson,
                    file,
                    now=self.clock.now(),
                    highest_count=self._highest_count(file, version),
                )
            )
        except InvalidEntryError as error:
            return ImportOutcome(
                skipped=(f"{file.path}: {ENTRY_HEAD}{redact(lesson.heading)[:80]}: {error}",)
            )
        place_entry = PlaceEntry(self.repository, self.projects, self._origin(file, is_own=is_own))
        try:
            with self.repository.transaction([entry.entry_id]):  # others store theirs meanwhile
                placed = place_entry.place(entry, _with_higher_count if is_own else _unchanged)
        except ForgottenError:
            return ImportOutcome(forgotten=1)
        return ImportOutcome(known=1) if placed.merged else ImportOutcome(added=1)

    def _highest_count(self, file: BankFile, version: Version) -> int:
        is_foreign = file.project is not None and self.workplace.visibility.is_foreign
        return FOREIGN_COUNT if is_foreign or not version.is_own else MAX_COUNT

    def _origin(self, file: BankFile, *, is_own: bool) -> Origin:
        if file.project is None:
            return Origin(self.workplace._replace(project=""), "global-bank", "everywhere")
        return (
            Origin(self.workplace, "bank") if is_own else Origin(self.workplace, "checkout", "home")
        )


def stored_identity(lesson: BankEntry) -> str:
    """Return the id of the entry that *lesson* becomes."""
    return content_hash(redact(_storable(lesson.text)))


def _unchanged(known: Entry, _: Entry) -> Entry:
    return known


def _with_higher_count(known: Entry, new: Entry) -> Entry:
    return attrs.evolve(
        known, observation_count=max(known.observation_count, new.observation_count)
    )


def _to_entry(lesson: BankEntry, file: BankFile, now: dt.datetime, highest_count: int) -> Entry:
    observed = _time(lesson.last_observed, now)
    return Entry(
        name=plain_title(_storable(lesson.name))
        or " ".join(_storable(lesson.text).split()[:NAME_WORDS]),
        description=_storable(lesson.text),
        notes=_storable("\n".join(lesson.notes)),
        category=file.category,
        references=tuple(
            _storable(place) for line in lesson.notes if (place := text_after(OBSERVED_IN, line))
        ),
        observation_count=min(max(1, lesson.observation_count), highest_count),
        confidence=lesson.confidence,
        created_at=observed,
        updated_at=observed,
        source="import",
        source_project=file.project,
    )


def _storable(text: str) -> str:
    return text.replace("\0", REPLACEMENT)


def _time(text: str | None, now: dt.datetime) -> dt.datetime:
    try:
        time = dt.datetime.fromisoformat((text or "").strip()).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return now
    return min(time, now)


@attrs.frozen
class SyncBanks:
    """
    Import the new lessons and the higher counts of the knowledge banks.

    A retrospective that was killed between writing the files and the store left them inconsistent.
    An import skips known headings, so the counts are raised here.
    """

    import_knowledge: ImportKnowledge
    repository: EntryRepository

    @property
    def workplace(self) -> Workplace:
        """The project of the bank."""
        return self.import_knowledge.workplace

    def sync(self, banks: Banks) -> tuple[str, ...]:
        """
        Synchronise the store with *banks*, whose files are locked.

        A count in the store is never lowered. Returns the skipped entries, one line each.
        """
        skipped = self.import_knowledge.everything().skipped
        for place in PLACES:
            for identity, count in banks.counts(place).items():
                self._raise_to(identity, min(count, MAX_COUNT), place)
        return skipped

    def _raise_to(self, identity: str, count: int, place: BankPlace) -> None:
        if not self._raised(identity, count, place):
            return
        with self.repository.transaction([identity]):  # it may have changed meanwhile
            if raised := self._raised(identity, count, place):
                self.repository.put(raised)

    def _raised(self, identity: str, count: int, place: BankPlace) -> Entry | None:
        known = self.repository.by_id(identity)
        believed = self._believed(count, known, place) if known else 0
        if known and known.observation_count < believed:
            return attrs.evolve(known, observation_count=believed)
        return None

    def _believed(self, count: int, known: Entry, place: BankPlace) -> int:
        """
        Return how much of *count* in that file counts for *known*.

        Files of others raise only the counts of their own lessons.
        """
        if place.scope == "global" or not (
            self.workplace.visibility.is_foreign or self._is_of_others(place)
        ):
            return count
        is_theirs = known.is_of_others or (
            self.workplace.visibility.is_foreign and known.project in self.workplace.own
        )
        return min(count, FOREIGN_COUNT) if is_theirs else 0

    def _is_of_others(self, place: BankPlace) -> bool:
        imports = self.import_knowledge
        local = (
            file
            for file in imports.bank.files()
            if file.project is not None and file.category == place.category
        )
        return not all(imports.version_of(file).is_own for file in local)
