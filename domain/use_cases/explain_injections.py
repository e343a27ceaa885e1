"""Explain injections: their receipts, and their entries as they are today."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from hardwon.domain.model.errors import InvalidQueryError, UnknownEntryError
from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.model.injection.receipt import MOMENTS, Event, Influence, Receipt, ReceiptEntry
from hardwon.domain.model.injection.verify import policy_of
from hardwon.domain.model.project import Registry
from hardwon.domain.use_cases.edit_entries import SHORTEST_PREFIX, ids_meant
from hardwon.ports.activity import Influences, Receipts
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Store

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MAX_USED = 1_000
"""The maximum number of used entries read for a session. More are never injected."""

MAX_OF_SESSION = 2**31 - 1
MAX_REFERENCE = 80
"""The maximum length of an unknown reference in its error message."""

MAX_AMBIGUOUS = 5
"""The maximum number of sessions and entries listed for an ambiguous reference."""

NEWEST_OF_ENTRY = 10
"""The default number of injections."""


MISSED_BETWEEN = 4
"""The factor by which more injections are read, as some were missed."""


class ExplainedInjection(NamedTuple):
    """
    An injection with its entries and their use.

    Attributes:
        entries: The entries in the receipt by id, without deleted ones.
        influence_counts: The number of sessions that used each entry, by id, without unused ones.
        label: The label of the project, or its id if the store does not know it.
        credits: The credit of all entries today.
    """

    receipt: Receipt
    entries: "Mapping[str, Entry]"
    used: Mapping[str, Influence]
    influence_counts: Mapping[str, int]
    label: str
    credits: Credits

    def name_of(self, entry_id: str) -> str | None:
        """Return the current name of the entry, None if it is deleted."""
        entry = self.entries.get(entry_id)
        return entry.name if entry else None

    @property
    def ranked(self) -> list[tuple[int | None, ReceiptEntry]]:
        """
        The entries in the text with their ranks.

        Those without a score come first, then by policy, best first.
        """
        shown, policy = self.receipt.shown, self.receipt.policy
        scored = [entry for entry in shown if entry.score is not None]
        ranked = [entry for entry in scored if policy_of(self.receipt, entry) == policy]
        ranked.sort(key=lambda entry: -(entry.score or 0.0))
        return [
            *((None, entry) for entry in shown if entry.score is None),
            *enumerate(ranked, 1),
            *enumerate((entry for entry in scored if policy_of(self.receipt, entry) != policy), 1),
        ]


class ExplainedInjections(NamedTuple):
    """
    The injections of a session, a project or an entry.

    Attributes:
        injections: In the order in which they are printed.
        entry_id: The entry; None for a session or a project.
    """

    injections: Sequence[ExplainedInjection]
    entry_id: str | None = None


class ExplainInjections(NamedTuple):
    """Find injections and explain them."""

    receipts: Receipts
    repository: EntryRepository
    influences: Influences
    registry: Registry

    @classmethod
    def on(cls, store: Store, registry: Registry) -> Self:
        """Return it on the roles of *store*."""
        return cls(
            receipts=store.receipts,
            repository=store.entries,
            influences=store.influences,
            registry=registry,
        )

    def newest(self, project: str | None, limit: int) -> ExplainedInjections:
        """Return the injections of a project or of all, newest first."""
        return ExplainedInjections(
            self._explained(self.receipts.newest(project=project, limit=limit))
        )

    def newest_moments(self, limit: int) -> ExplainedInjections:
        """
        Return the newest injections at moments of action, newest first.

        Without any they are those beside prompts. Those that the model missed are left out.
        """
        receipts = self._newest_of(MOMENTS, limit) or self._newest_of(("prompt",), limit)
        return ExplainedInjections(self._explained(receipts))

    def _newest_of(self, events: Iterable[Event], limit: int) -> Sequence[Receipt]:
        read = (
            receipt
            for event in events
            for receipt in self.receipts.newest(event=event, limit=MISSED_BETWEEN * limit)
        )
        given = (receipt for receipt in read if receipt.shown and receipt.delivery != "missed")
        return sorted(given, key=lambda receipt: (receipt.at, receipt.number))[: -limit - 1 : -1]

    def of_session(self, session_id: str, limit: int = MAX_OF_SESSION) -> ExplainedInjections:
        """Return the newest injections of the session, in their order."""
        return ExplainedInjections(
            self._explained(self.receipts.newest(session_id=session_id, limit=limit)[::-1])
        )

    def of_entry(self, entry_id: str, limit: int = NEWEST_OF_ENTRY) -> ExplainedInjections:
        """Return the injections of the entry, the newest first."""
        return ExplainedInjections(
            self._explained(self.receipts.newest(entry_id=entry_id, limit=limit)), entry_id
        )

    def explain(self, reference: str, limit: int | None = None) -> ExplainedInjections:
        """
        Return the injections of the session or entry that *reference* means.

        Those of a session come in their order, those of an entry the newest first.

        Args:
            reference: The id of a session or entry or its prefix, or an entry's number. The entry
                may be deleted.
            limit: The maximum number; None is all of a session, and the newest 10 of an entry.

        Raises:
            InvalidQueryError: *reference* is ambiguous.
            UnknownEntryError: it is unknown.
        """
        sessions, entries = (
            self._sessions(reference),
            ids_meant(self.repository, reference, MAX_AMBIGUOUS + 1),
        )
        if len(sessions) + len(entries) > 1:
            raise InvalidQueryError(
                f"{reference!r} begins more than one session or entry: give more of it"
                f" ({self._candidates(sessions, entries)})"
            )
        if sessions:
            return self.of_session(sessions[0], limit or MAX_OF_SESSION)
        [entry_id] = entries or {reference.lower()}
        answer = self.of_entry(entry_id, limit or NEWEST_OF_ENTRY)
        if not (answer.injections or entries):
            raise UnknownEntryError(
                f"{shortened(reference, MAX_REFERENCE)!r} is no session with an injection and no"
                " entry: hardwon why tells of the newest injection, hardwon list shows the entries"
            )
        return answer

    def _candidates(self, sessions: Sequence[str], entries: Collection[str]) -> str:
        found = [self.repository.by_id(entry_id) for entry_id in sorted(entries)]
        names = [
            *(f"session {session}" for session in sessions),
            *(f"entry {entry.entry_id}, {entry.name}" for entry in found if entry),
        ]
        return "; ".join(
            [*names[:MAX_AMBIGUOUS], *(["and more"] if len(names) > MAX_AMBIGUOUS else [])]
        )

    def _sessions(self, reference: str) -> list[str]:
        """
        Return at most six sessions that *reference* may mean.

        A complete id means one only.
        """
        sessions = self.receipts.sessions_starting_with(reference, MAX_AMBIGUOUS + 1)
        if reference in sessions:
            return [reference]
        return sessions if len(reference) >= SHORTEST_PREFIX else []

    def _explained(self, receipts: Sequence[Receipt]) -> list[ExplainedInjection]:
        known: dict[str, Entry | None] = {}
        credit_of_all = Credits.of(self.receipts.outcomes())
        used = {
            session: self._used_in(session)
            for session in {receipt.session_id for receipt in receipts}
        }
        explained = list[ExplainedInjection]()
        for receipt in receipts:
            ids = [
                *(shown.entry_id for shown in receipt.shown),
                *(missed.entry_id for missed in receipt.missed),
            ]
            known.update(
                (entry_id, self.repository.by_id(entry_id))
                for entry_id in ids
                if entry_id not in known
            )
            entries = {entry_id: entry for entry_id in ids if (entry := known[entry_id])}
            counts, label = (
                self.influences.counts(ids),
                self.registry.label_of(receipt.project) or receipt.project,
            )
            explained.append(
                ExplainedInjection(
                    receipt=receipt,
                    entries=entries,
                    used=used[receipt.session_id],
                    influence_counts=counts,
                    label=label,
                    credits=credit_of_all,
                )
            )
        return explained

    def _used_in(self, session_id: str) -> dict[str, Influence]:
        found = self.influences.newest(session_id=session_id, limit=MAX_USED) if session_id else ()
        return {signal.entry_id: signal for signal in found}
