"""Measure the lift of a trial: what was shown beside what was withheld."""

from collections.abc import Iterator
from typing import NamedTuple

from hardwon.domain.model.injection.receipt import Receipt
from hardwon.domain.model.lift import Lift, Showing
from hardwon.ports.activity import Receipts

ALL = 2**31 - 1


class MeasuredLift(NamedTuple):
    """
    The lift of all trials whose receipts are kept.

    Attributes:
        lift: Of the injections with a known outcome.
        shown: All injections that a trial let pass.
        withheld: All that it withheld.
    """

    lift: Lift
    shown: int
    withheld: int


class MeasureLift(NamedTuple):
    """
    Compare the outcomes of what a trial showed and withheld.

    An injection counts as it was drawn, also if the host did not wait for it: that may depend on the
    work of that moment.
    """

    receipts: Receipts

    def measured(self) -> MeasuredLift:
        """Return the lift by the receipts that are kept."""
        drawn = [receipt for receipt in self.receipts.newest(limit=ALL) if receipt.arm]
        withheld = sum(receipt.arm == "withheld" for receipt in drawn)
        return MeasuredLift(
            Lift([*_showings(drawn)]), shown=len(drawn) - withheld, withheld=withheld
        )


def _showings(receipts: list[Receipt]) -> Iterator[Showing]:
    for receipt in receipts:
        outcome = receipt.outcome
        if outcome.tries or outcome.repeats:
            yield Showing(
                session_id=receipt.session_id,
                event=receipt.event,
                is_withheld=receipt.arm == "withheld",
                failed=outcome.repeats > 0 or outcome.passed is False,
                passed=outcome.passed is True,
                tries=outcome.tries,
            )
