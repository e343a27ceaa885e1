"""The port of influences: injected entries that were used, counted once per entry and session."""

import datetime as dt
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.model.injection.receipt import (
    LONGEST_SHOWN,
    Form,
    How,
    Influence,
    Receipt,
    ReceiptEntry,
    ShownText,
)
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.fakes.clock import FixedClock
from tests.strategies import DAY, NOW, few_examples, lesson, of_file, phrases, timestamps

pytestmark = on_every_implementation

ENTRIES = (lesson("One.", name="First"), lesson("Two.", name="Second"), of_file("Three."))
UNKNOWN = "0" * 16
SESSIONS = ("one", "two", "café '\"")
HOWS: tuple[How, ...] = ("answer", "edit", "validation")
FORMS: tuple[Form, ...] = ("lesson", "note", "conversation")

ids = st.sampled_from([*(entry.entry_id for entry in ENTRIES), UNKNOWN])
influences = st.builds(
    Influence, ids, st.sampled_from(SESSIONS), st.sampled_from(HOWS), phrases, timestamps
)


def receipt(session_id: str, *shown: tuple[Entry, Form]) -> Receipt:
    return Receipt(
        session_id=session_id,
        event="start",
        at=NOW,
        project="here",
        query=None,
        space=None,
        policy="hybrid",
        digest="",
        frame=("",) * (len(shown) + 1),
        shown=tuple(ReceiptEntry(entry.entry_id, form, "") for entry, form in shown),
    )


def used(
    entry: Entry, session_id: str = "one", at: dt.datetime = NOW, how: How = "answer"
) -> Influence:
    return Influence(entry.entry_id, session_id, how, "words", at)


def shown(world: World, session_id: str = "one", limit: int = ALL) -> list[ShownText]:
    return list(world.influences.shown_texts(session_id, limit))


@given(
    recorded=st.lists(influences, max_size=8),
    session_id=st.none() | st.sampled_from(SESSIONS),
    limit=st.integers(0, 4),
)
@few_examples
def test_an_entry_counts_once_a_session_and_a_judgement_replaces_its_signal(
    make: MakeWorld, recorded: list[Influence], session_id: str | None, limit: int
) -> None:
    first: dict[tuple[str, str], Influence] = {}
    with make() as world:
        world.add(*ENTRIES)
        for influence in recorded:
            key = influence[:2]
            counts_now = influence.entry_id != UNKNOWN and (
                key not in first or influence.how == "validation"
            )
            assert world.influences.record(influence) == counts_now
            if counts_now:
                first[key] = influence
        counts = Counter(entry_id for entry_id, _ in first)

        assert world.influences.counts([entry.entry_id for entry in ENTRIES] + [UNKNOWN]) == counts
        assert world.influences.total() == len(first)
        expected = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
        assert list(world.influences.most_used(limit)) == expected
        found = sorted(
            (
                influence
                for influence in first.values()
                if session_id in {None, influence.session_id}
            ),
            key=lambda e: e[:2],
        )
        found.sort(key=lambda influence: influence.at, reverse=True)
        assert list(world.influences.newest(session_id=session_id, limit=limit)) == found[:limit]


def test_of_one_entry_only_its_own_is_found(make: MakeWorld) -> None:
    with make() as world:
        world.add(*ENTRIES)
        for entry in ENTRIES:
            world.influences.record(used(entry))

        assert list(world.influences.newest(entry_id=ENTRIES[1].entry_id, limit=ALL)) == [
            used(ENTRIES[1])
        ]
        assert list(world.influences.newest(session_id="another", limit=ALL)) == []
        assert world.influences.counts([]) == {}


def test_a_filter_counts_its_entries_only(make: MakeWorld) -> None:
    with make() as world:
        world.add(*ENTRIES)
        for entry in ENTRIES[1:]:
            world.influences.record(used(entry))

        assert (world.influences.total(EVERYTHING), world.influences.total(LEARNINGS)) == (2, 1)
        assert list(world.influences.most_used(ALL, LEARNINGS)) == [(ENTRIES[1].entry_id, 1)]


def test_with_an_entry_goes_what_was_counted_of_it(make: MakeWorld) -> None:
    with make() as world:
        world.add(ENTRIES[0])
        world.influences.record(used(ENTRIES[0]))
        world.repository.delete(ENTRIES[0].entry_id)
        world.add(ENTRIES[0])

        assert (world.influences.total(), list(world.influences.newest(limit=ALL))) == (0, [])


def test_injected_entries_are_reported_once_the_last_first(make: MakeWorld) -> None:
    first, second, _ = ENTRIES
    with make() as world:
        world.add(*ENTRIES)
        world.receipts.record(receipt("one", (first, "lesson"), (second, "lesson")))
        world.receipts.record(receipt("another", (ENTRIES[2], "note")))
        world.receipts.record(receipt("one", (second, "note")))
        world.influences.record(used(first))
        world.influences.record(used(second, "another"))

        texts = [
            ShownText(second.entry_id, "Second", "Two.", ""),
            ShownText(first.entry_id, "First", "One.", "", is_counted=True),
        ]
        assert shown(world) == texts
        assert shown(world, limit=1) == texts[:1]
        assert shown(world, "nobody's") == []


@given(forms=st.lists(st.sampled_from(FORMS), min_size=1, max_size=3))
@few_examples
def test_of_an_entry_shown_as_a_line_only_the_name_is_reported(
    make: MakeWorld, forms: list[Form]
) -> None:
    entry = lesson("word " * LONGEST_SHOWN)
    with make() as world:
        world.add(entry)
        for form in forms:
            world.receipts.record(receipt("one", (entry, form)))
        [text] = shown(world)

    assert len(text.description) == (LONGEST_SHOWN if set(forms) != {"conversation"} else 0)


def test_an_entry_that_is_gone_is_not_among_the_shown_texts(make: MakeWorld) -> None:
    with make() as world:
        world.add(ENTRIES[0])
        world.receipts.record(receipt("one", (ENTRIES[0], "lesson"), (ENTRIES[1], "lesson")))

        assert [text.entry_id for text in shown(world)] == [ENTRIES[0].entry_id]


def test_a_useful_judgement_of_what_was_injected_counts(make: MakeWorld) -> None:
    first, second, _ = ENTRIES
    with make() as world:
        world.add(*ENTRIES)
        world.receipts.record(receipt("one", (first, "lesson"), (second, "lesson")))
        validate = world.validate_entry(FixedClock(NOW + DAY))
        for useful, session_id in ((False, ""), (False, "one"), (True, "another")):
            validate.judge(first.entry_id, useful=useful, session_id=session_id)
        assert world.influences.total() == 0
        for _ in range(2):
            validate.judge(first.entry_id, useful=True, session_id="one")
        world.influences.record(used(second))
        validate.judge(second.entry_id, useful=True, session_id="one")

        judged = Influence(first.entry_id, "one", "validation", "", NOW + DAY)
        confirmed = Influence(second.entry_id, "one", "validation", "", NOW + DAY)
        assert set(world.influences.newest(limit=ALL)) == {judged, confirmed}


def test_a_judgement_without_a_session_is_of_the_last_injection(make: MakeWorld) -> None:
    entry = ENTRIES[0]
    with make() as world:
        world.add(entry)
        for session_id in ("one", "two"):
            world.receipts.record(receipt(session_id, (entry, "lesson")))
        validate = world.validate_entry(FixedClock(NOW + DAY))
        validate.judge(entry.entry_id, useful=False)
        rejected = {
            item.session_id
            for item in world.receipts.newest(limit=ALL)
            if item.shown[0].is_rejected
        }
        validate.judge(entry.entry_id, useful=True)

        [confirmed] = world.influences.newest(limit=ALL)
        assert (rejected, confirmed.session_id, confirmed.how) == ({"two"}, "two", "validation")
        assert not world.receipts.newest(limit=1)[0].shown[0].is_rejected


def test_use_changes_nothing_that_ranking_reads(make: MakeWorld) -> None:
    with make() as world:
        numbers = world.add(*ENTRIES)

        def read() -> object:
            facts = [world.repository.facts(numbers), world.repository.recall_facts(numbers)]
            return facts, world.repository.matching(EVERYTHING, limit=ALL)

        before = read()
        world.influences.record(used(ENTRIES[0]))
        assert read() == before
