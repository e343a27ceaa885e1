"""What was injected, in the store's tables."""

import json
from collections.abc import Iterable

from hardwon.adapters.sqlite.conditions import all_of
from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, Database, Row
from hardwon.adapters.sqlite.moments import from_text, to_text
from hardwon.domain.model.receipts.receipt import NearMiss, Receipt, Shown

KEPT = 2_000

PARTS = Shown._fields.index("parts")

INSERT = """
    INSERT INTO receipt (session_id, event, at, project, query, space, policy, digest, frame, missed, keyword_text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
"""

FIND = """
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
            number = self._database.value(INSERT, _row(receipt))
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
        rows = self._database.rows(FIND.format(asked=asked), (*values, limit))
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
