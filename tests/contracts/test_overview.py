"""The port of overviews, and the filters by time and use that lists and pictures are narrowed with."""

import datetime as dt
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.model.injection.receipt import (
    Delivery,
    Influence,
    Outcome,
    Receipt,
    ReceiptEntry,
)
from hardwon.ports.overview import CreatedCount, EntryLabel
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.strategies import DAY, NOW, all_entries, few_examples, filters, lesson, of_file, within

pytestmark = on_every_implementation

ONE, TWO, FILE = (
    lesson("One.", name="First"),
    lesson("Two.", name="Second", age=8 * DAY),
    of_file("Three."),
)
MONDAY, THE_MONDAY_BEFORE = dt.date(2026, 2, 23), dt.date(2026, 2, 16)

stores = st.lists(all_entries, max_size=8, unique_by=lambda entry: entry.entry_id)


def show(
    world: World, *entries: Entry, at: dt.datetime = NOW, delivery: Delivery = "printed"
) -> None:
    shown = tuple(ReceiptEntry(entry.entry_id, "lesson", "") for entry in entries)
    frame = ("",) * (len(shown) + 1)
    world.receipts.record(
        Receipt(
            "s",
            "start",
            at,
            "here",
            None,
            None,
            "hybrid",
            "",
            frame,
            shown=shown,
            delivery=delivery,
        )
    )


@given(stored=stores, only=filters)
@few_examples
def test_labels_are_those_of_the_entries_of_a_filter_by_number(
    make: MakeWorld, stored: list[Entry], only: object
) -> None:
    with make() as world:
        world.add(*stored)
        numbers = world.numbers()

        found = world.overview.labels(only)  # type: ignore[arg-type]

        expected = {
            EntryLabel(
                numbers[entry.entry_id],
                entry.entry_id,
                entry.name,
                entry.kind,
                entry.category,
                entry.project,
            )
            for entry in within(only, stored)  # type: ignore[arg-type]
        }
        assert (set(found), [label.number for label in found]) == (
            expected,
            sorted(label.number for label in found),
        )


@given(stored=stores)
@few_examples
def test_every_entry_is_counted_in_the_week_it_was_made(
    make: MakeWorld, stored: list[Entry]
) -> None:
    with make() as world:
        world.add(*stored)

        created = world.overview.created(EVERYTHING)

        assert sum(group.entries for group in created) == len(stored)
        assert all(group.week.weekday() == 0 for group in created)
        assert [group[:2] for group in created] == sorted(group[:2] for group in created)


def test_weeks_begin_on_monday_in_utc(make: MakeWorld) -> None:
    sunday, monday = (
        lesson(text, age=NOW - at)
        for text, at in (
            ("Sunday.", dt.datetime(2026, 2, 22, 23, 59, 59, tzinfo=dt.UTC)),
            ("Monday.", dt.datetime(2026, 2, 23, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
        )
    )
    with make() as world:
        world.add(sunday, monday)

        assert world.overview.created(LEARNINGS) == [
            CreatedCount(THE_MONDAY_BEFORE, "learning", None, 1),
            CreatedCount(MONDAY, "learning", None, 1),
        ]


def test_injections_that_reached_the_model_are_counted_by_week_and_entry(make: MakeWorld) -> None:
    with make() as world:
        world.add(ONE, TWO)
        show(world, ONE, TWO)
        show(world, ONE, at=NOW - 7 * DAY, delivery="delivered")
        show(world, TWO, delivery="missed")

        assert world.overview.shown() == {THE_MONDAY_BEFORE: 1, MONDAY: 2}
        assert world.overview.shown_of([ONE.entry_id, FILE.entry_id]) == {
            ONE.entry_id: {THE_MONDAY_BEFORE: 1, MONDAY: 1}
        }


def test_entries_that_helped_are_counted_in_the_week_they_were_shown(make: MakeWorld) -> None:
    def failure(
        entry: Entry, outcome: Outcome, session: str = "s", at: dt.datetime = NOW, **fields: Any
    ) -> Receipt:
        shown = ReceiptEntry(entry.entry_id, "lesson", "")
        common: dict[str, Any] = {
            "project": "here",
            "query": "make test",
            "space": None,
            "policy": "",
            "digest": "",
        }
        return Receipt(
            session,
            "failure",
            at,
            frame=("", ""),
            shown=(shown,),
            outcome=outcome,
            **common,
            **fields,
        )

    with make() as world:
        world.add(ONE, TWO)
        for receipt in (
            failure(ONE, Outcome(1, passed=True)),
            failure(TWO, Outcome(2, passed=True), at=NOW - 7 * DAY),
            failure(ONE, Outcome(2, 1, passed=True)),
            failure(ONE, Outcome(), session="used"),
            failure(TWO, Outcome(), session="unseen"),
            failure(TWO, Outcome(1, passed=True), session="rejected"),
            failure(TWO, Outcome(1, passed=True), delivery="missed"),
            failure(FILE, Outcome(1, passed=True)),
        ):
            world.receipts.record(receipt)
        world.influences.record(Influence(ONE.entry_id, "used", "answer", "words", NOW))
        world.receipts.reject(TWO.entry_id, "rejected", rejected=True)

        assert world.overview.helped() == {THE_MONDAY_BEFORE: 1, MONDAY: 2}


def test_uses_are_counted_by_week(make: MakeWorld) -> None:
    with make() as world:
        world.add(ONE, TWO)
        for entry, session, at in ((ONE, "a", NOW), (ONE, "b", NOW), (TWO, "a", NOW - 7 * DAY)):
            world.influences.record(Influence(entry.entry_id, session, "answer", "words", at))

        assert world.overview.used() == {THE_MONDAY_BEFORE: 1, MONDAY: 2}


def test_entries_are_found_by_whether_they_were_shown_used_or_idle(make: MakeWorld) -> None:
    with make() as world:
        one, two, _ = world.add(ONE, TWO, FILE)
        world.usage.record_recall([one], NOW - 2 * DAY)
        world.usage.record_recall([two], NOW)
        world.influences.record(Influence(ONE.entry_id, "s", "answer", "words", NOW))

        def found(**only: object) -> set[str]:
            wanted = EVERYTHING._replace(**only)  # type: ignore[arg-type]
            names = {entry.name for entry in world.repository.matching(wanted, limit=ALL)}
            assert len(names) == world.repository.count(wanted)
            return names

        assert (found(shown=True), found(shown=False)) == ({"First", "Second"}, {"File"})
        assert (found(used=True), found(used=False)) == ({"First"}, {"Second", "File"})
        assert found(idle_since=NOW - DAY / 2) == {"First", "File"}
        assert found(idle_since=NOW - 2 * DAY) == set()
        assert found(idle_since=NOW - 2 * DAY, until=NOW) == set()


@given(stored=stores)
@few_examples
def test_the_entries_of_a_project_are_counted_by_file(make: MakeWorld, stored: list[Entry]) -> None:
    with make() as world:
        world.add(*stored)

        counted = Counter(
            (entry.project, entry.file_path)
            for entry in stored
            if entry.project and entry.file_path
        )
        found = {
            (project, path): entries for project, path, entries in world.overview.entries_by_file()
        }
        assert found == counted
