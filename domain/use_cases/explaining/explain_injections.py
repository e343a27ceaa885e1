"""Injections with the entries they speak of, as those are today."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.receipts.influence import Influence
from hardwon.domain.model.receipts.receipt import Receipt
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.influences import Influences
from hardwon.ports.receipts import Receipts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MOST_USED = 1_000
"""Entries of one session: more were never injected."""


class Explained(NamedTuple):
    """
    One injection.

    Attributes:
        receipt: What is known of it.
        entries: The entries that it speaks of, by id; those that are gone are not among them.
        used: What shows that an entry was of use in that session, by id.
        influence_counts: In how many sessions each entry was of use, by id; those in none are left out.

    """

    receipt: Receipt
    entries: "Mapping[str, Entry]"
    used: Mapping[str, Influence]
    influence_counts: Mapping[str, int]

    def name_of(self, entry_id: str) -> str | None:
        """Return the name that the entry has today, None when it is gone."""
        entry = self.entries.get(entry_id)
        return entry.name if entry else None


class ExplainInjections(NamedTuple):
    """
    Find what was injected.

    Attributes:
        receipts: What was injected, when and why.
        repository: The entries.
        influences: Which of them were of use.

    """

    receipts: Receipts
    repository: EntryRepository
    influences: Influences

    def newest(self, project: str, limit: int) -> list[Explained]:
        """Return the newest injections of *project*, the newest first."""
        return self._explained(self.receipts.find(project=project, limit=limit))

    def of_session(self, session_id: str, limit: int) -> list[Explained]:
        """Return the newest injections of a session, the oldest of them first: as it went."""
        return self._explained(self.receipts.find(session_id=session_id, limit=limit)[::-1])

    def of_entry(self, entry_id: str, limit: int) -> list[Explained]:
        """Return the newest injections with that entry in them, the newest first."""
        return self._explained(self.receipts.find(entry_id=entry_id, limit=limit))

    def _explained(self, receipts: Sequence[Receipt]) -> list[Explained]:
        known: dict[str, Entry | None] = {}
        explained = list[Explained]()
        for receipt in receipts:
            ids = [*(each.entry_id for each in receipt.shown), *(each.entry_id for each in receipt.missed)]
            known.update((each, self.repository.get(each)) for each in ids if each not in known)
            entries = {each: entry for each in ids if (entry := known[each])}
            explained.append(
                Explained(receipt, entries, self._used_in(receipt.session_id), self.influences.counts(ids))
            )
        return explained

    def _used_in(self, session_id: str) -> dict[str, Influence]:
        found = self.influences.find(session_id=session_id, limit=MOST_USED) if session_id else ()
        return {each.entry_id: each for each in found}
