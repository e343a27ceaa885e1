"""
Send what waits in an outbox to its server.

Its rules:

- Entries are sent in the order in which they were stored. One that the server refuses stays, and the
  others go on.
- An entry is removed from the outbox after the server has it. The server's ledger notes the last one in
  the same transaction, so that none is counted twice if the removal was interrupted.
- A door that got no answer puts an entry here that the server may have: its last observation is known by
  id and time.
- A text that was forgotten, there or here, is removed and not sent.
- A section of a file is not sent: its file is indexed again.
"""

from collections.abc import Callable
from functools import partial

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.forgotten import ensure_not_forgotten
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.domain.use_cases.store_entry import PlaceEntry
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger

ALL = 2**31 - 1


@attrs.define
class SendingOutcome:
    """
    The outcome of a run.

    Attributes:
        forgotten: The number of entries that were forgotten meanwhile.
        problems: One line for each entry that still waits.
    """

    sent: int = 0
    forgotten: int = 0
    problems: list[str] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class SendOutbox:
    """
    Sends the entries of an outbox.

    Attributes:
        ledger: The server's ledger of imports, of which the outbox is a source.
        name: The name of the outbox in the ledger.
        place_for: Returns how the server stores an entry of that project and door.
        index_file: Indexes the file of an entry on the server.
        give_way: Called before each entry; raises an error to stop.
    """

    outbox: EntryRepository
    server: EntryRepository
    ledger: ImportLedger
    name: str
    place_for: Callable[[Entry], PlaceEntry]
    index_file: Callable[[Entry], None]
    give_way: Callable[[], None] = lambda: None

    def send(self) -> SendingOutcome:
        """
        Send all that waits.

        Raises:
            StorageError: the server or the outbox can't be used now; the rest waits.
        """
        self.outbox.forgotten.adopt(self.server.forgotten.hashes())
        outcome = SendingOutcome()
        waiting = self.outbox.matching(EVERYTHING, limit=ALL)
        for entry in sorted(waiting, key=lambda entry: entry.number or 0):
            self.give_way()
            self._try(entry, outcome)
        return outcome

    def _try(self, entry: Entry, outcome: SendingOutcome) -> None:
        try:
            ensure_not_forgotten(entry, self.outbox.forgotten.holds)
            self._send(entry)
        except ForgottenError:
            self.outbox.delete(entry.entry_id)
            outcome.forgotten += 1
        except (InvalidEntryError, UnreadableFileError) as error:
            outcome.problems.append(f"{entry.entry_id} still waits: {error}")
        else:
            self._release(entry)
            outcome.sent += 1

    def _send(self, entry: Entry) -> None:
        if entry.file_path:
            self.index_file(entry)
            return
        place_entry = self.place_for(entry)
        with self.server.transaction([entry.entry_id]):
            if times := entry.observation_count - self._delivered(entry):
                new = attrs.evolve(entry, number=None)
                place_entry.place(new, partial(_observed_again, times=times))
            self.ledger.record(self.name, set(), f"{_mark(entry)} {entry.observation_count}")

    def _delivered(self, entry: Entry) -> int:
        """Return the number of observations that the server has."""
        mark, _, count = (self.ledger.fingerprint(self.name) or "").partition(" ")
        if mark == _mark(entry):
            return int(count)
        known = self.server.by_id(entry.entry_id) or self.server.reworded(entry.entry_id)
        return int(bool(known and entry.updated_at in {known.created_at, known.updated_at}))

    def _release(self, sent: Entry) -> None:
        """Remove *sent*, but for observations that were added meanwhile."""
        with self.outbox.transaction([sent.entry_id]):
            now = self.outbox.by_id(sent.entry_id)
            self.outbox.delete(sent.entry_id)
            if now and (more := now.observation_count - sent.observation_count) > 0:
                self.outbox.put(
                    attrs.evolve(now, created_at=now.updated_at, observation_count=more)
                )


def _mark(entry: Entry) -> str:
    """Return the name of an entry in the ledger, the same while it waits."""
    return text_digest(f"{entry.entry_id} {entry.created_at.isoformat()}")[:16]


def _observed_again(known: Entry, other: Entry, *, times: int) -> Entry:
    for _ in range(times):
        known = known.observed_again(other)
    return known
