"""Printed injections count when the transcript has them, once."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import (
    Delivery,
    GivenText,
    Receipt,
    ReceiptEntry,
    text_digest,
)
from hardwon.domain.use_cases.open_window import ConfirmDelivery
from tests.fakes.activity import InMemoryDeliveries, InMemoryReceipts
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.state import State
from tests.strategies import NOW, lesson

ENTRY = lesson("Name the unit.")


class Store:
    """A store with one entry, in memory."""

    def __init__(self, *deliveries: Delivery) -> None:
        state = State()
        self.repository = InMemoryEntryRepository(state)
        self.repository.put(ENTRY)
        self.receipts = InMemoryReceipts()
        self.confirm = ConfirmDelivery(InMemoryDeliveries(self.receipts, state)).confirm
        for number, delivery in enumerate(deliveries):
            self.receipts.record(receipt(text(number), delivery))

    @property
    def deliveries(self) -> list[Delivery]:
        return [found.delivery for found in reversed(self.receipts.newest(limit=100))]

    @property
    def recalls(self) -> int:
        entry = self.repository.by_id(ENTRY.entry_id)
        return entry.recall_count if entry else 0


def text(number: int) -> str:
    return f"<m {number}>\n{ENTRY.description}\n</m>\n"


def receipt(printed: str, delivery: Delivery) -> Receipt:
    before, after = printed.split(ENTRY.description)
    shown = (ReceiptEntry(ENTRY.entry_id, "lesson", "d"),)
    digest = text_digest(printed)
    return Receipt(
        "s",
        "start",
        NOW,
        "here",
        None,
        None,
        "hybrid",
        digest,
        (before, after),
        shown,
        delivery=delivery,
    )


@given(turns=st.lists(st.sets(st.integers(0, 3)), max_size=4))
def test_an_injection_counts_in_the_first_turn_that_has_it_and_never_again(
    turns: list[set[int]],
) -> None:
    store, given_texts = Store("awaited", "awaited", "awaited", "awaited"), list[GivenText]()
    for turn in turns:
        given_texts.extend(GivenText(text(number).strip(), NOW) for number in sorted(turn))
        store.confirm("s", lambda _: given_texts)
        arrived = {
            number for number in range(4) if GivenText(text(number).strip(), NOW) in given_texts
        }

        assert store.deliveries == [
            "delivered" if number in arrived else "missed" for number in range(4)
        ]
        assert store.recalls == len(arrived)


@pytest.mark.parametrize("read", [None, []])
def test_a_host_without_transcripts_has_everything_counted_and_one_with_them_nothing_that_is_not_there(
    read: Sequence[GivenText] | None,
) -> None:
    store = Store("awaited", "delivered", "printed", "missed")
    store.confirm("s", lambda _: read)
    after: Delivery = "missed" if read is not None else "printed"

    assert store.deliveries == [after, "delivered", "printed", after]
    assert store.recalls == (0 if read is not None else 2)


def test_with_nothing_undelivered_the_transcript_is_not_read() -> None:
    store = Store("delivered", "printed")
    store.confirm("s", lambda _: pytest.fail("read"))
    Store("awaited").confirm("another session", lambda _: pytest.fail("read"))
