"""Receipts, usage, history and deliveries in memory."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from hardwon.domain.model.activity import UNUSED, FieldChange, PastChange, Usage, Validations
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.injection.receipt import (
    COUNTED,
    LONGEST_SHOWN,
    MOMENTS,
    UNSEEN,
    ContextWindow,
    Delivery,
    Event,
    HeldMemory,
    Influence,
    Outcome,
    OutcomeCount,
    Receipt,
    ReceiptEntry,
    ShownText,
    UndeliveredInjection,
)
from hardwon.ports.activity import (
    ContextWindows,
    Deliveries,
    History,
    Influences,
    Receipts,
    UsageLog,
)
from hardwon.ports.override import override
from tests.fakes.state import State

ALL = 10_000


KEPT, OBSERVED = 2_000, 10


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
        newest, observed = self._last - self._kept, self._last - OBSERVED * self._kept
        self._receipts = [
            item
            for item in self._receipts
            if item.number > newest or (item.outcome != UNSEEN and item.number > observed)
        ]

    @override
    def shown_in(self, session_id: str) -> frozenset[str]:
        receipts = (
            receipt
            for receipt in self._receipts
            if receipt.session_id == session_id and receipt.delivery != "missed"
        )
        return frozenset(shown.entry_id for receipt in receipts for shown in receipt.shown)

    @override
    def newest(
        self,
        *,
        session_id: str | None = None,
        entry_id: str | None = None,
        project: str | None = None,
        event: Event | None = None,
        limit: int,
    ) -> Sequence[Receipt]:
        found = [
            receipt
            for receipt in reversed(self._receipts)
            if session_id in {None, receipt.session_id}
            and project in {None, receipt.project}
            and event in {None, receipt.event}
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

    @override
    def observe(self, number: int, outcome: Outcome) -> None:
        for receipt in self._receipts:
            if receipt.number == number:
                self.replace(receipt._replace(outcome=outcome))

    @override
    def reject(self, entry_id: str, session_id: str, *, rejected: bool) -> None:
        for receipt in self.newest(session_id=session_id, limit=ALL):
            shown = (
                item._replace(is_rejected=rejected) if item.entry_id == entry_id else item
                for item in receipt.shown
            )
            self.replace(receipt._replace(shown=tuple(shown)))

    @override
    def outcomes(self) -> list[OutcomeCount]:
        found = Counter(
            count
            for receipt in self._receipts
            for shown in receipt.shown
            if receipt.delivery != "missed" or receipt.arm == "withheld"
            if (count := self._outcome_count(receipt, shown))
        )
        return [count._replace(times=times) for count, times in found.items()]

    def _outcome_count(self, receipt: Receipt, shown: ReceiptEntry) -> OutcomeCount | None:
        number, judged = self._state.number_of(shown.entry_id), self._state.influences
        if number is None:
            return None
        is_withheld = receipt.arm == "withheld"
        has_helped = receipt.outcome.has_helped(
            is_used=(number, receipt.session_id) in judged and not is_withheld,
            is_rejected=shown.is_rejected and not is_withheld,
        )
        confirmed = (
            influence.at
            for (of, _), influence in judged.items()
            if of == number and influence.how == "validation"
        )
        if has_helped is None:
            return None
        return OutcomeCount(
            shown.entry_id,
            receipt.event,
            has_helped=has_helped,
            is_settled=any(receipt.at <= at for at in confirmed),
            times=1,
            is_withheld=is_withheld,
        )

    def replace(self, receipt: Receipt) -> None:
        """Replace the receipt of that number."""
        self._receipts = [
            receipt if kept.number == receipt.number else kept for kept in self._receipts
        ]


class InMemoryHistory(History):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        self._state.history = [
            *self._state.history,
            *(PastChange(number, *change, at) for change in changes),
        ]

    @override
    def changes_of(self, number: int, limit: int) -> list[PastChange]:
        return [change for change in reversed(self._state.history) if change.number == number][
            :limit
        ]


class InMemoryUsageLog(UsageLog):
    def __init__(self, state: State) -> None:
        self._state = state
        self.busy = False

    @override
    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        self._ensure_free()
        for number in numbers:
            if number in self._state.entries:
                before = self._of(number)
                self._state.usage[number] = before._replace(
                    access_count=before.access_count + 1, last_accessed=at
                )

    @override
    def record_recall(self, numbers: Sequence[int], at: dt.datetime) -> None:
        self._ensure_free()
        for number in numbers:
            if number in self._state.entries:
                self._state.recalls[number] = self._state.recalls.get(number, (0, at))[0] + 1, at

    @override
    def record_validation(self, number: int, *, useful: bool) -> None:
        if number in self._state.entries:
            total, good = self._of(number).validations
            validations = Validations(total + 1, good + useful)
            self._state.usage[number] = self._of(number)._replace(validations=validations)

    @override
    def add(self, number: int, usage: Usage) -> None:
        if number in self._state.entries:
            before = self._of(number)
            times = [
                timestamp for timestamp in (before.last_accessed, usage.last_accessed) if timestamp
            ]
            total, useful = (
                own + other
                for own, other in zip(before.validations, usage.validations, strict=True)
            )
            self._state.usage[number] = Usage(
                before.access_count + usage.access_count,
                max(times, default=None),
                Validations(total, useful),
            )

    def _ensure_free(self) -> None:
        if self.busy:
            raise StorageError("the store is busy")

    def _of(self, number: int) -> Usage:
        return self._state.usage.get(number, UNUSED)


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
        is_known = (number, influence.session_id) in self._state.influences
        if number is None or (is_known and influence.how != "validation"):
            return False
        self._state.influences = {
            **self._state.influences,
            (number, influence.session_id): influence,
        }
        return True

    @override
    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        forms: dict[str, set[str]] = {}
        for receipt in self._receipts.newest(session_id=session_id, limit=ALL):
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
    def newest(
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


class InMemoryDeliveries(Deliveries):
    def __init__(self, receipts: InMemoryReceipts, state: State) -> None:
        self._receipts = receipts
        self._state = state

    @override
    def undelivered(self, session_id: str) -> list[UndeliveredInjection]:
        found = self._receipts.newest(session_id=session_id, limit=ALL)
        return [
            UndeliveredInjection(
                number=item.number,
                delivery=item.delivery,
                at=item.at,
                digest=item.digest,
                frame=item.frame,
                agent=item.agent,
            )
            for item in reversed(found)
            if item.delivery not in COUNTED and item.arm != "withheld"
        ]

    @override
    def settle(self, number: int, delivery: Delivery) -> bool:
        open_ones = (
            item
            for item in self._receipts.newest(limit=ALL)
            if item.delivery not in COUNTED and item.arm != "withheld"
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


class InMemoryContextWindows(ContextWindows):
    def __init__(self, receipts: InMemoryReceipts) -> None:
        self._receipts = receipts
        self.dropped = set[int]()

    @override
    def held(self, window: ContextWindow) -> HeldMemory:
        held = [
            receipt
            for receipt in self._of(window)
            if receipt.delivery != "missed" or receipt.arm == "withheld"
        ]
        blocks = (
            receipt.latest
            for receipt in held
            if receipt.event == "start" and receipt.latest is not None
        )
        return HeldMemory(
            frozenset(shown.entry_id for receipt in held for shown in receipt.shown),
            max(blocks, default=None),
            sum(receipt.event in MOMENTS for receipt in held),
            frozenset(receipt.query or "" for receipt in held if receipt.event == "file"),
        )

    @override
    def empty(self, window: ContextWindow) -> None:
        self.dropped |= {receipt.number for receipt in self._of(window)}

    def _of(self, window: ContextWindow) -> list[Receipt]:
        found = self._receipts.newest(session_id=window.session_id, limit=ALL)
        return [
            item for item in found if item.agent == window.agent and item.number not in self.dropped
        ]
