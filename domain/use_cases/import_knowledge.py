"""Import knowledge banks into the store, each entry once, and synchronise their counts before a retrospective."""

import datetime as dt
from collections.abc import Callable

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import MAX_COUNT, Entry, redact_entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.knowledge_bank import ENTRY_HEAD, OBSERVED_IN, BankEntry, text_after
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.retro.bank_edit import PLACES, Banks
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank

NAME_WORDS = 8
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

    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()
    left: int = 0

    def __add__(self, other: "Imported") -> "Imported":
        """Add up both outcomes."""
        return Imported(
            added=self.added + other.added,
            known=self.known + other.known,
            skipped=self.skipped + other.skipped,
            left=self.left + other.left,
        )


@attrs.frozen(kw_only=True)
class ImportKnowledge:
    """
    Import new entries; a heading is never imported twice.

    So hand edits of known entries are not synced back, and deleted entries stay
    deleted, while entries that a teammate added are imported.
    """

    bank: KnowledgeBank
    repository: EntryRepository
    ledger: ImportLedger
    clock: Clock

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

    def everything(self, progress: Callable[[BankFile], None] | None = None) -> Imported:
        """Import every file, without a time limit; call *progress* after each file."""
        total = Imported()
        for file in self.bank.files():
            total += self._file(file)
            if progress:
                progress(file)
        return total

    def _file(self, file: BankFile) -> Imported:
        entries = self.bank.read(file)
        if entries is None:
            return Imported()
        with self.repository.transaction():
            seen = self.ledger.headings(file.path)
            outcomes = {
                entry: Imported(known=1) if redact(entry.heading) in seen else self._entry(entry, file)
                for entry in entries
            }
            taken = {redact(entry.heading) for entry, outcome in outcomes.items() if not outcome.skipped}
            self.ledger.record(file.path, taken, file.fingerprint)
        return sum(outcomes.values(), Imported())

    def _entry(self, lesson: BankEntry, file: BankFile) -> Imported:
        try:
            entry = redact_entry(_to_entry(lesson, file, self.clock.now()))
        except InvalidEntryError as error:
            return Imported(skipped=(f"{file.path}: {ENTRY_HEAD}{redact(lesson.heading)[:80]}: {error}",))
        if self.repository.get(entry.entry_id):
            return Imported(known=1)
        self.repository.put(entry)
        return Imported(added=1)


def _to_entry(lesson: BankEntry, file: BankFile, now: dt.datetime) -> Entry:
    observed = _time(lesson.last_observed, now)
    return Entry(
        name=plain_title(_storable(lesson.name)) or " ".join(_storable(lesson.text).split()[:NAME_WORDS]),
        description=_storable(lesson.text),
        notes=_storable("\n".join(lesson.notes)),
        category=file.category,
        references=tuple(_storable(place) for line in lesson.notes if (place := text_after(OBSERVED_IN, line))),
        observation_count=min(max(1, lesson.observation_count), MAX_COUNT),
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
                    self._raise_to(identity, min(count, MAX_COUNT))
        return skipped

    def _raise_to(self, identity: str, count: int) -> None:
        known = self.repository.get(identity)
        if known and known.observation_count < count:
            self.repository.put(attrs.evolve(known, observation_count=count))
