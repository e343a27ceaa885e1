"""
Confirm which printed injections reached the model; only those count as recalls.

Made of tuples and free of `attrs`, for the hook.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hardwon.domain.model.injection.receipt import Delivery, GivenText, Undelivered
    from hardwon.ports.activity import Deliveries


class ConfirmDelivery(NamedTuple):
    """Look for the injections of a session in its transcript, and count each that arrived, once."""

    deliveries: "Deliveries"

    def confirm(self, session_id: str, read: "Callable[[], Sequence[GivenText] | None]") -> None:
        """
        Settle the injections of the session at the end of a turn.

        Args:
            session_id: The session that they were printed for.
            read: Reads the texts that the model got, None where the host keeps none; only called if there are
                undelivered injections.

        Raises:
            StorageError: the store is busy; what was settled stays settled.

        """
        undelivered = self.deliveries.undelivered(session_id)
        given = read() if undelivered else ()
        for injection in undelivered:
            delivery = _delivery(injection, given)
            if delivery != injection.delivery:
                self.deliveries.settle(injection.number, delivery)


def _delivery(injection: "Undelivered", given: "Sequence[GivenText] | None") -> "Delivery":
    if given is None:
        return "printed"
    return "delivered" if any(injection.is_in(text) for text in given) else "missed"
