"""The state of everything that may be shown: equal states mean equal answers."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

import attrs
import pytest

from hardwon.adapters.sqlite.activity import SqliteActivity
from hardwon.domain.model.injection.receipt import Influence, Receipt, ReceiptEntry
from hardwon.domain.model.project import Identity
from hardwon.ports.activity import Activity
from hardwon.ports.entries import Proposal
from hardwon.ports.store import Store
from tests.contracts.worlds import World, open_new_store, world_of
from tests.strategies import NOW, QUERY_VECTOR, lesson

FIRST, SECOND = lesson("Retry at once."), lesson("Retry after a pause.")
EXPIRING = attrs.evolve(lesson("Until Friday."), tier="temporary")
RECEIPT = Receipt(
    "s",
    "failure",
    NOW,
    "here",
    None,
    None,
    "hybrid",
    "d",
    ("", ""),
    shown=(ReceiptEntry(FIRST.entry_id, "lesson", "d"),),
)


class _Opened(NamedTuple):
    world: World
    activity: Activity

    @property
    def state(self) -> str | None:
        return self.activity.metadata.state_at(NOW)


@contextmanager
def _sqlite() -> Iterator[_Opened]:
    with TemporaryDirectory() as folder, closing(open_new_store(folder)) as database:
        yield _Opened(world_of(database), SqliteActivity(database))


@contextmanager
def _postgres() -> Iterator[_Opened]:
    from hardwon.adapters.postgres.database import PostgresDatabase
    from hardwon.adapters.postgres.store import PostgresStore
    from tests.postgres_server import member
    from tests.postgres_server import world_of as world_on

    with member() as address, closing(PostgresDatabase(address)) as database:
        store: Store = PostgresStore(database)
        yield _Opened(world_on(database), store)


Open: TypeAlias = Callable[[], AbstractContextManager[_Opened]]
on_every_engine = pytest.mark.parametrize(
    "make",
    [
        pytest.param(_sqlite, id="SQLite"),
        pytest.param(_postgres, id="PostgreSQL", marks=pytest.mark.postgres),
    ],
)

CHANGES: dict[str, Callable[[World], object]] = {
    "an entry": lambda world: world.add(lesson("Name the unit.")),
    "a text": lambda world: world.repository.put(attrs.evolve(FIRST, notes="Twice.")),
    "a deletion": lambda world: world.repository.delete(FIRST.entry_id),
    "a vector": lambda world: world.embed(FIRST, QUERY_VECTOR),
    "a project": lambda world: world.projects.add(Identity("/new", "/new"), "new"),
    "trust": lambda world: world.projects.trust_below("/work", trusted=True),
    "a probable successor": lambda world: world.proposals.propose(
        Proposal(FIRST.entry_id, SECOND.entry_id, 0.9)
    ),
    "a word against a lesson": lambda world: world.receipts.reject(
        FIRST.entry_id, "s", rejected=True
    ),
}


@on_every_engine
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_anything_that_may_be_shown_changes_the_state(
    make: Open, change: Callable[[World], object]
) -> None:
    with make() as opened:
        opened.world.add(FIRST, SECOND)
        before = opened.state
        change(opened.world)

        assert opened.state
        assert opened.state != before


@on_every_engine
def test_records_of_activity_do_not(make: Open) -> None:
    with make() as opened:
        [number, _] = opened.world.add(FIRST, SECOND)
        before = opened.state
        with opened.activity.counting():
            opened.activity.usage.record_recall([number], NOW)
            opened.activity.receipts.record(RECEIPT)
        opened.world.usage.record_access([number], NOW)
        opened.world.influences.record(Influence(FIRST.entry_id, "s", "answer", "at once", NOW))

        assert opened.state == before


@on_every_engine
def test_an_expired_entry_leaves_none_until_it_is_retired(make: Open) -> None:
    with make() as opened:
        opened.world.add(EXPIRING)
        [expiry] = [EXPIRING.expires_at]
        assert expiry
        before = opened.activity.metadata.state_at(expiry - dt.timedelta(seconds=1))
        assert before
        assert opened.activity.metadata.state_at(expiry) is None

        opened.world.repository.retire_expired(expiry)
        assert opened.activity.metadata.state_at(expiry) not in {None, before}


@on_every_engine
def test_two_stores_have_two_states(make: Open) -> None:
    with make() as one, make() as another:
        one.world.add(FIRST)
        another.world.add(SECOND)

        assert one.state != another.state
