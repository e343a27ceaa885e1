"""Proposed supersessions in the table `proposal`."""

from hardwon.adapters.sql.database import Role
from hardwon.ports.entries import Proposal, Proposals
from hardwon.ports.override import override


class SqlProposals(Role, Proposals):
    """Pairs in the table `proposal`."""

    PROPOSE: str
    OPEN: str
    REJECT: str

    @override
    def propose(self, proposal: Proposal) -> None:
        with self._database.transaction():
            self._database.rows(self.PROPOSE, **proposal._asdict())

    @override
    def open(self, limit: int) -> list[Proposal]:
        return [Proposal(*row) for row in self._database.rows(self.OPEN, most=limit)]

    @override
    def reject(self, older: str, newer: str) -> bool:
        with self._database.transaction():
            return self._database.value(self.REJECT, older=older, newer=newer) is not None
