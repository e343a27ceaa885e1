"""The lift is measured by the receipts of a trial with a known outcome."""

from hardwon.domain.model.injection.receipt import Arm, Event, Outcome, Receipt
from hardwon.domain.model.lift import Showing
from hardwon.domain.use_cases.measure_lift import MeasuredLift, MeasureLift
from tests.fakes.activity import InMemoryReceipts
from tests.strategies import NOW


def receipt(arm: Arm, outcome: Outcome, event: Event = "failure", session: str = "one") -> Receipt:
    return Receipt(
        session_id=session,
        event=event,
        at=NOW,
        project="here",
        query="pytest",
        space=None,
        policy="adaptive",
        digest="d",
        frame=("", ""),
        delivery="missed" if arm == "withheld" else "delivered",
        arm=arm,
        outcome=outcome,
    )


def measured(*kept: Receipt) -> MeasuredLift:
    receipts = InMemoryReceipts()
    for item in kept:
        receipts.record(item)
    return MeasureLift(receipts).measured()


def showing(
    *, withheld: bool, failed: bool, passed: bool, tries: int, event: Event = "failure"
) -> Showing:
    return Showing(
        session_id="one",
        event=event,
        is_withheld=withheld,
        failed=failed,
        passed=passed,
        tries=tries,
    )


def test_repeats_and_failed_tests_are_failures_and_passes_are_passes() -> None:
    found = measured(
        receipt("shown", Outcome(1, passed=True)),
        receipt("withheld", Outcome(3, repeats=2, passed=True)),
        receipt("withheld", Outcome(1, passed=False), "edit"),
        receipt("shown", Outcome(2)),
        receipt("shown", Outcome(0, repeats=1)),
    )

    assert [*found.lift.showings] == [
        showing(withheld=False, failed=True, passed=False, tries=0),
        showing(withheld=False, failed=False, passed=False, tries=2),
        showing(withheld=True, failed=True, passed=False, tries=1, event="edit"),
        showing(withheld=True, failed=True, passed=True, tries=3),
        showing(withheld=False, failed=False, passed=True, tries=1),
    ]
    assert (found.shown, found.withheld) == (3, 2)


def test_an_unknown_outcome_is_counted_and_not_compared() -> None:
    found = measured(
        receipt("shown", Outcome()),
        receipt("withheld", Outcome()),
        receipt("withheld", Outcome(is_edited=True), "file"),
    )

    assert (found.lift.showings, found.shown, found.withheld) == ([], 1, 2)


def test_receipts_without_a_trial_claim_nothing() -> None:
    """So do those of earlier versions, which know no trial."""
    found = measured(receipt("", Outcome(1, passed=True)), receipt("", Outcome(3, 2)))

    assert (found.lift.showings, found.shown, found.withheld) == ([], 0, 0)


def test_an_injection_counts_as_it_was_drawn_also_if_the_host_did_not_wait() -> None:
    late = receipt("shown", Outcome(2, 1))._replace(delivery="missed")

    assert len(measured(late).lift.showings) == 1
