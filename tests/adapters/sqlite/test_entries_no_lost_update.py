"""Concurrent edits, ratings and observations of an entry: no update is lost, and the history lists each."""

import contextlib
import datetime as dt
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.activity import FieldChange, PastChange, Usage, Validations
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.entry_change import EntryChange, changes_between
from hardwon.domain.model.vocabulary import TIERS
from hardwon.domain.use_cases.edit_entries import ChangeEntry
from tests.contracts.worlds import ALL, World, open_new_store, world_in_memory, world_of
from tests.fakes.clock import FixedClock
from tests.fakes.projects import store_entry
from tests.strategies import NOW, lesson

LESSONS = [lesson("Retry the socket."), lesson("Lock the cache.")]
ROUNDS = 25

lessons = st.sampled_from(LESSONS)
connections = st.integers(0, 1)
changes = st.builds(
    EntryChange,
    title=st.none() | st.sampled_from(["One", "Two"]),
    trigger_phrases=st.none() | st.sampled_from([(), ("one by one",)]),
    importance_weight=st.none() | st.sampled_from([0.5, 1.0]),
    importance_tier=st.none() | st.sampled_from(TIERS),
)


def change(world: World, clock: FixedClock, entry_id: str, wanted: EntryChange) -> None:
    ChangeEntry(repository=world.repository, history=world.history, clock=clock).apply(
        entry_id, wanted
    )


def judge(world: World, clock: FixedClock, entry_id: str, *, useful: bool) -> None:
    world.validate_entry(clock).judge(entry_id, useful=useful)


class NoUpdateIsLost(RuleBasedStateMachine):
    """
    Two connections to one store, and the fake, against what one person alone would have written
    down.

    Attributes:
        entries: The expected state of each entry.
        past: Its expected history, the first change first.

    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.databases = [open_new_store(self.folder.name), open_store(self.folder.name)]
        self.real = [world_of(database) for database in self.databases]
        self.model = world_in_memory()
        self.clock = FixedClock(NOW)
        self.entries = {entry.entry_id: entry for entry in LESSONS}
        self.past = defaultdict[str, list[tuple[FieldChange, dt.datetime]]](list)
        for world in (self.real[0], self.model):
            world.add(*LESSONS)

    def teardown(self) -> None:
        for database in self.databases:
            database.close()
        self.folder.cleanup()

    def both(self, connection: int) -> tuple[World, World]:
        return self.real[connection], self.model

    @rule(entry=lessons, connection=connections, wanted=changes)
    def change(self, entry: Entry, connection: int, wanted: EntryChange) -> None:
        self.clock.advance(1)
        for world in self.both(connection):
            change(world, self.clock, entry.entry_id, wanted)
        before = self.entries[entry.entry_id]
        after = wanted.applied_to(before)
        if after != before:
            self.entries[entry.entry_id] = attrs.evolve(after, updated_at=self.clock.now())
        self.past[entry.entry_id] += [
            (change, self.clock.now()) for change in changes_between(before, after)
        ]

    @rule(entry=lessons, connection=connections, useful=st.booleans())
    def judge(self, entry: Entry, connection: int, useful: bool) -> None:  # noqa: FBT001  # Hypothesis draws it
        for world in self.both(connection):
            judge(world, self.clock, entry.entry_id, useful=useful)
        before = self.entries[entry.entry_id].usage.validations
        after = Validations(before.total + 1, before.useful + useful)
        self.entries[entry.entry_id] = attrs.evolve(
            self.entries[entry.entry_id], usage=Usage(validations=after)
        )
        old, new = str(before.confidence_score), str(after.confidence_score)
        moved = [FieldChange("confidence_score", old, new)] if old != new else []
        self.past[entry.entry_id] += [(change, self.clock.now()) for change in moved]

    @rule(entry=lessons, connection=connections)
    def learn_once_more(self, entry: Entry, connection: int) -> None:
        for world in self.both(connection):
            store_entry(world.repository).keep(redact_entry(entry))
        self.entries[entry.entry_id] = self.entries[entry.entry_id].observed_again(entry)

    @rule(entry=lessons, connection=connections, wanted=changes)
    def give_up(self, entry: Entry, connection: int, wanted: EntryChange) -> None:
        for world in self.both(connection):
            with contextlib.suppress(LookupError), world.repository.transaction():
                change(world, self.clock, entry.entry_id, wanted)
                judge(world, self.clock, entry.entry_id, useful=False)
                raise LookupError

    @invariant()
    def every_connection_sees_what_was_done(self) -> None:
        for world in (*self.real, self.model):
            for entry_id, expected in self.entries.items():
                entry = world.repository.by_id(entry_id)
                assert entry == expected
                assert entry.number is not None
                recorded = [
                    PastChange(entry.number, *change, at) for change, at in self.past[entry_id]
                ]
                assert world.history.changes_of(entry.number, ALL) == recorded[::-1]


NoUpdateIsLost.TestCase.settings = settings(
    max_examples=max(1, settings().max_examples // 5), stateful_step_count=20
)
TestNoUpdateIsLost = NoUpdateIsLost.TestCase


def at_once(folder: Path, works: Iterable[Callable[[World], None]]) -> None:
    """Do each work on a connection and a thread of its own, all beginning together."""
    works = list(works)
    start, failures = threading.Barrier(len(works)), list[BaseException]()

    def run(work: Callable[[World], None]) -> None:
        try:
            with contextlib.closing(open_store(str(folder))) as database:
                start.wait(10)
                work(world_of(database))
        except BaseException as error:  # noqa: BLE001  # handed on below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []


def writer(name: str, entry: Entry) -> Callable[[World], None]:
    """Return a thread body that changes, rates and observes *entry* many times."""

    def write(world: World) -> None:
        clock = FixedClock(NOW)
        for number in range(ROUNDS):
            tier = TIERS[number % len(TIERS)]
            change(
                world,
                clock,
                entry.entry_id,
                EntryChange(title=f"{name} {number}", importance_tier=tier),
            )
            judge(world, clock, entry.entry_id, useful=number % 2 == 0)
            store_entry(world.repository).keep(redact_entry(entry))

    return write


def test_two_who_write_at_once_overwrite_nothing_of_each_other(tmp_path: Path) -> None:
    entry = LESSONS[0]
    with contextlib.closing(open_new_store(str(tmp_path))) as database:
        [number] = world_of(database).add(entry)
        at_once(tmp_path, [writer("Ada", entry), writer("Bob", entry)])
        stored, past = (
            world_of(database).repository.by_id(entry.entry_id),
            world_of(database).history.changes_of(number, ALL),
        )

    assert stored is not None
    assert stored.observation_count == 1 + 2 * ROUNDS
    assert stored.usage.validations == Validations(2 * ROUNDS, 2 * (ROUNDS // 2 + ROUNDS % 2))
    titles = [change for change in reversed(past) if change.field == "title"]
    assert len(titles) == 2 * ROUNDS
    for field, now in (
        ("title", stored.name),
        ("importance_tier", stored.tier),
        ("confidence_score", str(stored.usage.validations.confidence_score)),
    ):
        chain = [change for change in reversed(past) if change.field == field]
        assert all(earlier.new == later.old for earlier, later in pairwise(chain)), field
        assert chain[-1].new == now
