"""Usage signals in memory."""

from collections.abc import Iterable

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.injection.receipt import LONGEST_SHOWN, Influence, Receipt, ShownText
from hardwon.ports.activity import Influences, Receipts
from hardwon.ports.override import override
from tests.fakes.state import State

ALL = 2_000


class InMemoryInfluences(Influences):
    def __init__(self, state: State, receipts: Receipts) -> None:
        self._state = state
        self._receipts = receipts
        self.busy = False

    @override
    def record(self, influence: Influence) -> bool:
        if self.busy:
            raise StorageError("the store is busy")
        number = self._state.number_of(influence.entry_id)
        if number is None or (number, influence.session_id) in self._state.influences:
            return False
        self._state.influences = {
            **self._state.influences,
            (number, influence.session_id): influence,
        }
        return True

    @override
    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        forms: dict[str, set[str]] = {}
        for receipt in self._receipts.find(session_id=session_id, limit=ALL):
            if receipt.delivery == "missed":
                continue
            for entry_id in sorted(item.entry_id for item in receipt.shown):
                forms.setdefault(entry_id, set()).update(_forms(receipt, entry_id))
        shown = (self._shown(session_id, entry_id, forms[entry_id]) for entry_id in forms)
        return [text for text in shown if text][:limit]

    def _shown(self, session_id: str, entry_id: str, forms: set[str]) -> ShownText | None:
        number = self._state.number_of(entry_id)
        if number is None:
            return None
        entry = self._state.entries[number]
        length = LONGEST_SHOWN if forms - {"conversation"} else 0
        is_counted = (number, session_id) in self._state.influences
        return ShownText(
            entry_id, entry.name, entry.description[:length], entry.notes[:length], is_counted
        )

    @override
    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        wanted = set(entry_ids)
        return {
            entry_id: count for entry_id, count in self._counted(None).items() if entry_id in wanted
        }

    @override
    def find(
        self, *, session_id: str | None = None, entry_id: str | None = None, limit: int
    ) -> list[Influence]:
        found = [
            influence
            for influence in self._state.influences.values()
            if session_id in {None, influence.session_id} and entry_id in {None, influence.entry_id}
        ]
        found.sort(key=lambda influence: (influence.entry_id, influence.session_id))
        return sorted(found, key=lambda influence: influence.at, reverse=True)[:limit]

    @override
    def most_used(self, limit: int, only: EntryFilter | None = None) -> list[tuple[str, int]]:
        return sorted(self._counted(only).items(), key=lambda counted: (-counted[1], counted[0]))[
            :limit
        ]

    @override
    def total(self, only: EntryFilter | None = None) -> int:
        return sum(self._counted(only).values())

    def _counted(self, only: EntryFilter | None) -> dict[str, int]:
        counts: dict[str, int] = {}
        within = set(self._state.within(only or EVERYTHING))
        for number, _ in self._state.influences:
            if number in within:
                entry_id = self._state.entries[number].entry_id
                counts[entry_id] = counts.get(entry_id, 0) + 1
        return counts


def _forms(receipt: Receipt, entry_id: str) -> set[str]:
    return {item.form for item in receipt.shown if item.entry_id == entry_id}
