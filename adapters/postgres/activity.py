"""Activity on a server: history, receipts, context windows, usage signals and counters."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from psycopg.types.json import Jsonb

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.query import entry_named, number_of
from hardwon.adapters.sql.activity import (
    RECEIPT_FIELDS,
    SqlContextWindows,
    SqlDeliveries,
    SqlHistory,
    SqlInfluences,
    SqlReceipts,
    SqlUsageLog,
    decoded,
    outcomes_from,
    receipt_values,
)
from hardwon.domain.model.injection.receipt import (
    LONGEST_SHOWN,
    ContextWindow,
    HeldMemory,
    NearMiss,
    Receipt,
    ReceiptEntry,
)
from hardwon.ports.override import override

CHANGES = (
    "SELECT h.number, h.field_changed, h.old_value, h.new_value, h.changed_at FROM"
    " hardwon.history h"
)
"""Selects changes without a condition: callers add the tenant's and their own."""


class PostgresHistory(SqlHistory):
    """
    History rows in the table `history`.

    A row belongs to the owner of its entry, or of the entry's last change, else to the current
    member.
    """

    INSERT = """
        INSERT INTO hardwon.history (tenant, number, owner, field_changed, old_value, new_value, changed_at)
        SELECT %(tenant)s, %(number)s, coalesce(
            (SELECT e.owner FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = %(number)s),
            (SELECT h.owner FROM hardwon.history h WHERE h.tenant = %(tenant)s AND h.number = %(number)s
                ORDER BY h.id DESC LIMIT 1),
            current_user
        ), %(field)s::text, %(old)s::text, %(new)s::text, %(at)s::timestamptz
    """
    SELECT = (
        f"{CHANGES} WHERE h.tenant = %(tenant)s AND h.number = %(number)s ORDER BY h.id DESC LIMIT"
        " %(limit)s"
    )


OWN = "r.tenant = %(tenant)s AND r.owner = current_user"
"""The receipts of this member, who numbers them separately."""

SHOWN = (
    "JOIN hardwon.receipt_entry s ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt ="
    " r.number"
)

LAST_RECEIPT = f"SELECT max(r.number) FROM hardwon.receipt r WHERE {OWN}"
LOCK_RECEIPTS = (
    "SELECT pg_advisory_xact_lock(hashtextextended('receipts of ' || current_user,"
    " %(tenant)s::bigint))"
)

LATEST = (
    "coalesce(%(latest)s::bigint, (SELECT last_number FROM hardwon.state WHERE tenant ="
    " %(tenant)s))"
)
INSERT_RECEIPT = f"""
    INSERT INTO hardwon.receipt (tenant, number, {", ".join(RECEIPT_FIELDS)})
    VALUES (%(tenant)s, (SELECT coalesce(max(r.number), 0) + 1 FROM hardwon.receipt r WHERE {OWN}),
        {", ".join(LATEST if field == "latest" else f"%({field})s" for field in RECEIPT_FIELDS)})
"""
INSERT_SHOWN = f"""
    INSERT INTO hardwon.receipt_entry (tenant, receipt, place, {", ".join(ReceiptEntry._fields)})
    VALUES (%(tenant)s, ({LAST_RECEIPT}), %(place)s, {", ".join(f"%({field})s" for field in ReceiptEntry._fields)})
"""
DROP_OLD_RECEIPTS = f"""
    DELETE FROM hardwon.receipt r WHERE {OWN} AND r.number <= ({LAST_RECEIPT}) - %(kept)s
        AND (r.outcome = '[]' OR r.number <= ({LAST_RECEIPT}) - %(observed)s)
"""

JUDGED = f"""hardwon.receipt r {SHOWN} {entry_named("s.entry_id")}
    LEFT JOIN hardwon.influence i ON i.tenant = r.tenant AND i.number = e.number AND i.session_id = r.session_id
    LEFT JOIN (
        SELECT v.number, max(v.at) AS at FROM hardwon.influence v
        WHERE v.tenant = %(tenant)s AND v.how = 'validation' GROUP BY v.number
    ) c ON c.number = e.number
"""
"""Shown entries, with the use of each in the session, and its last confirmation."""

SELECT_SHOWN = f"""
    SELECT s.receipt, {", ".join(f"s.{field}" for field in ReceiptEntry._fields)} FROM hardwon.receipt_entry s
    WHERE s.tenant = %(tenant)s AND s.owner = current_user AND s.receipt = ANY(%(numbers)s) ORDER BY s.receipt, s.place
"""


class _Receipts:
    """Decodes the values of a receipt or its entry."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = fields

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:
        return [
            _DECODERS.get(field, _as_given)(value)
            for field, value in zip(self._fields, row, strict=True)
        ]


def _as_given(value: Any) -> Any:
    return value


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "frame": tuple,
    "missed": lambda missed: tuple(
        NearMiss(entry_id, float(score), why) for entry_id, score, why in missed
    ),
    "parts": lambda parts: {name: float(part) for name, part in parts},
    "outcome": decoded,
}


class PostgresReceipts(SqlReceipts[PostgresDatabase]):
    """
    Receipts of one member in the tables of a server.

    Args:
        kept: How many receipts of a member are kept at most.

    """

    SHOWN_IN = f"""
        SELECT DISTINCT s.entry_id FROM hardwon.receipt r {SHOWN}
        WHERE {OWN} AND r.session_id = %(session_id)s AND r.delivery != 'missed'
    """
    FIND = f"""
        SELECT r.number, {", ".join(f"r.{field}" for field in RECEIPT_FIELDS)} FROM hardwon.receipt r
        WHERE {OWN} AND {{asked}} ORDER BY r.number DESC LIMIT %(limit)s
    """
    SESSIONS = f"""
        SELECT DISTINCT r.session_id FROM hardwon.receipt r
        WHERE {OWN} AND starts_with(r.session_id, %(prefix)s) ORDER BY r.session_id LIMIT %(limit)s
    """
    OBSERVE = (
        f"UPDATE hardwon.receipt r SET outcome = %(outcome)s WHERE {OWN} AND r.number = %(number)s"
    )
    REJECT = f"""
        UPDATE hardwon.receipt_entry s SET is_rejected = %(rejected)s FROM hardwon.receipt r
        WHERE {OWN} AND r.session_id = %(session_id)s AND s.tenant = r.tenant AND s.owner = r.owner
            AND s.receipt = r.number AND s.entry_id = %(entry_id)s AND s.is_rejected != %(rejected)s
    """
    OUTCOMES = outcomes_from(JUDGED, settled="coalesce(r.at <= c.at, false)", own=OWN)
    CONDITIONS: ClassVar = {
        "session_id": "r.session_id = %(session_id)s",
        "entry_id": (
            """EXISTS (SELECT 1 FROM hardwon.receipt_entry s
            WHERE s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number AND s.entry_id = %(entry_id)s)"""
        ),
        "project": "r.project = %(project)s",
        "event": "r.event = %(event)s",
    }
    _decode = _Receipts(RECEIPT_FIELDS)
    _decode_shown = _Receipts(ReceiptEntry._fields)

    @override
    def record(self, receipt: Receipt) -> None:
        values = receipt_values(receipt) | {
            "frame": list(receipt.frame),
            "missed": Jsonb(receipt.missed),
        }
        shown = [
            (INSERT_SHOWN, _shown_values(place, entry)) for place, entry in enumerate(receipt.shown)
        ]
        drop = (
            DROP_OLD_RECEIPTS,
            {"kept": self.KEPT, "observed": self.OBSERVED * self.KEPT},
        )
        with self._database.counting():
            self._database.together([(LOCK_RECEIPTS, {}), (INSERT_RECEIPT, values), *shown, drop])

    @override
    def _shown(self, numbers: Sequence[int]) -> Callable[[int], Iterable[Sequence[object]]]:
        shown = dict[int, list[Sequence[object]]]()
        for number, *row in self._database.rows(SELECT_SHOWN, numbers=numbers) if numbers else ():
            shown.setdefault(number, []).append(row)
        return lambda number: shown.get(number, ())


def _shown_values(place: int, entry: ReceiptEntry) -> dict[str, object]:
    # Pairs, as jsonb does not keep the order of names.
    return {"place": place, **entry._asdict(), "parts": Jsonb([*entry.parts.items()])}


class PostgresDeliveries(SqlDeliveries):
    """Deliveries in the column `delivery` of receipts."""

    UNDELIVERED = f"""
        SELECT r.number, r.delivery, r.at, r.digest, r.frame, r.agent FROM hardwon.receipt r
        WHERE {OWN} AND r.session_id = %(session_id)s AND r.delivery IN ('awaited', 'missed')
            AND r.arm != 'withheld' ORDER BY r.number
    """
    SETTLE = f"""
        UPDATE hardwon.receipt r SET delivery = %(delivery)s
        WHERE {OWN} AND r.number = %(number)s AND r.delivery IN ('awaited', 'missed') AND r.arm != 'withheld' RETURNING 1
    """
    COUNT_RECALLS = f"""
        INSERT INTO hardwon.recall AS own (tenant, number, entry_owner, recall_count, last_recalled_at)
        SELECT r.tenant, e.number, e.owner, count(*), max(r.at) FROM hardwon.receipt r {SHOWN} {entry_named("s.entry_id")}
        WHERE {OWN} AND r.number = %(number)s GROUP BY r.tenant, e.number, e.owner ORDER BY e.number
        ON CONFLICT (tenant, number) DO UPDATE SET recall_count = own.recall_count + excluded.recall_count,
            last_recalled_at = greatest(own.last_recalled_at, excluded.last_recalled_at)
    """


OF_WINDOW = f"{OWN} AND r.session_id = %(session_id)s AND r.agent = %(agent)s AND NOT r.dropped"
HELD = f"""
    SELECT array_agg(DISTINCT s.entry_id) FILTER (WHERE s.entry_id IS NOT NULL),
        max(r.latest) FILTER (WHERE r.event = 'start'),
        count(DISTINCT r.number) FILTER (WHERE r.event NOT IN ('start', 'prompt', 'ask')),
        array_agg(DISTINCT coalesce(r.query, '')) FILTER (WHERE r.event = 'file')
    FROM hardwon.receipt r LEFT {SHOWN} WHERE {OF_WINDOW}
        AND (r.delivery != 'missed' OR r.arm = 'withheld')
"""


class PostgresContextWindows(SqlContextWindows):
    """Context windows in the columns `agent`, `dropped` and `latest` of receipts."""

    EMPTY = f"UPDATE hardwon.receipt r SET dropped = true WHERE {OF_WINDOW}"

    @override
    def held(self, window: ContextWindow) -> HeldMemory:
        held = HeldMemory()
        for entries, latest, moments, files in self._database.rows(HELD, **window._asdict()):
            held = HeldMemory(frozenset(entries or ()), latest, moments=moments)
            held = held._replace(files=frozenset(files or ()))
        return held


USES = "hardwon.influence i JOIN hardwon.entry e ON e.tenant = i.tenant AND e.number = i.number"


class PostgresInfluences(SqlInfluences):
    """Usage signals of one member in the table `influence`."""

    INSERT = f"""
        INSERT INTO hardwon.influence (tenant, number, session_id, how, phrase, at)
        SELECT e.tenant, e.number, %(session_id)s, %(how)s, %(phrase)s, %(at)s FROM hardwon.entry e
        WHERE e.tenant = %(tenant)s AND e.number = {number_of("entry_id")}
        ON CONFLICT (tenant, number, owner, session_id) DO UPDATE
            SET how = excluded.how, phrase = excluded.phrase, at = excluded.at WHERE excluded.how = 'validation' RETURNING 1
    """
    SHOWN_TEXTS = f"""
        SELECT e.id, t.name,
            CASE WHEN shown.is_whole THEN left(t.description, {LONGEST_SHOWN}) ELSE '' END,
            CASE WHEN shown.is_whole THEN left(t.notes, {LONGEST_SHOWN}) ELSE '' END,
            EXISTS (SELECT 1 FROM hardwon.influence i
                WHERE i.tenant = %(tenant)s AND i.number = e.number AND i.session_id = %(session_id)s)
        FROM (
            SELECT s.entry_id, bool_or(s.form != 'conversation') AS is_whole, max(r.number) AS last
            FROM hardwon.receipt r {SHOWN}
            WHERE {OWN} AND r.session_id = %(session_id)s AND r.delivery != 'missed' GROUP BY s.entry_id
        ) shown
        {entry_named("shown.entry_id")}
        JOIN hardwon.entry_text t ON t.tenant = %(tenant)s AND t.number = e.number
        ORDER BY shown.last DESC, e.id LIMIT %(limit)s
    """
    COUNT = (
        f"SELECT e.id, count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND e.id = ANY(%(ids)s)"
        " GROUP BY e.id"
    )
    FIND = f"""
        SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM {USES}
        WHERE i.tenant = %(tenant)s AND {{asked}} ORDER BY i.at DESC, e.id, i.session_id LIMIT %(limit)s
    """
    RANK_BY_USE = f"""
        SELECT e.id, count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND {{within}}
        GROUP BY e.number, e.id ORDER BY 2 DESC, e.id LIMIT %(limit)s
    """
    TOTAL = f"SELECT count(*) FROM {USES} WHERE i.tenant = %(tenant)s AND {{within}}"
    CONDITIONS: ClassVar = {
        "session_id": "i.session_id = %(session_id)s",
        "entry_id": "e.id = %(entry_id)s",
    }


WANTED = """
    FROM unnest(%(numbers)s::bigint[]) wanted (number)
    JOIN hardwon.entry e ON e.tenant = %(tenant)s AND e.number = wanted.number
    GROUP BY e.number, e.owner ORDER BY e.number
"""
"""In a fixed order, so that concurrent counts of the same entries can't deadlock."""


class PostgresUsageLog(SqlUsageLog):
    """Counters of searches and judgements in the tables of a server."""

    COUNT_ACCESS = f"""
        INSERT INTO hardwon.usage AS own (tenant, number, entry_owner, access_count, last_accessed)
        SELECT %(tenant)s, e.number, e.owner, count(*), %(at)s {WANTED}
        ON CONFLICT (tenant, number) DO UPDATE SET access_count = own.access_count + excluded.access_count,
            last_accessed = excluded.last_accessed
    """
    COUNT_RECALL = f"""
        INSERT INTO hardwon.recall AS own (tenant, number, entry_owner, recall_count, last_recalled_at)
        SELECT %(tenant)s, e.number, e.owner, count(*), %(at)s {WANTED}
        ON CONFLICT (tenant, number) DO UPDATE SET recall_count = own.recall_count + excluded.recall_count,
            last_recalled_at = excluded.last_recalled_at
    """
    ADD = """
        INSERT INTO hardwon.usage AS own (tenant, number, entry_owner, access_count, last_accessed, validation_count, useful_count)
        SELECT e.tenant, e.number, e.owner, %(accesses)s, %(last_accessed)s::timestamptz, %(validations)s, %(useful)s
        FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = %(number)s
        ON CONFLICT (tenant, number) DO UPDATE SET access_count = own.access_count + excluded.access_count,
            last_accessed = greatest(own.last_accessed, excluded.last_accessed),
            validation_count = own.validation_count + excluded.validation_count,
            useful_count = own.useful_count + excluded.useful_count
    """
