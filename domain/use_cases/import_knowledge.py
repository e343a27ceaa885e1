"""Import knowledge banks into the store, each entry once, and synchronise their counts before a retrospective."""

import datetime as dt
from collections.abc import Callable

import attrs

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_COUNT, Entry, redact_entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.knowledge_bank import ENTRY_HEAD, OBSERVED_IN, BankEntry, text_after
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.retro.bank_edit import PLACES, Banks
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.domain.use_cases.store_entry import Origin, PlaceEntry
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank
from hardwon.ports.projects import Projects

NAME_WORDS = 8
FOREIGN_COUNT = 100
"""The highest observation count that a foreign project's bank gives a lesson."""
REPLACEMENT = "\ufffd"


@attrs.frozen(kw_only=True)
class Imported:
    """
    The outcome of an import.

    Attributes:
        added: The number of new entries.
        known: The number of entries that were in the store, or whose heading was imported before.
        skipped: Entries that could not be imported with the reasons, one line each.
        left: The number of files left for the next import.
        forgotten: The number of entries left out as the user had them forgotten.

    """

    added: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: tuple[str, ...] = ()
    left: int = 0

    def __add__(self, other: "Imported") -> "Imported":
        """Add up both outcomes."""
        return Imported(
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
    Import new entries; a heading is never imported twice.

    So hand edits of known entries are not synced back, and deleted entries stay
    deleted, while entries that a teammate added are imported.
    """

    bank: KnowledgeBank
    repository: EntryRepository
    projects: Projects
    ledger: ImportLedger
    clock: Clock
    workplace: Workplace

    def changed(self, deadline: Deadline, largest: int) -> Imported:
        """
        Import the files that changed since their last import, until *deadline*.

        Args:
            deadline: No file is begun after it.
            largest: The maximum size in bytes; larger files are left for `everything`.

        """
        total = Imported()
        for file in changed_files(self.bank, self.ledger):
            total += Imported(left=1) if file.size > largest or deadline.passed() else self._file(file)
        return total

    def everything(self, progress: Progress = lambda _: None) -> Imported:
        """Import every file, without a time limit; call *progress* with its file before each entry."""
        return sum((self._file(file, progress) for file in self.bank.files()), Imported())

    def _file(self, file: BankFile, progress: Progress = lambda _: None) -> Imported:
        entries = self.bank.read(file)
        if entries is None:
            return Imported()
        with self.repository.transaction():
            seen = self.ledger.headings(file.path)
            outcomes = dict[BankEntry, Imported]()
            for entry in entries:
                progress(file)
                outcomes[entry] = Imported(known=1) if redact(entry.heading) in seen else self._entry(entry, file)
            taken = {redact(entry.heading) for entry, outcome in outcomes.items() if outcome.added or outcome.known}
            self.ledger.record(file.path, taken, file.fingerprint)
        return sum(outcomes.values(), Imported())

    def _entry(self, lesson: BankEntry, file: BankFile) -> Imported:
        try:
            entry = redact_entry(_to_entry(lesson, file, self.clock.now(), self._highest_count(file)))
        except InvalidEntryError as error:
            return Imported(skipped=(f"{file.path}: {ENTRY_HEAD}{redact(lesson.heading)[:80]}: {error}",))
        try:
            placed = PlaceEntry(self.repository, self.projects, self._origin(file)).place(entry, _unchanged)
        except ForgottenError:
            return Imported(forgotten=1)
        return Imported(known=1) if placed.merged else Imported(added=1)

    def _highest_count(self, file: BankFile) -> int:
        return FOREIGN_COUNT if file.project is not None and self.workplace.visibility.is_foreign else MAX_COUNT

    def _origin(self, file: BankFile) -> Origin:
        if file.project is None:
            return Origin(self.workplace._replace(project=""), "global-bank", "everywhere")
        return Origin(self.workplace, "bank")


def _unchanged(known: Entry, _: Entry) -> Entry:
    return known


def _to_entry(lesson: BankEntry, file: BankFile, now: dt.datetime, highest_count: int) -> Entry:
    observed = _time(lesson.last_observed, now)
    return Entry(
        name=plain_title(_storable(lesson.name)) or " ".join(_storable(lesson.text).split()[:NAME_WORDS]),
        description=_storable(lesson.text),
        notes=_storable("\n".join(lesson.notes)),
        category=file.category,
        references=tuple(_storable(place) for line in lesson.notes if (place := text_after(OBSERVED_IN, line))),
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
    """Return the time in *text*; *now* if it has none or one in the future."""
    try:
        time = dt.datetime.fromisoformat((text or "").strip()).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return now
    return min(time, now)


@attrs.frozen
class SyncBanks:
    """
    Import the new lessons and the higher counts of the knowledge banks.

    A retrospective that was killed between writing the files and the store left them inconsistent. An import skips
    known headings, so the counts are raised here.

    Attributes:
        import_knowledge: Imports the banks.

    """

    import_knowledge: ImportKnowledge
    repository: EntryRepository

    @property
    def workplace(self) -> Workplace:
        """The project of the bank."""
        return self.import_knowledge.workplace

    def sync(self, banks: Banks) -> tuple[str, ...]:
        """
        Synchronise the store with *banks*, whose files are locked; return what was skipped, one line each.

        A count in the store is never lowered.

        Raises:
            StorageError: the store can't be written now; nothing was changed.

        """
        with self.repository.transaction():
            skipped = self.import_knowledge.everything().skipped
            for place in PLACES:
                for identity, count in banks.counts(place).items():
                    self._raise_to(identity, min(count, MAX_COUNT), is_local=place.scope == "local")
        return skipped

    def _raise_to(self, identity: str, count: int, *, is_local: bool) -> None:
        known, here = self.repository.get(identity), self.workplace
        if is_local and here.visibility.is_foreign:
            count = min(count, FOREIGN_COUNT) if known and known.project in here.own else 0
        if known and known.observation_count < count:
            self.repository.put(attrs.evolve(known, observation_count=count))
