"""
Observe what came of lessons that were shown in a session.

Made of tuples and free of `attrs`, for the hook.
"""

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hardwon.ports.activity import Receipts

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.domain.model.conversation.actions import TimedAction
    from hardwon.domain.model.injection.receipt import ContextWindow, Outcome, Receipt

MAX_OBSERVED = 200
"""The last injections of a session that are observed."""

ReadActions: TypeAlias = "Callable[[str, dt.datetime], Iterable[TimedAction]]"
"""Reads the actions of an agent, named as in receipts, since a time."""


class ObserveOutcomes(NamedTuple):
    """
    Record the outcomes of a session's moments, by the transcripts of its agents.

    Where the host writes none, each action is noted when it ends.
    """

    receipts: Receipts

    def note(self, window: "ContextWindow", ended: "TimedAction") -> None:
        """
        Record the outcomes by an action that just *ended*.

        Raises:
            StorageError: the store can't be read or written now.
        """
        from hardwon.domain.model.injection.outcome import outcome_after  # noqa: PLC0415  # compiles patterns

        for receipt in self._watched(window.session_id):
            if receipt.agent == window.agent:
                self._record(receipt, outcome_after(receipt, ended))

    def observe(self, session_id: str, read: ReadActions) -> None:
        """
        Record the outcomes that the transcripts show now.

        The same transcript yields the same outcomes, however often and by which door it is read. One
        that was cut takes nothing back.

        Args:
            session_id: The session that the lessons were shown in.
            read: Called once for each agent with a moment without an outcome.

        Raises:
            StorageError: the store can't be read or written now; a repeated call observes the rest.
        """
        watched = sorted(self._watched(session_id), key=attrgetter("agent"))
        if not watched:
            return
        from hardwon.domain.model.injection.outcome import further, observed  # noqa: PLC0415  # compiles patterns

        for agent, receipts in groupby(watched, attrgetter("agent")):
            of_agent = [*receipts]
            actions = [*read(agent, min(receipt.at for receipt in of_agent))]
            for receipt in of_agent:
                self._record(receipt, further(receipt.outcome, observed(receipt, actions)))

    def _watched(self, session_id: str) -> "list[Receipt]":
        newest = self.receipts.newest(session_id=session_id, limit=MAX_OBSERVED)
        return [receipt for receipt in newest if receipt.is_open]

    def _record(self, receipt: "Receipt", outcome: "Outcome") -> None:
        if outcome != receipt.outcome:
            self.receipts.observe(receipt.number, outcome)
