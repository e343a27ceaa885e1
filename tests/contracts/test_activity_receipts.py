"""The port of injection receipts: the newest are kept unchanged."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.sqlite.activity import SqliteReceipts
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.receipt import (
    EVENTS,
    UNSEEN,
    Event,
    Influence,
    Outcome,
    OutcomeCount,
    Receipt,
    ReceiptEntry,
)
from hardwon.ports.activity import Receipts
from tests.contracts.worlds import ALL, MakeWorld, on_every_implementation, open_new_store
from tests.fakes.activity import InMemoryReceipts
from tests.strategies import NOW, few_examples, lesson, receipts, session_ids

FEW = 3

PASSED, FAILED = Outcome(1, passed=True), Outcome(1, repeats=1)
RECEIPT = Receipt("s", "start", NOW, "here", None, None, "hybrid", "d", ("text",))


def counted(entry: Entry, event: Event, *, has_helped: bool) -> OutcomeCount:
    return OutcomeCount(entry.entry_id, event, has_helped, is_settled=False, times=1)


class FewReceipts(SqliteReceipts):
    KEPT = FEW


@contextmanager
def _sqlite() -> Iterator[Receipts]:
    with tempfile.TemporaryDirectory() as folder, closing(open_new_store(folder)) as database:
        yield FewReceipts(database)


MakeReceipts: TypeAlias = Callable[[], AbstractContextManager[Receipts]]

KEEPING_FEW: dict[str, MakeReceipts] = {
    "in memory": lambda: contextlib.nullcontext(InMemoryReceipts(kept=FEW)),
    "SQLite": _sqlite,
}


@on_every_implementation
@given(
    recorded=st.lists(receipts, max_size=6),
    meant=st.tuples(
        st.none() | session_ids,
        st.sampled_from([None, "0" * 16]),
        st.sampled_from([None, "here"]),
        st.none() | st.sampled_from(EVENTS),
    ),
    limit=st.integers(0, 7),
)
@few_examples
def test_the_newest_of_those_that_are_meant_come_back_as_they_were(
    make: MakeWorld,
    recorded: list[Receipt],
    meant: tuple[str | None, str | None, str | None, Event | None],
    limit: int,
) -> None:
    session_id, entry_id, project, event = meant
    with make() as world:
        for receipt in recorded:
            world.receipts.record(receipt)
        found = world.receipts.newest(
            session_id=session_id, entry_id=entry_id, project=project, event=event, limit=limit
        )

    numbered = [receipt._replace(number=number) for number, receipt in enumerate(recorded, 1)]
    expected = [
        receipt
        for receipt in reversed(numbered)
        if session_id in {None, receipt.session_id}
        and project in {None, receipt.project}
        and event in {None, receipt.event}
        and (entry_id is None or any(shown.entry_id == entry_id for shown in receipt.shown))
    ]
    assert list(found) == expected[:limit]


@on_every_implementation
@given(
    recorded=st.lists(receipts, max_size=6),
    prefix=st.sampled_from(["", "4e10", "4e10_", "%", "Sitzung é", "4E"]),
)
@few_examples
def test_sessions_go_by_how_their_names_begin_and_know_what_they_were_shown(
    make: MakeWorld, recorded: list[Receipt], prefix: str
) -> None:
    with make() as world:
        for receipt in recorded:
            world.receipts.record(receipt)
        begun = world.receipts.sessions_starting_with(prefix, ALL)
        first = world.receipts.sessions_starting_with(prefix, 1)
        shown_in = {
            receipt.session_id: world.receipts.shown_in(receipt.session_id) for receipt in recorded
        }
        unknown = world.receipts.shown_in("never heard of")

    assert begun == sorted(
        {receipt.session_id for receipt in recorded if receipt.session_id.startswith(prefix)}
    )
    assert first == begun[:1]
    for session_id, ids in shown_in.items():
        own = [receipt for receipt in recorded if receipt.session_id == session_id]
        assert ids == {
            shown.entry_id
            for receipt in own
            if receipt.delivery != "missed"
            for shown in receipt.shown
        }
    assert unknown == frozenset()


@pytest.mark.parametrize("keep", KEEPING_FEW.values(), ids=KEEPING_FEW)
def test_only_the_newest_are_kept_with_all_that_is_in_them(keep: MakeReceipts) -> None:
    with keep() as receipts:
        for number in range(FEW + 2):
            receipts.record(
                RECEIPT._replace(
                    session_id=f"s{number}", shown=(ReceiptEntry(f"e{number}", "lesson", "d"),)
                )
            )

        assert [receipt.session_id for receipt in receipts.newest(limit=ALL)] == ["s4", "s3", "s2"]
        assert receipts.sessions_starting_with("s", ALL) == ["s2", "s3", "s4"]
        assert receipts.shown_in("s1") == frozenset()
        assert receipts.newest(entry_id="e1", limit=ALL) == []


@pytest.mark.parametrize("keep", KEEPING_FEW.values(), ids=KEEPING_FEW)
def test_a_receipt_with_an_outcome_is_kept_ten_times_as_long(keep: MakeReceipts) -> None:
    with keep() as receipts:
        receipts.record(RECEIPT)
        receipts.observe(1, PASSED)
        for _ in range(10 * FEW - 1):
            receipts.record(RECEIPT)
        oldest = receipts.newest(limit=ALL)[-1]
        receipts.record(RECEIPT)

        assert (oldest.number, oldest.outcome) == (1, PASSED)
        assert len(receipts.newest(limit=ALL)) == FEW


@on_every_implementation
def test_an_outcome_counts_for_each_entry_that_was_shown(make: MakeWorld) -> None:
    first, second = lesson("Name the unit."), lesson("Close the file.")
    shown = tuple(ReceiptEntry(entry.entry_id, "memory", "d") for entry in (first, second))
    at_failure = RECEIPT._replace(event="failure", shown=shown)
    with make() as world:
        world.add(first, second)
        for outcome in (PASSED, PASSED, FAILED, Outcome(1), UNSEEN):
            world.receipts.record(at_failure._replace(outcome=outcome))
        world.receipts.record(at_failure._replace(outcome=PASSED, delivery="missed"))
        world.receipts.record(at_failure._replace(event="edit"))
        world.receipts.observe(7, FAILED)
        world.repository.delete(second.entry_id)

        assert set(world.receipts.outcomes()) == {
            counted(first, "failure", has_helped=True)._replace(times=2),
            counted(first, "failure", has_helped=False),
            counted(first, "edit", has_helped=False),
        }
        assert world.receipts.newest(event="edit", limit=1)[0].outcome == FAILED


@on_every_implementation
def test_a_word_of_a_person_goes_before_what_was_observed(make: MakeWorld) -> None:
    entry = lesson("Name the unit.")
    shown = (ReceiptEntry(entry.entry_id, "memory", "d"),)
    with make() as world:
        world.add(entry)
        for session_id in ("one", "two"):
            world.receipts.record(
                RECEIPT._replace(
                    event="failure", session_id=session_id, shown=shown, outcome=PASSED
                )
            )
        helped, rejected = (
            counted(entry, "failure", has_helped=has_helped) for has_helped in (True, False)
        )
        world.receipts.reject(entry.entry_id, "one", rejected=True)
        assert set(world.receipts.outcomes()) == {helped, rejected}
        assert world.receipts.newest(session_id="one", limit=1)[0].shown[0].is_rejected

        world.influences.record(Influence(entry.entry_id, "one", "validation", "", NOW))
        world.receipts.reject(entry.entry_id, "one", rejected=False)
        counts = world.receipts.outcomes()
        assert {count._replace(times=1) for count in counts} == {helped._replace(is_settled=True)}
        assert sum(count.times for count in counts) == 2


@on_every_implementation
def test_a_receipt_outlives_its_entries(make: MakeWorld) -> None:
    entry = lesson("Name the unit.")
    with make() as world:
        world.add(entry)
        world.receipts.record(
            RECEIPT._replace(shown=(ReceiptEntry(entry.entry_id, "lesson", "d"),))
        )
        world.repository.delete(entry.entry_id)

        [found] = world.receipts.newest(entry_id=entry.entry_id, limit=1)
        assert found.shown == (ReceiptEntry(entry.entry_id, "lesson", "d"),)


@on_every_implementation
def test_the_outcome_of_what_a_trial_withheld_is_counted_by_itself(make: MakeWorld) -> None:
    entry = lesson("Name the unit.")
    shown = (ReceiptEntry(entry.entry_id, "memory", "d"),)
    with make() as world:
        world.add(entry)
        receipt = RECEIPT._replace(event="failure", shown=shown, outcome=PASSED)
        world.receipts.record(receipt._replace(arm="shown", delivery="delivered"))
        world.receipts.record(receipt._replace(arm="withheld", delivery="missed"))
        world.receipts.record(receipt._replace(arm="shown", delivery="missed"))
        helped = counted(entry, "failure", has_helped=True)
        assert set(world.receipts.outcomes()) == {helped, helped._replace(is_withheld=True)}

        world.receipts.reject(entry.entry_id, "s", rejected=True)
        assert set(world.receipts.outcomes()) == {
            helped._replace(has_helped=False),
            helped._replace(is_withheld=True),
        }
