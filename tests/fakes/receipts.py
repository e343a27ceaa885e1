"""Injection receipts in memory."""

from collections.abc import Sequence

from hardwon.domain.model.injection.receipt import Receipt
from hardwon.ports.activity import Receipts
from hardwon.ports.override import override
from tests.fakes.state import State

KEPT = 2_000


class InMemoryReceipts(Receipts):
    def __init__(self, kept: int = KEPT, state: State | None = None) -> None:
        self._kept = kept
        self._state = state or State()
        self._receipts = list[Receipt]()
        self._last = 0

    @override
    def record(self, receipt: Receipt) -> None:
        self._last += 1
        latest = max(self._state.entries, default=0) if receipt.latest is None else receipt.latest
        self._receipts.append(receipt._replace(number=self._last, latest=latest))
        del self._receipts[: -self._kept]

    @override
    def shown_in(self, session_id: str) -> frozenset[str]:
        receipts = (
            receipt
            for receipt in self._receipts
            if receipt.session_id == session_id and receipt.delivery != "missed"
        )
        return frozenset(shown.entry_id for receipt in receipts for shown in receipt.shown)

    @override
    def find(
        self,
        *,
        session_id: str | None = None,
        entry_id: str | None = None,
        project: str | None = None,
        limit: int,
    ) -> Sequence[Receipt]:
        found = [
            receipt
            for receipt in reversed(self._receipts)
            if session_id in {None, receipt.session_id}
            and project in {None, receipt.project}
            and (entry_id is None or entry_id in {shown.entry_id for shown in receipt.shown})
        ]
        return found[:limit]

    @override
    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        sessions = {
            receipt.session_id
            for receipt in self._receipts
            if receipt.session_id.startswith(prefix)
        }
        return sorted(sessions)[:limit]

    def replace(self, receipt: Receipt) -> None:
        """Replace the receipt of that number."""
        self._receipts = [
            receipt if kept.number == receipt.number else kept for kept in self._receipts
        ]
