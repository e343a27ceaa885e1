"""Injections with the entries they speak of, as those are today."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.errors import InvalidQueryError, UnknownEntryError
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.injection.receipt import Influence, Receipt, Shown
from hardwon.domain.model.injection.verify import policy_of
from hardwon.domain.use_cases.edit_entries import SHORTEST_PREFIX, ids_meant
from hardwon.ports.activity import Influences, Receipts
from hardwon.ports.entries import EntryRepository

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MOST_USED = 1_000
"""Entries of one session: more were never injected."""

MOST_OF_SESSION = 2**31 - 1
LONGEST_TOLD = 80
"""Characters of a reference that means nothing, in the line that says so."""

MOST_MEANT = 5
"""Sessions and entries that are told of those that begin alike."""

NEWEST_OF_ENTRY = 10
"""Injections, unless somebody asks for more or fewer."""


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

    @property
    def ranked(self) -> list[tuple[int | None, Shown]]:
        """The entries in the text with their ranks: what no search chose first, then by policy, best first."""
        shown, policy = self.receipt.shown, self.receipt.policy
        scored = [each for each in shown if each.score is not None]
        ranked = [each for each in scored if policy_of(self.receipt, each) == policy]
        ranked.sort(key=lambda each: -(each.score or 0.0))
        return [
            *((None, each) for each in shown if each.score is None),
            *enumerate(ranked, 1),
            *enumerate((each for each in scored if policy_of(self.receipt, each) != policy), 1),
        ]


class Answer(NamedTuple):
    """
    What is known of what somebody asked about.

    Attributes:
        injections: In the order in which they are told.
        entry_id: The entry that was asked about; None for a session or a project.

    """

    injections: Sequence[Explained]
    entry_id: str | None = None


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

    def newest(self, project: str, limit: int) -> Answer:
        """Return the newest injections of *project*, the newest first."""
        return Answer(self._explained(self.receipts.find(project=project, limit=limit)))

    def of(self, reference: str, limit: int | None = None) -> Answer:
        """
        Return the newest injections of a session, as it went, or with an entry in them, the newest first.

        Args:
            reference: The id of a session or entry or the beginning of one, or an entry's number; the entry may be gone.
            limit: How many at most; None is all of a session, and the newest 10 of an entry.

        Raises:
            InvalidQueryError: *reference* may mean more than one thing.
            UnknownEntryError: it means nothing that is known.

        """
        sessions, entries = self._sessions(reference), ids_meant(self.repository, reference, MOST_MEANT + 1)
        if len(sessions) + len(entries) > 1:
            raise InvalidQueryError(
                f"{reference!r} begins more than one session or entry: give more of it ({self._told(sessions, entries)})"
            )
        if sessions:
            found = self.receipts.find(session_id=sessions[0], limit=limit or MOST_OF_SESSION)
            return Answer(self._explained(found[::-1]))
        [entry_id] = entries or {reference.lower()}
        found = self.receipts.find(entry_id=entry_id, limit=limit or NEWEST_OF_ENTRY)
        if not (found or entries):
            raise UnknownEntryError(
                f"{shortened(reference, LONGEST_TOLD)!r} is no session with an injection and no entry: hardwon why tells of the newest injection,"
                " hardwon list shows the entries"
            )
        return Answer(self._explained(found), entry_id)

    def _told(self, sessions: Sequence[str], entries: Collection[str]) -> str:
        found = [self.repository.get(each) for each in sorted(entries)]
        told = [
            *(f"session {each}" for each in sessions),
            *(f"entry {each.entry_id}, {each.name}" for each in found if each),
        ]
        return "; ".join([*told[:MOST_MEANT], *(["and more"] if len(told) > MOST_MEANT else [])])

    def _sessions(self, reference: str) -> list[str]:
        """Return the sessions that *reference* may name, six at most; a whole name names one alone."""
        sessions = self.receipts.sessions_starting_with(reference, MOST_MEANT + 1)
        if reference in sessions:
            return [reference]
        return sessions if len(reference) >= SHORTEST_PREFIX else []

    def _explained(self, receipts: Sequence[Receipt]) -> list[Explained]:
        known: dict[str, Entry | None] = {}
        used = {each: self._used_in(each) for each in {receipt.session_id for receipt in receipts}}
        explained = list[Explained]()
        for receipt in receipts:
            ids = [*(each.entry_id for each in receipt.shown), *(each.entry_id for each in receipt.missed)]
            known.update((each, self.repository.get(each)) for each in ids if each not in known)
            entries = {each: entry for each in ids if (entry := known[each])}
            explained.append(Explained(receipt, entries, used[receipt.session_id], self.influences.counts(ids)))
        return explained

    def _used_in(self, session_id: str) -> dict[str, Influence]:
        found = self.influences.find(session_id=session_id, limit=MOST_USED) if session_id else ()
        return {each.entry_id: each for each in found}
