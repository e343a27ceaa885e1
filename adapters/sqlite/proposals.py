"""Proposed supersessions in the store's table `proposal`."""

from hardwon.adapters.sqlite.database import Database
from hardwon.ports.entries import Proposal, Proposals
from hardwon.ports.override import override

PROPOSE = """
    INSERT INTO proposal (older_seq, newer_seq, probability)
    SELECT older.seq, newer.seq, ?3 FROM entry older, entry newer WHERE older.id = ?1 AND newer.id = ?2
    ON CONFLICT DO NOTHING
"""

OPEN = """
    SELECT older.id, newer.id, p.probability
    FROM proposal p JOIN entry older ON older.seq = p.older_seq JOIN entry newer ON newer.seq = p.newer_seq
    WHERE NOT p.rejected AND older.retired = 0 AND newer.retired = 0
        AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
    ORDER BY p.probability DESC, older.id, newer.id LIMIT ?
"""

REJECT = """
    UPDATE proposal SET rejected = 1 WHERE NOT rejected
        AND older_seq = (SELECT seq FROM entry WHERE id = ?) AND newer_seq = (SELECT seq FROM entry WHERE id = ?)
    RETURNING 1
"""


class SqliteProposals(Proposals):
    """Pairs in the table `proposal`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def propose(self, proposal: Proposal) -> None:
        with self._database.transaction():
            self._database.rows(PROPOSE, proposal)

    @override
    def open(self, limit: int) -> list[Proposal]:
        return [Proposal(*row) for row in self._database.rows(OPEN, (limit,))]

    @override
    def reject(self, older: str, newer: str) -> bool:
        with self._database.transaction():
            return self._database.value(REJECT, (older, newer)) is not None
