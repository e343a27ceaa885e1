"""History, usage counters, usage signals and injection receipts in the store's tables."""

import datetime as dt
import json
from collections.abc import Iterable, Sequence

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, Row, in_list, to_text
from hardwon.adapters.sqlite.decoding import (
    Decoder,
    integer,
    number,
    one_of,
    optional,
    parts,
    readable,
    text,
    texts,
    timestamp,
)
from hardwon.adapters.sqlite.query import all_of
from hardwon.domain.model.activity import FieldChange, PastChange, Usage
from hardwon.domain.model.injection.receipt import DELIVERIES, EVENTS, FORMS, NearMiss, Receipt, Shown
from hardwon.ports.activity import History, Receipts, UsageLog
from hardwon.ports.override import override

decode_change = Decoder(
    PastChange._fields,
    {"number": integer, "field": text, "old": optional(text), "new": optional(text), "at": timestamp},
)


class SqliteHistory(History):
    """The history in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        with self._database.transaction():
            self._database.run_many(
                "INSERT INTO history (memory_id, field_changed, old_value, new_value, changed_at) VALUES (?, ?, ?, ?, ?)",
                ((number, *change, to_text(at)) for change in changes),
            )

    @override
    def of(self, number: int, limit: int) -> list[PastChange]:
        rows = self._database.rows(
            "SELECT memory_id, field_changed, old_value, new_value, changed_at FROM history"
            " WHERE memory_id = ? ORDER BY id DESC LIMIT ?",
            (number, limit),
        )
        return [*readable(self._database, "history of entry", rows, to_change)]


def to_change(row: Row) -> PastChange:
    """Return the change of a row of `history`; raises ValueError for one that can't be decoded."""
    return PastChange(*decode_change(row))


KEPT_RECEIPTS = 2_000

RECEIPT_FIELDS = tuple(field for field in Receipt._fields if field not in {"shown", "number"})
"""The fields of `Receipt` that are columns of the table `receipt`."""

LATEST = "coalesce(:latest, (SELECT max(seq) FROM entry), 0)"
INSERT_RECEIPT = f"""
    INSERT INTO receipt ({", ".join(RECEIPT_FIELDS)})
    VALUES ({", ".join(LATEST if field == "latest" else f":{field}" for field in RECEIPT_FIELDS)}) RETURNING number
"""

FIND_RECEIPTS = f"""
    SELECT r.number, {", ".join(f"r.{field}" for field in RECEIPT_FIELDS)} FROM receipt r
    WHERE {{asked}} ORDER BY r.number DESC LIMIT ?
"""
INSERT_SHOWN = f"""
    INSERT INTO receipt_entry (receipt_number, place, {", ".join(Shown._fields)})
    VALUES ({", ".join("?" * (len(Shown._fields) + 2))})
"""
SELECT_SHOWN = f"SELECT {', '.join(Shown._fields)} FROM receipt_entry WHERE receipt_number = ? ORDER BY place"

decode_receipt = Decoder(
    RECEIPT_FIELDS,
    {
        **dict.fromkeys(("session_id", "project", "policy", "digest", "agent"), text),
        **dict.fromkeys(("query", "keyword_text", "space"), optional(text)),
        "event": one_of(EVENTS),
        "delivery": one_of(DELIVERIES),
        "at": timestamp,
        "latest": integer,
        "frame": texts,
        "missed": lambda value: tuple(NearMiss(*miss) for miss in json.loads(value)),
    },
)

decode_shown = Decoder(
    Shown._fields,
    {
        **dict.fromkeys(("entry_id", "digest", "origin"), text),
        "form": one_of(FORMS),
        "score": optional(number),
        "parts": parts,
        "room": integer,
    },
)

WITH_ENTRY = "r.number IN (SELECT receipt_number FROM receipt_entry WHERE entry_id = ?)"


class SqliteReceipts(Receipts):
    """
    Receipts in the store's tables.

    Args:
        database: The store.
        kept: Upper bound of the receipts kept.

    """

    def __init__(self, database: Database, kept: int = KEPT_RECEIPTS) -> None:
        self._database = database
        self._kept = kept

    @override
    def record(self, receipt: Receipt) -> None:
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            number = self._database.value(INSERT_RECEIPT, _values(receipt))
            self._database.run_many(INSERT_SHOWN, _shown_rows(number, receipt.shown))
            self._database.rows("DELETE FROM receipt WHERE number <= ?", (number - self._kept,))

    @override
    def shown_in(self, session_id: str) -> frozenset[str]:
        rows = self._database.rows(
            "SELECT e.entry_id FROM receipt r JOIN receipt_entry e ON e.receipt_number = r.number"
            " WHERE r.session_id = ? AND r.delivery != 'missed'",
            (session_id,),
        )
        return frozenset(entry_id for (entry_id,) in rows)

    @override
    def find(
        self, *, session_id: str | None = None, entry_id: str | None = None, project: str | None = None, limit: int
    ) -> list[Receipt]:
        asked, values = all_of({"r.session_id = ?": session_id, WITH_ENTRY: entry_id, "r.project = ?": project})
        rows = self._database.rows(FIND_RECEIPTS.format(asked=asked), (*values, limit))
        return [*readable(self._database, "receipt", rows, self._receipt)]

    @override
    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        rows = self._database.rows(
            "SELECT DISTINCT session_id FROM receipt WHERE substr(session_id, 1, ?1) = ?2 ORDER BY session_id LIMIT ?3",
            (len(prefix), prefix, limit),
        )
        return [session_id for (session_id,) in rows]

    def _shown(self, number: int) -> tuple[Shown, ...]:
        rows = self._database.rows(SELECT_SHOWN, (number,))
        return tuple(Shown(*decode_shown(row)) for row in rows)

    def _receipt(self, row: Row) -> Receipt:
        values = dict(zip(RECEIPT_FIELDS, decode_receipt(row[1:]), strict=True))
        return Receipt(**values, shown=self._shown(row[0]), number=row[0])


def _values(receipt: Receipt) -> dict[str, object]:
    values = {field: getattr(receipt, field) for field in RECEIPT_FIELDS}
    lists = {"frame": json.dumps(receipt.frame), "missed": json.dumps(receipt.missed)}
    return values | lists | {"at": to_text(receipt.at)}


def _shown_rows(number: int, shown: Iterable[Shown]) -> Iterable[Row]:
    return (
        (
            number,
            place,
            entry.entry_id,
            entry.form,
            entry.digest,
            entry.score,
            json.dumps(dict(entry.parts)),
            entry.room,
            entry.origin,
        )
        for place, entry in enumerate(shown)
    )


class SqliteUsageLog(UsageLog):
    """Counters of searches and judgements in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            self._database.rows(
                "INSERT INTO usage (entry_seq, access_count, last_accessed)"
                " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
                " ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + 1,"
                " last_accessed = excluded.last_accessed",
                (in_list(numbers), to_text(at)),
            )

    @override
    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            self._database.rows(
                "INSERT INTO recall (entry_seq, recall_count, last_recalled_at)"
                " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
                " ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1,"
                " last_recalled_at = excluded.last_recalled_at",
                (in_list(seqs), to_text(at)),
            )

    @override
    def record_validation(self, number: int, *, useful: bool) -> None:
        self._database.rows(
            "INSERT INTO usage (entry_seq, validation_count, useful_count) SELECT seq, 1, ?2 FROM entry WHERE seq = ?1"
            " ON CONFLICT (entry_seq) DO UPDATE SET validation_count = validation_count + 1,"
            " useful_count = useful_count + excluded.useful_count",
            (number, useful),
        )

    @override
    def add(self, number: int, usage: Usage) -> None:
        last_accessed = to_text(usage.last_accessed) if usage.last_accessed else None
        self._database.rows(
            "INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count)"
            " SELECT seq, ?2, ?3, ?4, ?5 FROM entry WHERE seq = ?1"
            " ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + excluded.access_count,"
            " last_accessed = max(coalesce(last_accessed, excluded.last_accessed),"
            " coalesce(excluded.last_accessed, last_accessed)),"
            " validation_count = validation_count + excluded.validation_count,"
            " useful_count = useful_count + excluded.useful_count",
            (number, usage.access_count, last_accessed, *usage.validations),
        )
