"""Deliveries of injections, and the context windows that hold them, in the table of receipts. The hooks import this."""

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.named import entry_named
from hardwon.domain.model.injection.receipt import COUNTED, ContextWindow, Delivery, Held, Undelivered
from hardwon.ports.activity import ContextWindows, Deliveries
from hardwon.ports.override import override

UNDELIVERED = """
    SELECT number, delivery, at, digest, frame FROM hardwon.receipt
    WHERE tenant = %(tenant)s AND owner = current_user AND session_id = %(session_id)s
        AND delivery IN ('awaited', 'missed')
    ORDER BY number
"""

SETTLE = """
    UPDATE hardwon.receipt SET delivery = %(delivery)s
    WHERE tenant = %(tenant)s AND owner = current_user AND number = %(number)s AND delivery IN ('awaited', 'missed')
    RETURNING 1
"""

COUNT_RECALLS = f"""
    INSERT INTO hardwon.recall AS own (tenant, number, recall_count, last_recalled_at)
    SELECT r.tenant, e.number, count(*), max(r.at) FROM hardwon.receipt r
    JOIN hardwon.receipt_entry s ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number
    {entry_named("s.entry_id")}
    WHERE r.tenant = %(tenant)s AND r.owner = current_user AND r.number = %(number)s
    GROUP BY r.tenant, e.number ORDER BY e.number
    ON CONFLICT (tenant, number) DO UPDATE SET recall_count = own.recall_count + excluded.recall_count,
        last_recalled_at = greatest(own.last_recalled_at, excluded.last_recalled_at)
"""


class PostgresDeliveries(Deliveries):
    """Deliveries in the column `delivery` of receipts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def undelivered(self, session_id: str) -> list[Undelivered]:
        rows = self._database.rows(UNDELIVERED, session_id=session_id)
        return [Undelivered(number, delivery, at, digest, tuple(frame)) for number, delivery, at, digest, frame in rows]

    @override
    def settle(self, number: int, delivery: Delivery) -> bool:
        with self._database.counting():
            is_settled = bool(self._database.rows(SETTLE, number=number, delivery=delivery))
            if is_settled and delivery in COUNTED:
                self._database.rows(COUNT_RECALLS, number=number)
        return is_settled


OF_WINDOW = """
    r.tenant = %(tenant)s AND r.owner = current_user AND r.session_id = %(session_id)s AND r.agent = %(agent)s
    AND NOT r.dropped
"""
HELD = f"""
    SELECT array_agg(DISTINCT s.entry_id) FILTER (WHERE s.entry_id IS NOT NULL),
        max(r.latest) FILTER (WHERE r.event = 'start')
    FROM hardwon.receipt r LEFT JOIN hardwon.receipt_entry s
        ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number
    WHERE {OF_WINDOW} AND r.delivery != 'missed'
"""
EMPTY = f"UPDATE hardwon.receipt r SET dropped = true WHERE {OF_WINDOW}"


class PostgresContextWindows(ContextWindows):
    """Context windows in the columns `agent`, `dropped` and `latest` of receipts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def held(self, window: ContextWindow) -> Held:
        [(entries, latest)] = self._database.rows(HELD, **window._asdict())
        return Held(frozenset(entries or ()), latest)

    @override
    def empty(self, window: ContextWindow) -> None:
        with self._database.counting():
            self._database.rows(EMPTY, **window._asdict())
