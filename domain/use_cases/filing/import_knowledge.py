"""Bring the entries of a knowledge bank into the store, each once."""

import datetime as dt
from collections.abc import Callable

import attrs

from hardwon.domain.model.bank_grammar import ENTRY_HEAD, OBSERVED_IN, text_after
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_checks import MAX_COUNT
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.files.titles import plain_title
from hardwon.domain.model.knowledge_bank import BankEntry
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.filing.bank_changes import changed_files
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.import_ledger import ImportLedger
from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank

NAME_WORDS = 8
REPLACEMENT = "\ufffd"


@attrs.frozen(kw_only=True)
class Imported:
    """
    The outcome of an import.

    Attributes:
        added: Entries that are new in the store.
        known: Entries that were there, or whose heading this store had seen.
        skipped: What could not be imported and why, one line each.
        left: Files for next time.

    """

    added: int = 0
    known: int = 0
    skipped: tuple[str, ...] = ()
    left: int = 0

    def __add__(self, other: "Imported") -> "Imported":
        """Return both outcomes as one."""
        return Imported(
            added=self.added + other.added,
            known=self.known + other.known,
            skipped=self.skipped + other.skipped,
            left=self.left + other.left,
        )


@attrs.frozen(kw_only=True)
class ImportKnowledge:
    """
    Import what is new; a heading seen before is never imported again.

    So hand edits of known entries are not synced back, and deleted ones stay
    away, while entries that a teammate added come in (M-A31).
    """

    bank: KnowledgeBank
    repository: EntryRepository
    ledger: ImportLedger
    clock: Clock

    def changed(self, deadline: Deadline, largest: int) -> Imported:
        """
        Import the files that changed since last time, whole files until *deadline*.

        Args:
            deadline: No file is begun after it.
            largest: Bytes; a larger file is left for `everything`.

        """
        total = Imported()
        for file in changed_files(self.bank, self.ledger):
            total += Imported(left=1) if file.size > largest or deadline.passed() else self._file(file)
        return total

    def everything(self, progress: Callable[[BankFile], None] | None = None) -> Imported:
        """Import every file, however long it takes; *progress* hears of each file when it is done."""
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
    observed = _moment(lesson.last_observed, now)
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


def _moment(text: str | None, now: dt.datetime) -> dt.datetime:
    """Return the moment *text* names; *now* when it names none or one in the future."""
    try:
        moment = dt.datetime.fromisoformat((text or "").strip()).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return now
    return min(moment, now)
