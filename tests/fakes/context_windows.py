"""Context windows in memory."""

from hardwon.domain.model.injection.receipt import MOMENTS, ContextWindow, HeldMemory, Receipt
from hardwon.ports.activity import ContextWindows
from hardwon.ports.override import override
from tests.fakes.deliveries import ALL
from tests.fakes.receipts import InMemoryReceipts


class InMemoryContextWindows(ContextWindows):
    def __init__(self, receipts: InMemoryReceipts) -> None:
        self._receipts = receipts
        self._dropped = set[int]()

    @override
    def held(self, window: ContextWindow) -> HeldMemory:
        held = [receipt for receipt in self._of(window) if receipt.delivery != "missed"]
        blocks = (
            receipt.latest
            for receipt in held
            if receipt.event == "start" and receipt.latest is not None
        )
        return HeldMemory(
            frozenset(shown.entry_id for receipt in held for shown in receipt.shown),
            max(blocks, default=None),
            sum(receipt.event in MOMENTS for receipt in held),
        )

    @override
    def empty(self, window: ContextWindow) -> None:
        self._dropped |= {receipt.number for receipt in self._of(window)}

    def _of(self, window: ContextWindow) -> list[Receipt]:
        found = self._receipts.find(session_id=window.session_id, limit=ALL)
        return [
            item
            for item in found
            if item.agent == window.agent and item.number not in self._dropped
        ]
