"""Deliveries of injections in memory."""

from hardwon.domain.model.injection.receipt import COUNTED, Delivery, Undelivered
from hardwon.ports.activity import Deliveries
from hardwon.ports.override import override
from tests.fakes.receipts import InMemoryReceipts
from tests.fakes.state import State

ALL = 10_000


class InMemoryDeliveries(Deliveries):
    def __init__(self, receipts: InMemoryReceipts, state: State) -> None:
        self._receipts = receipts
        self._state = state

    @override
    def undelivered(self, session_id: str) -> list[Undelivered]:
        found = self._receipts.find(session_id=session_id, limit=ALL)
        return [
            Undelivered(item.number, item.delivery, item.at, item.digest, item.frame)
            for item in reversed(found)
            if item.delivery not in COUNTED
        ]

    @override
    def settle(self, number: int, delivery: Delivery) -> bool:
        open_ones = (
            item for item in self._receipts.find(limit=ALL) if item.delivery not in COUNTED
        )
        receipt = next((item for item in open_ones if item.number == number), None)
        if receipt is None:
            return False
        self._receipts.replace(receipt._replace(delivery=delivery))
        if delivery in COUNTED:
            ids = {item.entry_id for item in receipt.shown}
            for shown, entry in self._state.entries.items():
                if entry.entry_id in ids:
                    count, last = self._state.recalls.get(shown, (0, receipt.at))
                    self._state.recalls[shown] = count + 1, max(last, receipt.at)
        return True
