import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import as_text
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.model.receipts.influence import Influence
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History
from hardwon.ports.influences import Influences
from hardwon.ports.receipts import Receipts
from hardwon.ports.usage_log import UsageLog


@attrs.frozen
class Validated:
    """
    What became of a judgement.

    Attributes:
        entry: As it now stands in the store.
        offers_promotion: Whether the user may be asked to make it critical; that is never done here (M-D10).

    """

    entry: Entry
    offers_promotion: bool


@attrs.frozen(kw_only=True)
class ValidateEntry:
    """
    Count whether an entry was of use.

    Attributes:
        repository: The entries.
        usage: Their counters.
        history: What was changed.
        receipts: What was injected.
        influences: What of it was of use.
        clock: The time.

    """

    repository: EntryRepository
    usage: UsageLog
    history: History
    receipts: Receipts
    influences: Influences
    clock: Clock

    def __call__(self, entry_id: str, *, useful: bool, session_id: str = "") -> Validated:
        """
        Count one more judgement; a confidence score that moves gets its line of history.

        What was injected into the session *session_id* and judged useful was of use there; empty is none.

        Raises:
            UnknownEntryError: there is no such entry.
            StorageError: the store can't be written now; nothing was counted.

        """
        with self.repository.transaction():
            before, number = known_entry(self.repository, entry_id)
            self.usage.record_validation(number, useful=useful)
            after, _ = known_entry(self.repository, entry_id)
            self.history.record(number, _moved(before, after), self.clock.now())
            if useful and session_id and entry_id in self.receipts.shown_in(session_id):
                self.influences.record(Influence(entry_id, session_id, "validation", "", self.clock.now()))
        return Validated(after, offers_promotion=after.usage.validations.offers_promotion(after.tier))


def _moved(before: Entry, after: Entry) -> list[FieldChange]:
    old, new = (entry.usage.validations.confidence_score for entry in (before, after))
    return [FieldChange("confidence_score", as_text(old), as_text(new))] if old != new else []
