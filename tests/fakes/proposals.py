"""Proposed supersessions in memory."""

from hardwon.ports.entries import Proposal, Proposals
from hardwon.ports.override import override
from tests.fakes.state import State


class InMemoryProposals(Proposals):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def propose(self, proposal: Proposal) -> None:
        older, newer = self._state.number_of(proposal.older), self._state.number_of(proposal.newer)
        if older is not None and newer is not None:
            self._state.proposals.setdefault((older, newer), (proposal.probability, False))

    @override
    def open(self, limit: int) -> list[Proposal]:
        found = [
            Proposal(
                self._state.entries[older].entry_id,
                self._state.entries[newer].entry_id,
                probability,
            )
            for (older, newer), (probability, rejected) in self._state.proposals.items()
            if not rejected and self._is_current(older) and self._is_current(newer)
        ]
        return sorted(found, key=lambda known: (-known.probability, known.older, known.newer))[
            :limit
        ]

    @override
    def reject(self, older: str, newer: str) -> bool:
        pair = self._state.number_of(older), self._state.number_of(newer)
        for known, (probability, rejected) in self._state.proposals.items():
            if known == pair and not rejected:
                self._state.proposals[known] = (probability, True)
                return True
        return False

    def _is_current(self, number: int) -> bool:
        return (
            not self._state.is_retired(number) and self._state.entries[number].superseded_by is None
        )
