"""History, usage counters and injection receipts in the tables of a server."""

import datetime as dt
from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.query import all_of
from hardwon.adapters.postgres.session import Row
from hardwon.domain.model.activity import FieldChange, PastChange, Usage, Validations
from hardwon.domain.model.injection.receipt import NearMiss, Receipt, Shown
from hardwon.ports.activity import History, Receipts, UsageLog
from hardwon.ports.override import override

CHANGES = "SELECT h.number, h.field_changed, h.old_value, h.new_value, h.changed_at FROM hardwon.history h"
"""Reads the changes; conditions are to follow, that of the tenant among them."""

INSERT_CHANGE = """
    INSERT INTO hardwon.history (tenant, number, owner, field_changed, old_value, new_value, changed_at)
    SELECT %(tenant)s, %(number)s, coalesce(
        (SELECT e.owner FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = %(number)s),
        (SELECT h.owner FROM hardwon.history h WHERE h.tenant = %(tenant)s AND h.number = %(number)s
            ORDER BY h.id DESC LIMIT 1),
        current_user
    ), %(field)s::text, %(old)s::text, %(new)s::text, %(at)s::timestamptz
"""
"""The history is of whom the entry is, or was; a member's own if that is not known any more."""


class PostgresHistory(History):
    """The history in the tables of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        with self._database.transaction():
            self._database.run_many(
                INSERT_CHANGE, ({"number": number, **change._asdict(), "at": at} for change in changes)
            )

    @override
    def of(self, number: int, limit: int) -> list[PastChange]:
        rows = self._database.rows(
            f"{CHANGES} WHERE h.tenant = %(tenant)s AND h.number = %(number)s ORDER BY h.id DESC LIMIT %(most)s",
            number=number,
            most=limit,
        )
        return [PastChange(*row) for row in rows]


KEPT_RECEIPTS = 2_000

RECEIPT_FIELDS = tuple(field for field in Receipt._fields if field not in {"shown", "number"})
"""The fields of `Receipt` that are columns of the table `receipt`."""

OWN = "tenant = %(tenant)s AND owner = current_user"
"""The receipts of this member, which have numbers of their own."""

LOCK_RECEIPTS = "SELECT pg_advisory_xact_lock(hashtextextended('receipts of ' || current_user, %(tenant)s::bigint))"

LATEST = "coalesce(%(latest)s::bigint, (SELECT last_number FROM hardwon.state WHERE tenant = %(tenant)s))"
INSERT_RECEIPT = f"""
    INSERT INTO hardwon.receipt (tenant, number, {", ".join(RECEIPT_FIELDS)})
    VALUES (%(tenant)s, (SELECT coalesce(max(number), 0) + 1 FROM hardwon.receipt WHERE {OWN}),
        {", ".join(LATEST if field == "latest" else f"%({field})s" for field in RECEIPT_FIELDS)})
"""
INSERT_SHOWN = f"""
    INSERT INTO hardwon.receipt_entry (tenant, receipt, place, {", ".join(Shown._fields)})
    VALUES (%(tenant)s, (SELECT max(number) FROM hardwon.receipt WHERE {OWN}), %(place)s,
        {", ".join(f"%({field})s" for field in Shown._fields)})
"""
DROP_OLD_RECEIPTS = f"""
    DELETE FROM hardwon.receipt WHERE {OWN}
        AND number <= (SELECT max(number) FROM hardwon.receipt WHERE {OWN}) - %(kept)s
"""

FIND_RECEIPTS = f"""
    SELECT r.number, {", ".join(f"r.{field}" for field in RECEIPT_FIELDS)} FROM hardwon.receipt r
    WHERE r.tenant = %(tenant)s AND r.owner = current_user AND {{asked}} ORDER BY r.number DESC LIMIT %(most)s
"""
WITH_ENTRY = """
    EXISTS (SELECT 1 FROM hardwon.receipt_entry s
        WHERE s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number AND s.entry_id = %(entry_id)s)
"""
SELECT_SHOWN = f"""
    SELECT s.receipt, {", ".join(f"s.{field}" for field in Shown._fields)} FROM hardwon.receipt_entry s
    WHERE s.tenant = %(tenant)s AND s.owner = current_user AND s.receipt = ANY(%(numbers)s) ORDER BY s.receipt, s.place
"""


class PostgresReceipts(Receipts):
    """
    Receipts in the tables of a server, which are a member's own.

    Args:
        database: The store.
        kept: Upper bound of the receipts kept of a member.

    """

    def __init__(self, database: Database, kept: int = KEPT_RECEIPTS) -> None:
        self._database = database
        self._kept = kept

    @override
    def record(self, receipt: Receipt) -> None:
        shown = [(INSERT_SHOWN, _shown_values(place, entry)) for place, entry in enumerate(receipt.shown)]
        insert, drop = (INSERT_RECEIPT, _values(receipt)), (DROP_OLD_RECEIPTS, {"kept": self._kept})
        with self._database.counting():
            self._database.together([(LOCK_RECEIPTS, {}), insert, *shown, drop])

    @override
    def shown_in(self, session_id: str) -> frozenset[str]:
        rows = self._database.rows(
            "SELECT DISTINCT s.entry_id FROM hardwon.receipt r JOIN hardwon.receipt_entry s"
            " ON s.tenant = r.tenant AND s.owner = r.owner AND s.receipt = r.number"
            " WHERE r.tenant = %(tenant)s AND r.owner = current_user AND r.session_id = %(session_id)s"
            " AND r.delivery != 'missed'",
            session_id=session_id,
        )
        return frozenset(entry_id for (entry_id,) in rows)

    @override
    def find(
        self, *, session_id: str | None = None, entry_id: str | None = None, project: str | None = None, limit: int
    ) -> list[Receipt]:
        asked = all_of(
            {
                "r.session_id = %(session_id)s": ("session_id", session_id),
                WITH_ENTRY: ("entry_id", entry_id),
                "r.project = %(project)s": ("project", project),
            }
        )
        rows = self._database.rows(FIND_RECEIPTS.format(asked=asked.sql), **asked.parameters, most=limit)
        shown = self._shown([number for number, *_ in rows])
        return [_receipt(row, tuple(shown.get(row[0], ()))) for row in rows]

    @override
    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        rows = self._database.rows(
            "SELECT DISTINCT session_id FROM hardwon.receipt"
            f" WHERE {OWN} AND starts_with(session_id, %(prefix)s) ORDER BY session_id LIMIT %(most)s",
            prefix=prefix,
            most=limit,
        )
        return [session_id for (session_id,) in rows]

    def _shown(self, numbers: Sequence[int]) -> Mapping[int, Sequence[Shown]]:
        """Return the entries of the receipts *numbers*, by receipt."""
        shown = dict[int, list[Shown]]()
        for number, *row in self._database.rows(SELECT_SHOWN, numbers=numbers) if numbers else ():
            values = dict(zip(Shown._fields, row, strict=True))
            parts = {name: float(part) for name, part in values.pop("parts")}
            shown.setdefault(number, []).append(Shown(**values, parts=parts))
        return shown


def _values(receipt: Receipt) -> dict[str, object]:
    values = {field: getattr(receipt, field) for field in RECEIPT_FIELDS}
    return values | {"frame": list(receipt.frame), "missed": Jsonb(receipt.missed)}


def _shown_values(place: int, entry: Shown) -> dict[str, object]:
    # Pairs, as jsonb does not keep the order of names.
    return {"place": place, **entry._asdict(), "parts": Jsonb([*entry.parts.items()])}


def _receipt(row: Row, shown: tuple[Shown, ...]) -> Receipt:
    number, *columns = row
    values = dict(zip(RECEIPT_FIELDS, columns, strict=True))
    missed = tuple(NearMiss(entry_id, float(score), why) for entry_id, score, why in values.pop("missed"))
    return Receipt(**values | {"frame": tuple(values["frame"])}, shown=shown, missed=missed, number=number)


WANTED = """
    FROM unnest(%(numbers)s::bigint[]) wanted (number)
    JOIN hardwon.entry e ON e.tenant = %(tenant)s AND e.number = wanted.number
    GROUP BY e.number ORDER BY e.number
"""
"""In one order, so that two that count the same entries don't wait for each other for ever."""

COUNT_ACCESS = f"""
    INSERT INTO hardwon.usage AS own (tenant, number, access_count, last_accessed)
    SELECT %(tenant)s, e.number, count(*), %(at)s {WANTED}
    ON CONFLICT (tenant, number) DO UPDATE SET access_count = own.access_count + excluded.access_count,
        last_accessed = excluded.last_accessed
"""
COUNT_RECALL = f"""
    INSERT INTO hardwon.recall AS own (tenant, number, recall_count, last_recalled_at)
    SELECT %(tenant)s, e.number, count(*), %(at)s {WANTED}
    ON CONFLICT (tenant, number) DO UPDATE SET recall_count = own.recall_count + excluded.recall_count,
        last_recalled_at = excluded.last_recalled_at
"""
ADD_USAGE = """
    INSERT INTO hardwon.usage AS own
        (tenant, number, access_count, last_accessed, validation_count, useful_count)
    SELECT e.tenant, e.number, %(accesses)s, %(last_accessed)s::timestamptz, %(validations)s, %(useful)s
    FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = %(number)s
    ON CONFLICT (tenant, number) DO UPDATE SET access_count = own.access_count + excluded.access_count,
        last_accessed = greatest(own.last_accessed, excluded.last_accessed),
        validation_count = own.validation_count + excluded.validation_count,
        useful_count = own.useful_count + excluded.useful_count
"""


class PostgresUsageLog(UsageLog):
    """Counters of searches and judgements in the tables of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        with self._database.counting():
            self._database.rows(COUNT_ACCESS, numbers=[*numbers], at=at)

    @override
    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        with self._database.counting():
            self._database.rows(COUNT_RECALL, numbers=[*seqs], at=at)

    @override
    def record_validation(self, number: int, *, useful: bool) -> None:
        self.add(number, Usage(validations=Validations(1, int(useful))))

    @override
    def add(self, number: int, usage: Usage) -> None:
        self._database.rows(ADD_USAGE, number=number, **usage_values(usage))


def usage_values(usage: Usage) -> dict[str, object]:
    """Return the parameters of statements that add the counters *usage*."""
    return {
        "accesses": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validations": usage.validations.total,
        "useful": usage.validations.useful,
    }
