"""
Open an agent's context window at a session start.

It confirms which injections reached the model, and determines those it still holds. Only
injections that reached the model count as recalls. Made of tuples and free of `attrs`, for the
hook.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from hardwon.domain.model.injection.receipt import NOTHING, Beginning, ContextWindow, HeldMemory
from hardwon.ports.activity import ContextWindows, Deliveries, Receipts

if TYPE_CHECKING:
    from hardwon.domain.model.injection.receipt import (
        Delivery,
        GivenText,
        Receipt,
        UndeliveredInjection,
    )
    from hardwon.ports.store import Store


ReadGiven: TypeAlias = "Callable[[str], Sequence[GivenText] | None]"
"""
Reads the texts that an agent of a session got, named as in receipts.

None where the host does not keep them.
"""


class ConfirmDelivery(NamedTuple):
    """Count the injections that arrived, once, by the transcripts of their agents."""

    deliveries: Deliveries

    def confirm(self, session_id: str, read: ReadGiven) -> None:
        """
        Settle the injections of the session at the end of a turn.

        Args:
            session_id: The session that they were printed for.
            read: Called once for each agent with undelivered injections.
        """
        undelivered = self.deliveries.undelivered(session_id)
        agents = dict.fromkeys(injection.agent for injection in undelivered)
        given = {agent: read(agent) for agent in agents}
        for injection in undelivered:
            delivery = _delivery(injection, given[injection.agent])
            if delivery != injection.delivery:
                self.deliveries.settle(injection.number, delivery)


def _delivery(injection: "UndeliveredInjection", given: "Sequence[GivenText] | None") -> "Delivery":
    if given is None:
        return "printed"
    return "delivered" if any(injection.is_in(text) for text in given) else "missed"


MAX_RECEIPTS = 200
"""Newest receipts that are looked for in a copied history."""


class OpenWindow(NamedTuple):
    """Track which injections the host's history of a session holds."""

    windows: ContextWindows
    receipts: Receipts
    deliveries: Deliveries

    @classmethod
    def on(cls, store: "Store") -> Self:
        """Return it on the roles of *store*."""
        return cls(store.windows, store.receipts, store.deliveries)

    def held(
        self,
        window: ContextWindow,
        beginning: Beginning,
        project: str,
        read: ReadGiven,
    ) -> HeldMemory:
        """
        Return the injected memory in *window* as a session begins there.

        It is empty unless there is a block.

        Args:
            window: The window; without a session its contents are unknown.
            beginning: How the session begins.
            project: The id of the user's project.
            read: Called only if the texts matter.
        """
        if beginning == "new" or not window.session_id:
            return NOTHING
        if beginning == "emptied":
            self.windows.empty(window)
            return NOTHING
        ConfirmDelivery(self.deliveries).confirm(window.session_id, read)
        held = self.windows.held(window)
        if not held.has_block and (given := read(window.agent)):
            self._inherit(window, project, given)
            held = self.windows.held(window)
        return held if held.has_block else NOTHING

    def _inherit(self, window: ContextWindow, project: str, given: "Sequence[GivenText]") -> None:
        """Give *window* the receipts of the sessions from which its history was copied."""
        copied = dict[str, "Receipt"]()
        for receipt in self.receipts.newest(project=project, limit=MAX_RECEIPTS):
            if receipt.session_id != window.session_id and _is_in(receipt, given):
                copied.setdefault(receipt.digest, receipt)
        for receipt in reversed(copied.values()):
            self.receipts.record(
                receipt._replace(session_id=window.session_id, delivery="delivered", arm="")
            )


def _is_in(receipt: "Receipt", given: "Sequence[GivenText]") -> bool:
    from hardwon.domain.model.injection.receipt import UndeliveredInjection  # noqa: PLC0415  # for a fork only

    injection = UndeliveredInjection(
        number=receipt.number,
        delivery="awaited",
        at=receipt.at,
        digest=receipt.digest,
        frame=receipt.frame,
    )
    return any(injection.is_in(text) for text in given)
