"""Deliveries of injections in the table of receipts. The hooks import this."""

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.named import entry_named
from hardwon.domain.model.injection.delivery import Undelivered
from hardwon.domain.model.injection.receipt import COUNTED, Delivery
from hardwon.ports.activity import Deliveries
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
