import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import as_text
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.use_cases.keeping.known_entry import known_entry
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History
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
        clock: The time.

    """

    repository: EntryRepository
    usage: UsageLog
    history: History
    clock: Clock

    def __call__(self, entry_id: str, *, useful: bool) -> Validated:
        """
        Count one more judgement; a confidence score that moves gets its line of history.

        Raises:
            UnknownEntryError: there is no such entry.
            StorageError: the store can't be written now; nothing was counted.

        """
        with self.repository.transaction():
            before, number = known_entry(self.repository, entry_id)
            self.usage.record_validation(number, useful=useful)
            after, _ = known_entry(self.repository, entry_id)
            self.history.record(number, _moved(before, after), self.clock.now())
        return Validated(after, offers_promotion=after.usage.validations.offers_promotion(after.tier))


def _moved(before: Entry, after: Entry) -> list[FieldChange]:
    old, new = (entry.usage.validations.confidence_score for entry in (before, after))
    return [FieldChange("confidence_score", as_text(old), as_text(new))] if old != new else []
