"""The context window of a session that starts, goes on, or was copied from another one."""

import datetime as dt
from collections.abc import Sequence

import pytest

from hardwon.domain.model.injection.receipt import (
    NOTHING,
    Beginning,
    ContextWindow,
    Delivery,
    GivenText,
    HeldMemory,
    Receipt,
    ReceiptEntry,
    text_digest,
)
from hardwon.domain.use_cases.open_window import OpenWindow
from tests.fakes.activity import InMemoryContextWindows, InMemoryDeliveries, InMemoryReceipts
from tests.fakes.state import State
from tests.strategies import NOW

SECOND = dt.timedelta(seconds=1)
OWN, COPY = ContextWindow("one"), ContextWindow("two")


def block(text: str, *entries: str, delivery: Delivery = "awaited", latest: int = 5) -> Receipt:
    shown = tuple(ReceiptEntry(entry, "lesson", "d") for entry in entries)
    digest, frame = text_digest(text), (text,)
    return Receipt(
        "one",
        "start",
        NOW,
        "here",
        None,
        None,
        "hybrid",
        digest,
        frame,
        shown,
        (),
        None,
        delivery,
        "",
        latest,
    )


def given(*texts: str, at: dt.datetime = NOW + SECOND) -> list[GivenText]:
    return [GivenText(text, at) for text in texts]


class Session:
    def __init__(self, *printed: Receipt) -> None:
        self.receipts = InMemoryReceipts()
        self.windows = InMemoryContextWindows(self.receipts)
        for receipt in printed:
            self.receipts.record(receipt)

    def held(
        self,
        beginning: Beginning,
        texts: Sequence[GivenText] | None = None,
        window: ContextWindow = OWN,
    ) -> HeldMemory:
        opened = OpenWindow(self.windows, self.receipts, InMemoryDeliveries(self.receipts, State()))
        return opened.held(window, beginning, "here", lambda _: texts)


@pytest.mark.parametrize(
    ("texts", "held"),
    [
        (given("<m>a</m>"), HeldMemory(frozenset({"a"}), 5)),
        (given("<m>b</m>"), NOTHING),
        ([], NOTHING),
        (None, HeldMemory(frozenset({"a"}), 5)),  # the host does not tell: printing counts
    ],
)
def test_a_session_that_goes_on_holds_the_block_that_was_delivered(
    texts: Sequence[GivenText] | None, held: HeldMemory
) -> None:
    assert Session(block("<m>a</m>", "a")).held("continued", texts) == held


def test_a_window_without_a_block_counts_as_empty() -> None:
    beside = block("<m>a</m>", "a", delivery="delivered")._replace(event="prompt")

    assert Session(beside).held("continued", None) == NOTHING


@pytest.mark.parametrize("beginning", ["new", "emptied"])
def test_a_session_that_begins_or_was_emptied_holds_nothing(beginning: Beginning) -> None:
    session = Session(block("<m>a</m>", "a", delivery="delivered"))

    assert session.held(beginning) == NOTHING
    assert session.windows.held(OWN).has_block is (beginning == "new")


def test_a_copied_session_holds_what_its_history_carries_of_the_original() -> None:
    session = Session(
        block("<m>a</m>", "a", delivery="delivered", latest=3),
        block("<m>b</m>", "b", delivery="delivered", latest=4),
        block("<m>c</m>", "c", delivery="delivered", latest=9),
    )
    texts = given("<m>a</m>", "Hook said: <m>b</m>\n")

    assert session.held("continued", texts, COPY) == HeldMemory(frozenset({"a", "b"}), 4)
    assert session.held("continued", [], COPY) == HeldMemory(frozenset({"a", "b"}), 4)
    assert len(session.receipts.newest(session_id="two", limit=10)) == 2


def test_a_copy_of_an_earlier_history_holds_nothing_that_was_printed_later() -> None:
    session = Session(block("<m>a</m>", "a", delivery="delivered"))

    assert session.held("continued", given("<m>a</m>", at=NOW - SECOND), COPY) == NOTHING


def test_without_a_session_nothing_is_known() -> None:
    assert (
        Session(block("<m>a</m>", "a")._replace(session_id="")).held(
            "continued", None, ContextWindow("")
        )
        == NOTHING
    )
