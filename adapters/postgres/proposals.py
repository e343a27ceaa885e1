"""Proposed supersessions in the table `proposal`."""

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.named import number_of
from hardwon.ports.entries import Proposal, Proposals
from hardwon.ports.override import override

PROPOSE = f"""
    INSERT INTO hardwon.proposal (tenant, older, newer, probability)
    SELECT older.tenant, older.number, newer.number, %(probability)s
    FROM hardwon.entry older JOIN hardwon.entry newer ON newer.tenant = older.tenant
    WHERE older.tenant = %(tenant)s AND older.number = {number_of("older")} AND newer.number = {number_of("newer")}
    ON CONFLICT DO NOTHING
"""

OPEN = """
    SELECT older.id, newer.id, p.probability FROM hardwon.proposal p
    JOIN hardwon.entry older ON older.tenant = p.tenant AND older.number = p.older
    JOIN hardwon.entry newer ON newer.tenant = p.tenant AND newer.number = p.newer
    WHERE p.tenant = %(tenant)s AND NOT p.rejected AND NOT older.retired AND NOT newer.retired
        AND older.superseded_by IS NULL AND newer.superseded_by IS NULL
    ORDER BY p.probability DESC, older.id, newer.id LIMIT %(most)s
"""

REJECT = f"""
    UPDATE hardwon.proposal SET rejected = true WHERE tenant = %(tenant)s AND NOT rejected
        AND older = {number_of("older")} AND newer = {number_of("newer")}
    RETURNING 1
"""


class PostgresProposals(Proposals):
    """Pairs in the table `proposal`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def propose(self, proposal: Proposal) -> None:
        with self._database.transaction():
            self._database.rows(PROPOSE, **proposal._asdict())

    @override
    def open(self, limit: int) -> list[Proposal]:
        return [Proposal(*row) for row in self._database.rows(OPEN, most=limit)]

    @override
    def reject(self, older: str, newer: str) -> bool:
        with self._database.transaction():
            return self._database.value(REJECT, older=older, newer=newer) is not None
