"""The port of deliveries: an injection counts once, when it is settled as one that counts."""

import datetime as dt
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import (
    COUNTED,
    Delivery,
    Receipt,
    ReceiptEntry,
    UndeliveredInjection,
)
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.strategies import NOW, few_examples, lesson, receipts

DAY = dt.timedelta(days=1)
FIRST, SECOND = lesson("Name the unit."), lesson("Close the file.")
SHOWN = tuple(ReceiptEntry(entry.entry_id, "lesson", "d") for entry in (FIRST, SECOND))
AWAITED = Receipt(
    "s", "start", NOW, "here", None, None, "hybrid", "d", ("a", "b", "c"), SHOWN, delivery="awaited"
)


def recalls(world: World) -> list[tuple[int, dt.datetime | None]]:
    found = (world.repository.by_id(entry.entry_id) for entry in (FIRST, SECOND))
    return [(entry.recall_count, entry.last_recalled_at) for entry in found if entry]


@on_every_implementation
@given(
    printed=st.lists(receipts, max_size=5),
    settled=st.lists(st.tuples(st.integers(0, 6), st.sampled_from(get_args(Delivery))), max_size=8),
)
@few_examples
def test_injections_stay_undelivered_until_they_count(
    make: MakeWorld, printed: list[Receipt], settled: list[tuple[int, Delivery]]
) -> None:
    with make() as world:
        for receipt in printed:
            world.receipts.record(receipt)
        expected = {number: receipt.delivery for number, receipt in enumerate(printed, 1)}
        withheld = {number for number, receipt in enumerate(printed, 1) if is_withheld(receipt)}
        for number, delivery in settled:
            is_open = expected.get(number, "printed") not in COUNTED and number not in withheld
            assert world.deliveries.settle(number, delivery) is is_open
            if is_open:
                expected[number] = delivery
        found = {receipt.number: receipt for receipt in world.receipts.newest(limit=ALL)}
        undelivered = {
            receipt.session_id: world.deliveries.undelivered(receipt.session_id)
            for receipt in printed
        }

    assert {number: receipt.delivery for number, receipt in found.items()} == expected
    for session_id, items in undelivered.items():
        assert items == [
            UndeliveredInjection(
                number=number,
                delivery=receipt.delivery,
                at=receipt.at,
                digest=receipt.digest,
                frame=receipt.frame,
                agent=receipt.agent,
            )
            for number, receipt in sorted(found.items())
            if receipt.session_id == session_id
            and receipt.delivery not in COUNTED
            and not is_withheld(receipt)
        ]


def is_withheld(receipt: Receipt) -> bool:
    return receipt.arm == "withheld"


@on_every_implementation
@given(delivery=st.sampled_from(get_args(Delivery)))
def test_every_entry_of_an_injection_is_recalled_once_and_only_if_it_counts(
    make: MakeWorld, delivery: Delivery
) -> None:
    with make() as world:
        world.add(FIRST, SECOND)
        world.receipts.record(AWAITED)
        world.deliveries.settle(1, delivery)
        counted = recalls(world)
        is_again = world.deliveries.settle(1, "delivered")

        assert counted == [(1, NOW) if delivery in COUNTED else (0, None)] * 2
        assert is_again is (delivery not in COUNTED)
        assert recalls(world) == [(1, NOW)] * 2


@on_every_implementation
def test_a_late_delivery_keeps_the_time_of_a_later_recall_and_leaves_out_deleted_entries(
    make: MakeWorld,
) -> None:
    with make() as world:
        [number, _] = world.add(FIRST, SECOND)
        world.receipts.record(AWAITED)
        world.usage.record_recall([number], NOW + DAY)
        world.repository.delete(SECOND.entry_id)
        world.deliveries.settle(1, "delivered")

        assert recalls(world) == [(2, NOW + DAY)]


@on_every_implementation
def test_an_injection_that_a_trial_withheld_is_never_delivered(make: MakeWorld) -> None:
    """The same text may be given later in the session, after the trial ended."""
    with make() as world:
        world.add(FIRST, SECOND)
        world.receipts.record(AWAITED._replace(delivery="missed", arm="withheld"))

        assert world.deliveries.undelivered("s") == []
        assert not world.deliveries.settle(1, "delivered")
        assert recalls(world) == [(0, None)] * 2
