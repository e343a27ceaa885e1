"""The port of context windows: what was injected into them since they were last emptied."""

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import ContextWindow, HeldMemory, Receipt, ReceiptEntry
from tests.contracts.worlds import MakeWorld, on_every_implementation
from tests.strategies import NOW, few_examples, lesson, receipts, session_ids

WINDOWS = st.builds(ContextWindow, session_ids, st.sampled_from(["", "a10f98c7"]))
BLOCK = Receipt("s", "start", NOW, "here", None, None, "hybrid", "d", ("text",))


def expected(recorded: list[Receipt], window: ContextWindow) -> HeldMemory:
    held = [
        receipt
        for receipt in recorded
        if (receipt.session_id, receipt.agent) == window
        and (receipt.delivery != "missed" or receipt.arm == "withheld")
    ]
    return HeldMemory(
        frozenset(shown.entry_id for receipt in held for shown in receipt.shown),
        max((receipt.latest or 0 for receipt in held if receipt.event == "start"), default=None),
        sum(receipt.event not in {"start", "prompt", "ask"} for receipt in held),
        frozenset(receipt.query or "" for receipt in held if receipt.event == "file"),
    )


@on_every_implementation
@given(
    before=st.lists(receipts, max_size=4),
    after=st.lists(receipts, max_size=4),
    emptied=WINDOWS,
    other=WINDOWS,
)
@few_examples
def test_a_window_holds_what_its_agent_was_given_since_it_was_emptied(
    make: MakeWorld,
    before: list[Receipt],
    after: list[Receipt],
    emptied: ContextWindow,
    other: ContextWindow,
) -> None:
    with make() as world:
        for receipt in before:
            world.receipts.record(receipt)
        held = world.windows.held(emptied)
        world.windows.empty(emptied)
        for receipt in after:
            world.receipts.record(receipt)

        assert held == expected(before, emptied)
        assert world.windows.held(emptied) == expected(after, emptied)
        if other != emptied:
            assert world.windows.held(other) == expected([*before, *after], other)


@on_every_implementation
def test_an_entry_stored_after_the_last_block_is_new(make: MakeWorld) -> None:
    with make() as world:
        [old] = world.add(lesson("Name the unit."))
        world.receipts.record(BLOCK)
        [new] = world.add(lesson("Close the file."))
        world.receipts.record(BLOCK._replace(event="prompt"))
        held = world.windows.held(ContextWindow("s"))

    assert (held.is_new("other", old), held.is_new("other", new)) == (False, True)


@on_every_implementation
def test_an_emptied_window_still_counts_what_was_delivered(make: MakeWorld) -> None:
    with make() as world:
        world.receipts.record(BLOCK._replace(delivery="awaited"))
        world.windows.empty(ContextWindow("s"))

        assert world.deliveries.settle(1, "delivered")
        assert world.windows.held(ContextWindow("s")) == HeldMemory()


@on_every_implementation
def test_a_window_holds_what_a_trial_withheld_from_it(make: MakeWorld) -> None:
    """So it is not shown later, and takes its place among the moments."""
    missed = BLOCK._replace(
        event="file", query="a.py", shown=(ReceiptEntry("e", "memory", "d"),), delivery="missed"
    )
    with make() as world:
        world.receipts.record(missed)
        assert world.windows.held(ContextWindow("s")) == HeldMemory()

        world.receipts.record(missed._replace(arm="withheld"))
        held = world.windows.held(ContextWindow("s"))
        assert held == HeldMemory(frozenset("e"), moments=1, files=frozenset({"a.py"}))
        assert world.receipts.shown_in("s") == frozenset()
