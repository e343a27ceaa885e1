"""Deliveries of injections, and the context windows that hold them, in the store's table `receipt`. The hooks import this."""

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database
from hardwon.adapters.sqlite.decoding import Decoder, integer, one_of, readable, text, texts, timestamp
from hardwon.domain.model.injection.receipt import COUNTED, DELIVERIES, ContextWindow, Delivery, Held, Undelivered
from hardwon.ports.activity import ContextWindows, Deliveries
from hardwon.ports.override import override

UNDELIVERED = """
    SELECT number, delivery, at, digest, frame FROM receipt
    WHERE session_id = ? AND delivery IN ('awaited', 'missed') ORDER BY number
"""

SETTLE = """
    UPDATE receipt SET delivery = ?2 WHERE number = ?1 AND delivery IN ('awaited', 'missed') RETURNING 1
"""

COUNT_RECALLS = """
    INSERT INTO recall (entry_seq, recall_count, last_recalled_at)
    SELECT e.seq, 1, r.at FROM receipt r
    JOIN receipt_entry s ON s.receipt_number = r.number JOIN entry e ON e.id = s.entry_id WHERE r.number = ?
    ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1,
        last_recalled_at = max(coalesce(last_recalled_at, excluded.last_recalled_at), excluded.last_recalled_at)
"""


decode_undelivered = Decoder(
    Undelivered._fields,
    {"number": integer, "delivery": one_of(DELIVERIES), "at": timestamp, "digest": text, "frame": texts},
)


class SqliteDeliveries(Deliveries):
    """Deliveries in the column `delivery` of receipts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def undelivered(self, session_id: str) -> list[Undelivered]:
        rows = self._database.rows(UNDELIVERED, (session_id,))
        return [*readable(self._database, "receipt", rows, lambda row: Undelivered(*decode_undelivered(row)))]

    @override
    def settle(self, number: int, delivery: Delivery) -> bool:
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            is_settled = bool(self._database.rows(SETTLE, (number, delivery)))
            if is_settled and delivery in COUNTED:
                self._database.rows(COUNT_RECALLS, (number,))
        return is_settled


IN_WINDOW = "r.session_id = ? AND r.agent = ? AND NOT r.dropped AND r.delivery != 'missed'"

HELD_ENTRIES = f"""
    SELECT DISTINCT s.entry_id FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number WHERE {IN_WINDOW}
"""
LAST_BLOCK = f"SELECT max(r.latest) FROM receipt r WHERE {IN_WINDOW} AND r.event = 'start'"

EMPTY = "UPDATE receipt SET dropped = 1 WHERE session_id = ? AND agent = ? AND NOT dropped"


class SqliteContextWindows(ContextWindows):
    """Context windows in the columns `agent`, `dropped` and `latest` of receipts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def held(self, window: ContextWindow) -> Held:
        entries = frozenset(entry_id for (entry_id,) in self._database.rows(HELD_ENTRIES, window))
        return Held(entries, self._database.value(LAST_BLOCK, window))

    @override
    def empty(self, window: ContextWindow) -> None:
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            self._database.rows(EMPTY, window)
