"""
What of the injected was of use, in the store's table.

What was injected, in the store's tables.
"""

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, Row, from_text, in_list, to_text
from hardwon.adapters.sqlite.query import all_of
from hardwon.domain.model.history import FieldChange, PastChange
from hardwon.domain.model.injection.receipt import Influence, NearMiss, Receipt, Shown
from hardwon.domain.model.injection.usage_signals import LONGEST_SHOWN, ShownText
from hardwon.domain.model.usage import Usage

if TYPE_CHECKING:
    from hardwon.adapters.sqlite.query import Where
    from hardwon.domain.model.filters import EntryFilter


class SqliteHistory:
    """The history in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        """Add *changes* of an entry."""
        with self._database.transaction():
            self._database.run_many(
                "INSERT INTO history (memory_id, field_changed, old_value, new_value, changed_at) VALUES (?, ?, ?, ?, ?)",
                ((number, *change, to_text(at)) for change in changes),
            )

    def of(self, number: int, limit: int) -> list[PastChange]:
        """Return the changes of an entry, the last one first."""
        rows = self._database.rows(
            "SELECT memory_id, field_changed, old_value, new_value, changed_at FROM history"
            " WHERE memory_id = ? ORDER BY id DESC LIMIT ?",
            (number, limit),
        )
        return [PastChange(entry, field, old, new, from_text(at)) for entry, field, old, new, at in rows]


INSERT_INFLUENCE = """
    INSERT INTO influence (entry_seq, session_id, how, phrase, at)
    SELECT e.seq, ?2, ?3, ?4, ?5 FROM entry e WHERE e.id = ?1
    ON CONFLICT DO NOTHING RETURNING 1
"""

SHOWN = f"""
    SELECT e.id, t.name,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.description, 1, {LONGEST_SHOWN}) ELSE '' END,
        CASE WHEN max(s.form != 'conversation') THEN substr(t.notes, 1, {LONGEST_SHOWN}) ELSE '' END,
        i.entry_seq IS NOT NULL
    FROM receipt r JOIN receipt_entry s ON s.receipt_number = r.number
    JOIN entry e ON e.id = s.entry_id JOIN entry_text t ON t.entry_seq = e.seq
    LEFT JOIN influence i ON i.entry_seq = e.seq AND i.session_id = r.session_id
    WHERE r.session_id = ? GROUP BY e.seq ORDER BY max(r.number) DESC, e.id LIMIT ?
"""

COUNTS = """
    SELECT e.id, count(*) FROM json_each(?) wanted
    JOIN entry e ON e.id = wanted.value JOIN influence i ON i.entry_seq = e.seq GROUP BY e.seq
"""

FIND_INFLUENCES = """
    SELECT e.id, i.session_id, i.how, i.phrase, i.at FROM influence i JOIN entry e ON e.seq = i.entry_seq
    WHERE {asked} ORDER BY i.at DESC, e.id, i.session_id LIMIT ?
"""


class SqliteInfluences:
    """
    The sessions in which entries were of use, in the store's table.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, influence: Influence) -> bool:
        """Count that an entry was used in a session; never wait long for it."""
        row = (*influence[:-1], to_text(influence.at))
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            return bool(self._database.rows(INSERT_INFLUENCE, row))

    def shown_texts(self, session_id: str, limit: int) -> list[ShownText]:
        """Return the beginning of what was injected into that session."""
        rows = self._database.rows(SHOWN, (session_id, limit))
        return [ShownText(*row)._replace(is_counted=bool(row[-1])) for row in rows]

    def counts(self, entry_ids: Iterable[str]) -> dict[str, int]:
        """Return in how many sessions each of *entry_ids* was used; those in none are left out."""
        return dict(self._database.rows(COUNTS, (json.dumps(sorted({*entry_ids})),)))

    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> list[Influence]:
        """Return what is known of that session and entry, the newest first."""
        asked, values = all_of({"i.session_id = ?": session_id, "e.id = ?": entry_id})
        rows = self._database.rows(FIND_INFLUENCES.format(asked=asked), (*values, limit))
        return [Influence(*row)._replace(at=from_text(row[-1])) for row in rows]

    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> list[tuple[str, int]]:
        """Return entries of *only* by id, with in how many sessions each was used, the most first."""
        within = _within(only)
        rows = self._database.rows(
            "SELECT e.id, count(*) AS times FROM influence i JOIN entry e ON e.seq = i.entry_seq"
            f" WHERE {within.sql} GROUP BY e.seq ORDER BY times DESC, e.id LIMIT ?",
            (*within.parameters, limit),
        )
        return [(entry_id, times) for entry_id, times in rows]

    def total(self, only: "EntryFilter | None" = None) -> int:
        """Return how often an entry of *only* was used in a session, over all."""
        within = _within(only)
        sql = f"SELECT count(*) FROM influence i JOIN entry e ON e.seq = i.entry_seq WHERE {within.sql}"
        return int(self._database.value(sql, within.parameters))


def _within(only: "EntryFilter | None") -> "Where":
    from hardwon.adapters.sqlite.query import Where, where  # noqa: PLC0415  # only who counts needs it, not the hook

    return where(only) if only else Where("true", ())


KEPT = 2_000

PARTS = Shown._fields.index("parts")

INSERT_RECEIPT = """
    INSERT INTO receipt (session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
"""

FIND_RECEIPTS = """
    SELECT r.session_id, r.event, r.at, r.project, r.query, r.space, r.policy, r.digest, r.frame, r.missed,
        r.keyword_text, r.number
    FROM receipt r WHERE {asked} ORDER BY r.number DESC LIMIT ?
"""
WITH_ENTRY = "r.number IN (SELECT receipt_number FROM receipt_entry WHERE entry_id = ?)"


class SqliteReceipts:
    """
    Receipts in the store's tables.

    Args:
        database: The store.
        kept: How many receipts are kept.

    """

    def __init__(self, database: Database, kept: int = KEPT) -> None:
        self._database = database
        self._kept = kept

    def record(self, receipt: Receipt) -> None:
        """Keep *receipt*, and of all only the newest."""
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            number = self._database.value(INSERT_RECEIPT, _row(receipt))
            self._database.run_many(
                "INSERT INTO receipt_entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _shown_rows(number, receipt.shown)
            )
            self._database.rows("DELETE FROM receipt WHERE number <= ?", (number - self._kept,))

    def shown_in(self, session_id: str) -> frozenset[str]:
        """Return the ids of all entries that were injected into that session."""
        rows = self._database.rows(
            "SELECT e.entry_id FROM receipt r JOIN receipt_entry e ON e.receipt_number = r.number WHERE r.session_id = ?",
            (session_id,),
        )
        return frozenset(entry_id for (entry_id,) in rows)

    def find(
        self, *, session_id: str | None = None, entry_id: str | None = None, project: str | None = None, limit: int
    ) -> list[Receipt]:
        """Return receipts, the newest first."""
        asked, values = all_of({"r.session_id = ?": session_id, WITH_ENTRY: entry_id, "r.project = ?": project})
        rows = self._database.rows(FIND_RECEIPTS.format(asked=asked), (*values, limit))
        return [_receipt(row, self._shown(row[-1])) for row in rows]

    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return names of sessions that begin with *prefix*."""
        rows = self._database.rows(
            "SELECT DISTINCT session_id FROM receipt WHERE substr(session_id, 1, ?1) = ?2 ORDER BY session_id LIMIT ?3",
            (len(prefix), prefix, limit),
        )
        return [session_id for (session_id,) in rows]

    def _shown(self, number: int) -> tuple[Shown, ...]:
        rows = self._database.rows(
            "SELECT entry_id, form, digest, score, parts, room FROM receipt_entry WHERE receipt_number = ? ORDER BY place",
            (number,),
        )
        return tuple(Shown(*row)._replace(parts=json.loads(row[PARTS])) for row in rows)


def _row(receipt: Receipt) -> Row:
    return (
        receipt.session_id,
        receipt.event,
        to_text(receipt.at),
        receipt.project,
        receipt.query,
        receipt.space,
        receipt.policy,
        receipt.digest,
        json.dumps(receipt.frame),
        json.dumps(receipt.missed),
        receipt.keyword_text,
    )


def _shown_rows(number: int, shown: Iterable[Shown]) -> Iterable[Row]:
    return (
        (number, place, each.entry_id, each.form, each.digest, each.score, json.dumps(dict(each.parts)), each.room)
        for place, each in enumerate(shown)
    )


def _receipt(row: Row, shown: tuple[Shown, ...]) -> Receipt:
    session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text, number = row
    return Receipt(
        session_id=session_id,
        event=event,
        at=from_text(at),
        project=project,
        query=query,
        space=space,
        policy=policy,
        digest=digest,
        frame=tuple(json.loads(frame)),
        shown=shown,
        missed=tuple(NearMiss(*each) for each in json.loads(missed)),
        keyword_text=keyword_text,
        number=number,
    )


class SqliteUsageLog:
    """
    The counters of searches and judgements in the store's tables.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """Count that each of *numbers* was found or loaded once more; never wait long for it."""
        with self._database.transaction(busy_seconds=COUNT_BUSY_SECONDS):
            self._database.rows(
                "INSERT INTO usage (entry_seq, access_count, last_accessed)"
                " SELECT e.seq, 1, ?2 FROM json_each(?1) wanted JOIN entry e ON e.seq = wanted.value WHERE true"
                " ON CONFLICT (entry_seq) DO UPDATE SET access_count = access_count + 1,"
                " last_accessed = excluded.last_accessed",
                (in_list(numbers), to_text(at)),
            )

    def record_validation(self, number: int, *, useful: bool) -> None:
        """Count one more judgement of an entry."""
        self._database.rows(
            "INSERT INTO usage (entry_seq, validation_count, useful_count) SELECT seq, 1, ?2 FROM entry WHERE seq = ?1"
            " ON CONFLICT (entry_seq) DO UPDATE SET validation_count = validation_count + 1,"
            " useful_count = useful_count + excluded.useful_count",
            (number, useful),
        )

    def add(self, number: int, usage: Usage) -> None:
        """Count what another program has counted of an entry, on top."""
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
