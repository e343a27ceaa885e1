"""History, receipts, context windows, usage signals and counters."""

import datetime as dt
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from hardwon.adapters.sql.database import D, Database, Decoder, Role, Row, as_given
from hardwon.domain.model.activity import FieldChange, PastChange, Usage, Validations
from hardwon.domain.model.injection.receipt import (
    COUNTED,
    UNSEEN,
    ContextWindow,
    Delivery,
    Event,
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

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter

RECEIPT_FIELDS = tuple(field for field in Receipt._fields if field not in {"shown", "number"})
"""The fields of `Receipt` that are columns of the table `receipt`."""


class SqlHistory(Role[Database], History):
    """History in the table `history`."""

    INSERT: str
    SELECT: str
    _decode: Decoder = as_given

    @override
    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        with self._database.transaction():
            rows = ({"number": number, **change._asdict(), "at": at} for change in changes)
            self._database.run_many(self.INSERT, rows)

    @override
    def changes_of(self, number: int, limit: int) -> list[PastChange]:
        rows = self._database.rows(self.SELECT, number=number, limit=limit)
        return [*readable_changes(self._database, rows, self._decode)]


def readable_changes(
    database: Database, rows: Iterable[Row], decode: Decoder
) -> Iterator[PastChange]:
    """Decode rows of the table `history`, leaving out unreadable ones."""
    return database.readable("history of entry", rows, lambda row: PastChange(*decode(row)))


def outcomes_from(judged: str, settled: str, own: str = "true") -> str:
    """
    Return the statement that counts outcomes.

    Args:
        judged: Joins receipt `r`, shown entry `s`, entry `e`, and its use `i` in the session.
        settled: Whether the entry was confirmed afterwards.
        own: Limits the receipts.
    """
    return f"""
        SELECT e.id, r.event, r.outcome, i.how IS NOT NULL AS used, s.is_rejected, {settled} AS settled,
            r.arm = 'withheld' AS withheld, count(*)
        FROM {judged}
        WHERE {own} AND (r.delivery != 'missed' OR r.arm = 'withheld')
            AND (r.outcome != '[]' OR s.is_rejected OR i.how IS NOT NULL)
        GROUP BY e.id, r.event, r.outcome, used, s.is_rejected, settled, withheld
    """


class SqlReceipts(Role[D], Receipts):
    """Receipts in the tables `receipt` and `receipt_entry`."""

    KEPT = 2_000
    """How many are kept: the oldest go."""
    OBSERVED = 10
    """How many times as long those with an outcome are kept."""
    SHOWN_IN: str
    FIND: str
    SESSIONS: str
    OBSERVE: str
    REJECT: str
    OUTCOMES: str
    CONDITIONS: ClassVar[Mapping[str, str]]
    _decode: Decoder = as_given
    _decode_shown: Decoder = as_given

    @override
    def shown_in(self, session_id: str) -> frozenset[str]:
        rows = self._database.rows(self.SHOWN_IN, session_id=session_id)
        return frozenset(entry_id for (entry_id,) in rows)

    @override
    def newest(
        self,
        *,
        session_id: str | None = None,
        entry_id: str | None = None,
        project: str | None = None,
        event: Event | None = None,
        limit: int,
    ) -> list[Receipt]:
        from hardwon.adapters.sql.filter import all_of  # noqa: PLC0415  # a hook that counts needs no filter

        asked = all_of(
            self.CONDITIONS,
            session_id=session_id,
            entry_id=entry_id,
            project=project,
            event=event,
        )
        rows = self._database.rows(
            self.FIND.format(asked=asked.sql), **asked.parameters, limit=limit
        )
        shown_by = self._shown([number for number, *_ in rows])

        def receipt(row: Row) -> Receipt:
            values = dict(zip(RECEIPT_FIELDS, self._decode(row[1:]), strict=True))
            shown = tuple(ReceiptEntry(*self._decode_shown(entry)) for entry in shown_by(row[0]))
            return Receipt(**values, shown=shown, number=row[0])

        return [*self._database.readable("receipt", rows, receipt)]

    @abstractmethod
    def _shown(self, numbers: Sequence[int]) -> Callable[[int], Iterable[Sequence[object]]]:
        """Return a function from a receipt's number to the rows of its shown entries."""

    @override
    def observe(self, number: int, outcome: Outcome) -> None:
        with self._database.counting():
            self._database.rows(self.OBSERVE, number=number, outcome=encoded(outcome))

    @override
    def reject(self, entry_id: str, session_id: str, *, rejected: bool) -> None:
        self._database.rows(
            self.REJECT, entry_id=entry_id, session_id=session_id, rejected=rejected
        )
        self._database.note_change()  # what did harm falls silent

    @override
    def outcomes(self) -> Sequence[OutcomeCount]:
        rows = self._database.rows(self.OUTCOMES)
        found = self._database.readable("outcome of entry", rows, self._outcome_count)
        return [count for count in found if count]

    def _outcome_count(self, row: Row) -> OutcomeCount | None:
        entry_id, event, outcome, is_used, is_rejected, is_settled, is_withheld, times = row
        helped = decoded(outcome).has_helped(
            is_used=bool(is_used and not is_withheld),
            is_rejected=bool(is_rejected and not is_withheld),
        )
        if helped is None:
            return None
        return OutcomeCount(
            entry_id,
            event,
            has_helped=helped,
            is_settled=bool(is_settled),
            times=times,
            is_withheld=bool(is_withheld),
        )

    @override
    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        return [
            session_id
            for (session_id,) in self._database.rows(self.SESSIONS, prefix=prefix, limit=limit)
        ]


def receipt_values(receipt: Receipt) -> dict[str, object]:
    """Return the columns of *receipt*."""
    values = {field: getattr(receipt, field) for field in RECEIPT_FIELDS}
    return values | {"outcome": encoded(receipt.outcome)}


def encoded(outcome: Outcome) -> str:
    """Return the values of *outcome* as JSON, none if nothing was observed."""
    return json.dumps(() if outcome == UNSEEN else outcome)


def decoded(values: Any) -> Outcome:
    """Return the outcome with these values, as a list or as JSON."""
    return Outcome(*(json.loads(values) if isinstance(values, str) else values))


class SqlDeliveries(Role[Database], Deliveries):
    """Deliveries in the column `delivery` of receipts."""

    UNDELIVERED: str
    SETTLE: str
    COUNT_RECALLS: str
    _decode: Decoder = as_given

    @override
    def undelivered(self, session_id: str) -> list[UndeliveredInjection]:
        rows = self._database.rows(self.UNDELIVERED, session_id=session_id)
        return [
            *self._database.readable(
                "receipt", rows, lambda row: UndeliveredInjection(*self._decode(row))
            )
        ]

    @override
    def settle(self, number: int, delivery: Delivery) -> bool:
        with self._database.counting():
            is_settled = bool(self._database.rows(self.SETTLE, number=number, delivery=delivery))
            if is_settled and delivery in COUNTED:
                self._database.rows(self.COUNT_RECALLS, number=number)
        return is_settled


class SqlContextWindows(Role[Database], ContextWindows):
    """Context windows in the columns `agent`, `dropped` and `latest` of receipts."""

    EMPTY: str

    @override
    def empty(self, window: ContextWindow) -> None:
        with self._database.counting():
            self._database.rows(self.EMPTY, **window._asdict())


class SqlInfluences(Role[Database], Influences):
    """Usage signals: the sessions that used an entry, in the table `influence`."""

    INSERT: str
    SHOWN_TEXTS: str
    COUNT: str
    FIND: str
    RANK_BY_USE: str
    TOTAL: str
    CONDITIONS: ClassVar[Mapping[str, str]]
    _decode: Decoder = as_given
    _decode_shown_text: Decoder = as_given

    @override
    def record(self, influence: Influence) -> bool:
        with self._database.counting():
            return bool(self._database.rows(self.INSERT, **influence._asdict()))

    @override
    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        rows = self._database.rows(self.SHOWN_TEXTS, session_id=session_id, limit=limit)
        return [
            *self._database.readable(
                "entry", rows, lambda row: ShownText(*self._decode_shown_text(row))
            )
        ]

    @override
    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        return dict(self._database.rows(self.COUNT, ids=sorted({*entry_ids})))

    @override
    def newest(
        self, *, session_id: str | None = None, entry_id: str | None = None, limit: int
    ) -> list[Influence]:
        from hardwon.adapters.sql.filter import all_of  # noqa: PLC0415  # a hook that counts needs no filter

        asked = all_of(self.CONDITIONS, session_id=session_id, entry_id=entry_id)
        rows = self._database.rows(
            self.FIND.format(asked=asked.sql), **asked.parameters, limit=limit
        )
        return [
            *self._database.readable(
                "use of entry", rows, lambda row: Influence(*self._decode(row))
            )
        ]

    @override
    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> list[tuple[str, int]]:
        within = self._within(only)
        rows = self._database.rows(
            self.RANK_BY_USE.format(within=within.sql), **within.parameters, limit=limit
        )
        return [(entry_id, times) for entry_id, times in rows]

    @override
    def total(self, only: "EntryFilter | None" = None) -> int:
        within = self._within(only)
        return int(self._database.value(self.TOTAL.format(within=within.sql), **within.parameters))

    def _within(self, only: "EntryFilter | None") -> "Where":
        from hardwon.adapters.sql.filter import EVERY  # noqa: PLC0415  # a hook that counts needs no filter

        return self._database.where(only) if only else EVERY


class SqlUsageLog(Role[Database], UsageLog):
    """Counters of searches and judgements in the tables `usage` and `recall`."""

    COUNT_ACCESS: str
    COUNT_RECALL: str
    ADD: str

    @override
    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        with self._database.counting():
            self._database.rows(self.COUNT_ACCESS, numbers=[*numbers], at=at)

    @override
    def record_recall(self, numbers: Sequence[int], at: dt.datetime) -> None:
        with self._database.counting():
            self._database.rows(self.COUNT_RECALL, numbers=[*numbers], at=at)

    @override
    def record_validation(self, number: int, *, useful: bool) -> None:
        self.add(number, Usage(validations=Validations(1, int(useful))))

    @override
    def add(self, number: int, usage: Usage) -> None:
        self._database.rows(self.ADD, number=number, **usage_values(usage))


def usage_values(usage: Usage) -> dict[str, object]:
    """Return *usage* as parameters of statements that add counters."""
    return {
        "accesses": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validations": usage.validations.total,
        "useful": usage.validations.useful,
    }
