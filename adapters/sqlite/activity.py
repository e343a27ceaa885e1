"""
Records of activity in SQLite.

History, receipts, context windows, usage signals and counters. The hooks import this module.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

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
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import (
    RowDecoder,
    integer,
    number,
    one_of,
    optional,
    parts,
    text,
    texts,
    timestamp,
)
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.injection.receipt import (
    ARMS,
    DELIVERIES,
    EVENTS,
    FORMS,
    HOWS,
    LONGEST_SHOWN,
    ContextWindow,
    HeldMemory,
    Influence,
    NearMiss,
    OutcomeCount,
    Receipt,
    ReceiptEntry,
    ShownText,
    UndeliveredInjection,
)
from hardwon.ports.activity import Activity
from hardwon.ports.override import override

JUDGED = """receipt r CROSS JOIN receipt_entry s ON s.receipt_number = r.number CROSS JOIN entry e ON e.id = s.entry_id
    LEFT JOIN influence i ON i.entry_seq = e.seq AND i.session_id = r.session_id
"""
"""
Shown entries, with the use of each in the session.

SQLite keeps the order of a CROSS JOIN: it would begin with all entries.
"""

decode_change = RowDecoder(
    PastChange._fields,
    {
        "number": integer,
        "field": text,
        "old": optional(text),
        "new": optional(text),
        "at": timestamp,
    },
)

decode_influence = RowDecoder(
    Influence._fields,
    {
        **dict.fromkeys(("entry_id", "session_id", "phrase"), text),
        "how": one_of(HOWS),
        "at": timestamp,
    },
)


class SqliteHistory(SqlHistory):
    """History in the table `history`."""

    INSERT = """
        INSERT INTO history (memory_id, field_changed, old_value, new_value, changed_at)
        VALUES (:number, :field, :old, :new, :at)
    """
    SELECT = """
        SELECT memory_id, field_changed, old_value, new_value, changed_at FROM history
        WHERE memory_id = :number ORDER BY id DESC LIMIT :limit
    """
    _decode = decode_change


LATEST = "coalesce(:latest, (SELECT max(seq) FROM entry), 0)"
INSERT_RECEIPT = f"""
    INSERT INTO receipt ({", ".join(RECEIPT_FIELDS)})
    VALUES ({", ".join(LATEST if field == "latest" else f":{field}" for field in RECEIPT_FIELDS)}) RETURNING number
"""
SHOWN_COLUMNS = ("receipt_number", "place", *ReceiptEntry._fields)
INSERT_SHOWN = f"""
    INSERT INTO receipt_entry ({", ".join(SHOWN_COLUMNS)}) VALUES ({", ".join(f":{name}" for name in SHOWN_COLUMNS)})
"""
DROP_OLD = """
    DELETE FROM receipt WHERE number <= :last AND (outcome = '[]' OR number <= :first)
"""
SELECT_SHOWN = (
    f"SELECT {', '.join(ReceiptEntry._fields)} FROM receipt_entry WHERE receipt_number = :number ORDER BY"
    " place"
)


class SqliteReceipts(SqlReceipts[SqliteDatabase]):
    """Receipts in the tables `receipt` and `receipt_entry`, with outcomes kept until a change."""

    SHOWN_IN = """
        SELECT e.entry_id FROM receipt r JOIN receipt_entry e ON e.receipt_number = r.number
        WHERE r.session_id = :session_id AND r.delivery != 'missed'
    """
    FIND = f"""
        SELECT r.number, {", ".join(f"r.{field}" for field in RECEIPT_FIELDS)} FROM receipt r
        WHERE {{asked}} ORDER BY r.number DESC LIMIT :limit
    """
    SESSIONS = """
        SELECT DISTINCT session_id FROM receipt WHERE substr(session_id, 1, length(:prefix)) = :prefix
        ORDER BY session_id LIMIT :limit
    """
    OBSERVE = "UPDATE receipt SET outcome = :outcome WHERE number = :number"
    REJECT = """
        UPDATE receipt_entry SET is_rejected = :rejected WHERE entry_id = :entry_id AND is_rejected != :rejected
            AND receipt_number IN (SELECT number FROM receipt WHERE session_id = :session_id)
    """
    OUTCOMES = outcomes_from(
        f"""{JUDGED}
        LEFT JOIN (SELECT entry_seq, max(at) AS at FROM influence WHERE how = 'validation' GROUP BY entry_seq) c
            ON c.entry_seq = e.seq""",
        settled="r.at <= coalesce(c.at, '')",
    )
    CONDITIONS: ClassVar = {
        "session_id": "r.session_id = :session_id",
        "entry_id": (
            "r.number IN (SELECT receipt_number FROM receipt_entry WHERE entry_id = :entry_id)"
        ),
        "project": "r.project = :project",
        "event": "r.event = :event",
    }
    _decode = RowDecoder(
        RECEIPT_FIELDS,
        {
            **dict.fromkeys(
                ("session_id", "project", "policy", "digest", "agent", "signature"), text
            ),
            **dict.fromkeys(("query", "keyword_text", "space"), optional(text)),
            "event": one_of(EVENTS),
            "delivery": one_of(DELIVERIES),
            "arm": one_of(ARMS),
            "at": timestamp,
            "latest": integer,
            "frame": texts,
            "missed": lambda value: tuple(NearMiss(*miss) for miss in json.loads(value)),
            "outcome": decoded,
        },
    )
    _decode_shown = RowDecoder(
        ReceiptEntry._fields,
        {
            **dict.fromkeys(("entry_id", "digest", "origin", "warning"), text),
            "form": one_of(FORMS),
            "score": optional(number),
            "parts": parts,
            "room": integer,
            "is_rejected": bool,
        },
    )

    @override
    def outcomes(self) -> Sequence[OutcomeCount]:
        return self._database.kept("outcomes", super().outcomes)

    @override
    def record(self, receipt: Receipt) -> None:
        with self._database.counting():
            number = self._database.value(INSERT_RECEIPT, **receipt_values(receipt))
            shown = (
                {
                    "receipt_number": number,
                    "place": place,
                    **entry._asdict(),
                    "parts": dict(entry.parts),
                }
                for place, entry in enumerate(receipt.shown)
            )
            self._database.run_many(INSERT_SHOWN, shown)
            self._database.rows(
                DROP_OLD, last=number - self.KEPT, first=number - self.OBSERVED * self.KEPT
            )

    @override
    def _shown(self, numbers: Sequence[int]) -> Callable[[int], Iterable[Sequence[object]]]:
        return lambda number: self._database.rows(SELECT_SHOWN, number=number)


class SqliteDeliveries(SqlDeliveries):
    """Deliveries in the column `delivery` of receipts."""

    UNDELIVERED = """
        SELECT number, delivery, at, digest, frame, agent FROM receipt
        WHERE session_id = :session_id AND delivery IN ('awaited', 'missed') AND arm != 'withheld' ORDER BY number
    """
    SETTLE = """
        UPDATE receipt SET delivery = :delivery
        WHERE number = :number AND delivery IN ('awaited', 'missed') AND arm != 'withheld' RETURNING 1
    """
    COUNT_RECALLS = """
        INSERT INTO recall (entry_seq, recall_count, last_recalled_at)
        SELECT e.seq, 1, r.at FROM receipt r
        JOIN receipt_entry s ON s.receipt_number = r.number JOIN entry e ON e.id = s.entry_id WHERE r.number = :number
        ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1,
            last_recalled_at = max(coalesce(last_recalled_at, excluded.last_recalled_at), excluded.last_recalled_at)
    """
    _decode = RowDecoder(
        UndeliveredInjection._fields,
        {
            "number": integer,
            "delivery": one_of(DELIVERIES),
            "at": timestamp,
            "digest": text,
            "frame": texts,
            "agent": text,
        },
    )


IN_WINDOW = (
    "r.session_id = :session_id AND r.agent = :agent AND NOT r.dropped"
    " AND (r.delivery != 'missed' OR r.arm = 'withheld')"
)
HELD_ENTRIES = f"""
    SELECT DISTINCT s.entry_id FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number WHERE {IN_WINDOW}
"""
LAST_BLOCK = f"SELECT max(r.latest) FROM receipt r WHERE {IN_WINDOW} AND r.event = 'start'"
COUNT_MOMENTS = f"SELECT count(*) FROM receipt r WHERE {IN_WINDOW} AND r.event NOT IN ('start', 'prompt', 'ask')"

OPENED_FILES = f"SELECT DISTINCT r.query FROM receipt r WHERE {IN_WINDOW} AND r.event = 'file'"


class SqliteContextWindows(SqlContextWindows):
    """Context windows in the columns `agent`, `dropped` and `latest` of receipts."""

    EMPTY = (
        "UPDATE receipt SET dropped = 1 WHERE session_id = :session_id AND agent = :agent AND NOT"
        " dropped"
    )

    @override
    def held(self, window: ContextWindow) -> HeldMemory:
        of_window = window._asdict()
        entries = frozenset(
            entry_id for (entry_id,) in self._database.rows(HELD_ENTRIES, **of_window)
        )
        return HeldMemory(
            entries,
            self._database.value(LAST_BLOCK, **of_window),
            moments=self._database.value(COUNT_MOMENTS, **of_window),
            files=frozenset(
                query or "" for (query,) in self._database.rows(OPENED_FILES, **of_window)
            ),
        )


class SqliteInfluences(SqlInfluences):
    """Usage signals: the sessions that used an entry, in the table `influence`."""

    INSERT = """
        INSERT INTO influence (entry_seq, session_id, how, phrase, at)
        SELECT e.seq, :session_id, :how, :phrase, :at FROM entry e WHERE e.id = :entry_id
        ON CONFLICT (entry_seq, session_id) DO UPDATE SET how = excluded.how, phrase = excluded.phrase, at = excluded.at
            WHERE excluded.how = 'validation'
        RETURNING 1
    """
    SHOWN_TEXTS = f"""
        SELECT e.id, t.name,
            CASE WHEN max(s.form != 'conversation') THEN substr(t.description, 1, {LONGEST_SHOWN}) ELSE '' END,
            CASE WHEN max(s.form != 'conversation') THEN substr(t.notes, 1, {LONGEST_SHOWN}) ELSE '' END,
            i.entry_seq IS NOT NULL
        FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number
        JOIN entry e ON e.id = s.entry_id JOIN entry_text t ON t.entry_seq = e.seq
        LEFT JOIN influence i ON i.entry_seq = e.seq AND i.session_id = r.session_id
        WHERE r.session_id = :session_id AND r.delivery != 'missed'
        GROUP BY e.seq ORDER BY max(r.number) DESC, e.id LIMIT :limit
    """
    COUNT = """
        SELECT e.id, count(*) FROM json_each(:ids) wanted
        JOIN entry e ON e.id = wanted.value JOIN influence i ON i.entry_seq = e.seq GROUP BY e.seq
    """
    FIND = """
        SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM influence i JOIN entry e ON e.seq = i.entry_seq
        WHERE {asked} ORDER BY i.at DESC, e.id, i.session_id LIMIT :limit
    """
    RANK_BY_USE = """
        SELECT e.id, count(*) AS times FROM influence i CROSS JOIN entry e ON e.seq = i.entry_seq
        WHERE {within} GROUP BY e.seq ORDER BY times DESC, e.id LIMIT :limit
    """
    TOTAL = "SELECT count(*) FROM influence i JOIN entry e ON e.seq = i.entry_seq WHERE {within}"
    CONDITIONS: ClassVar = {
        "session_id": "i.session_id = :session_id",
        "entry_id": "e.id = :entry_id",
    }
    _decode = decode_influence
    _decode_shown_text = RowDecoder(
        ShownText._fields,
        {**dict.fromkeys(("entry_id", "name", "description", "notes"), text), "is_counted": bool},
    )


class SqliteActivity(Activity):
    """The records of what was shown in sessions, for the hooks that only count."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self.receipts = SqliteReceipts(database)
        self.deliveries = SqliteDeliveries(database)
        self.windows = SqliteContextWindows(database)
        self.influences = SqliteInfluences(database)
        self.usage = SqliteUsageLog(database)
        self.metadata = SqliteMetadata(database)

    @override
    def counting(self) -> AbstractContextManager[None]:
        return self._database.counting()


class SqliteUsageLog(SqlUsageLog):
    """Counters of searches and judgements in the tables `usage` and `recall`."""

    COUNT_ACCESS = """
        INSERT INTO usage (entry_seq, access_count, last_accessed)
        SELECT e.seq, 1, :at FROM json_each(:numbers) wanted JOIN entry e ON e.seq = wanted.value WHERE true
        ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + 1, last_accessed = excluded.last_accessed
    """
    COUNT_RECALL = """
        INSERT INTO recall (entry_seq, recall_count, last_recalled_at)
        SELECT e.seq, 1, :at FROM json_each(:numbers) wanted JOIN entry e ON e.seq = wanted.value WHERE true
        ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall_count + 1, last_recalled_at = excluded.last_recalled_at
    """
    ADD = """
        INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count)
        SELECT seq, :accesses, :last_accessed, :validations, :useful FROM entry WHERE seq = :number
        ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + excluded.access_count,
            last_accessed = max(coalesce(last_accessed, excluded.last_accessed), coalesce(excluded.last_accessed, last_accessed)),
            validation_count = validation_count + excluded.validation_count,
            useful_count = useful_count + excluded.useful_count
    """
