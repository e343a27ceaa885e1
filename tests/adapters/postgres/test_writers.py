"""Members who write at once."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from itertools import count
from typing import NamedTuple, cast

import attrs
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hardwon.adapters.postgres import session
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.session import MemberSession, Row, Statement
from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.export import ENTRIES_AT_ONCE, ExportedEntry, Record
from hardwon.domain.model.filters import EVERYTHING, Workplace
from hardwon.domain.model.project import Identity, Visibility
from hardwon.domain.use_cases.copy_store import CopyStore
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge
from hardwon.domain.use_cases.index_one_file import replace
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.domain.use_cases.store_entry import Origin, StoredEntry, StoreEntry
from hardwon.domain.use_cases.transfer_store import ImportStore
from hardwon.ports.transfer import StoreContents
from tests.adapters.postgres.every_method import Member, joined
from tests.adapters.postgres.servers import until
from tests.contracts.worlds import IN_TIME
from tests.fakes.clock import FixedClock
from tests.fakes.knowledge_bank import InMemoryKnowledgeBank
from tests.fakes.projects import InMemoryRepositoryHistory, InMemoryVersions, working_in
from tests.fakes.state import InMemoryForgottenTexts
from tests.machine import LONGEST_WAIT
from tests.postgres_server import member, network_to, store, url_of, world_of
from tests.strategies import NOW, lesson, of_file, planted

pytestmark = pytest.mark.postgres

HEADINGS = 12
FAR_SECONDS = 0.015
"""To the server or back."""

AT_ONCE = 0.05
"""Seconds that a member waits for others who should not be in the way."""

NOTICED_SECONDS = 30
MAX_TRIPS = 12
"""Most round trips that store a hundred entries: under a second at 30 ms each."""

LESSON, OTHER = lesson("Retry the deploy."), lesson("The parser waits for the lock.")

Join = Callable[..., Member]

MANY = 20
"""Uses of a statement after which it is prepared, and its plan kept."""


@pytest.fixture
def join(request: pytest.FixtureRequest) -> Iterator[Join]:
    """Return a function that connects another member of the same tenant."""
    with ExitStack() as stack:

        def joined(
            busy_seconds: float = LONGEST_WAIT, longest_wait: float = LONGEST_WAIT
        ) -> Member:
            address = stack.enter_context(member(request.node.name[:50]))
            database = PostgresDatabase(address, busy_seconds, longest_wait)
            stack.enter_context(closing(database))
            return Member(address, database, world_of(database))

        yield joined


def keep(user: Member, entry: Entry) -> StoredEntry:
    here = Workplace("here", visibility=Visibility(own=("here",)))
    return StoreEntry.on(user.store, Origin(here, "mcp")).keep(redact_entry(entry))


def test_a_new_and_a_known_lesson_are_stored_in_two_round_trips() -> None:
    with (
        member() as address,
        network_to(str(conninfo_to_dict(address)["host"])) as network,
        closing(PostgresDatabase(url_of(address, network.port))) as database,
    ):
        user, crossed = Member(address, database, world_of(database)), list[int]()
        for _ in range(3):
            before = network.round_trips
            keep(user, LESSON)
            crossed.append(network.round_trips - before)
        found = user.world.repository.matching(EVERYTHING, limit=9)

    assert crossed == [2, 2, 2]
    assert [entry.observation_count for entry in found] == [3]


def test_the_statements_of_changes_are_parsed_and_planned_once(join: Join) -> None:
    user, prepared = join(), "SELECT count(*), sum(generic_plans) FROM pg_prepared_statements"
    for number in range(MANY):
        keep(user, lesson(f"Lesson {number}."))
    [(kept, plans)] = user.database.rows(prepared)
    for _ in range(MANY):
        user.world.repository.matching(EVERYTHING, limit=1)

    assert kept > 10
    assert plans > kept
    assert [row[0] for row in user.database.rows(prepared)] == [kept]


def test_writers_of_different_lessons_do_not_wait_for_each_other(join: Join) -> None:
    ann, bob = join(), join(AT_ONCE)
    bob.world.add(OTHER, LESSON)
    bob.world.embed_all({bob.number_of(LESSON): planted(0.5)})  # makes the space known
    with ann.world.repository.transaction([LESSON.entry_id]):
        assert ann.world.repository.by_id(LESSON.entry_id)
        ann.world.repository.put(attrs.evolve(LESSON, notes="of ann"))
        keep(bob, OTHER)
        keep(bob, lesson("New meanwhile."))
        bob.world.embed_all({bob.number_of(OTHER): planted(1.0)})
        with pytest.raises(StorageError, match="another program is writing"):
            keep(bob, LESSON)

    keep(bob, LESSON)
    [kept] = [
        e
        for e in ann.world.repository.matching(EVERYTHING, limit=9)
        if e.entry_id == LESSON.entry_id
    ]
    assert (kept.observation_count, kept.notes) == (2, "of ann")


def importing(user: Member, headings: int) -> ImportKnowledge:
    texts = "\n".join(f"### Pattern: {number}\nLesson {number}.\n" for number in range(headings))
    return ImportKnowledge(
        bank=InMemoryKnowledgeBank({"here/patterns.md": texts}),
        repository=user.world.repository,
        projects=user.world.projects,
        ledger=user.world.ledger,
        versions=InMemoryVersions(),
        clock=FixedClock(),
        workplace=working_in("here"),
    )


def test_an_import_of_a_knowledge_bank_is_in_no_other_writers_way(join: Join) -> None:
    ann, bob = join(), join(AT_ONCE)
    stored = list[StoredEntry]()
    outcome = importing(ann, HEADINGS).everything(
        lambda _: stored.append(keep(bob, lesson(f"Of bob {len(stored)}.")))
    )

    assert (outcome.added, len(stored)) == (HEADINGS, HEADINGS)
    assert len(bob.world.repository.matching(EVERYTHING, limit=-1)) == 2 * HEADINGS


def test_ten_members_store_while_one_far_away_imports(join: Join) -> None:
    others = [join(session.LOCK_SECONDS) for _ in range(10)]
    far = conninfo_to_dict(others[0].address)
    with (
        network_to(str(far["host"]), FAR_SECONDS) as network,
        closing(PostgresDatabase(url_of(others[0].address, network.port))) as database,
        ThreadPoolExecutor(1 + len(others)) as threads,
    ):
        ann = Member(others[0].address, database, world_of(database))
        imported = threads.submit(importing(ann, HEADINGS).everything)
        is_done = imported.done

        def store_meanwhile(place: int, user: Member) -> int:
            for number in count(1):
                keep(user, lesson(f"Lesson {number} of member {place}."))
                if is_done():
                    return number
            return 0

        stored = [threads.submit(store_meanwhile, *user) for user in enumerate(others)]
        found = sum(thread.result(LONGEST_WAIT) for thread in stored)
        added = imported.result(LONGEST_WAIT).added

    assert added == HEADINGS
    assert len(others[0].world.repository.matching(EVERYTHING, limit=-1)) == found + added


def exported(number: int) -> ExportedEntry:
    """Return an entry that was recalled, edited and reworded."""
    entry = attrs.evolve(
        lesson(f"Of a copy {number}."), number=number, recall_count=2, last_recalled_at=NOW
    )
    return ExportedEntry(
        entry_id=entry.entry_id,
        entry=entry,
        aliases=(f"{number:064}",),
        history=(PastChange(number, "tier", "normal", "important", NOW),),
    )


class Copied(NamedTuple):
    """Records of another store."""

    entries: Sequence[ExportedEntry]

    def snapshot(self) -> AbstractContextManager[None]:
        return nullcontext()

    def records(self) -> Iterator[Record]:
        yield from self.entries


def copy(user: Member, entries: Sequence[ExportedEntry]) -> None:
    repository, projects = user.world.repository, user.world.projects
    source = cast("StoreContents", Copied(entries))
    forgotten = InMemoryForgottenTexts()
    CopyStore(source, forgotten, user.contents, repository, projects).copy()


def import_export(user: Member, entries: Sequence[ExportedEntry]) -> None:
    know = KnowProjects(user.world.projects, InMemoryRepositoryHistory(), exists=bool)
    importing = ImportStore(
        repository=user.world.repository,
        contents=user.contents,
        know=know,
        identify=lambda root: Identity(root, root),
        clock=FixedClock(),
    )
    importing.merge(enumerate(entries), IN_TIME)


def index_sections(user: Member, entries: Sequence[ExportedEntry]) -> None:
    parts = [
        of_file(given.entry.description, kind="document", anchor_id=f"s{place}" if place else "")
        for place, given in enumerate(entries)
    ]
    repository = user.world.repository
    with repository.transaction():
        replace(repository, repository.of_file(parts[0].file_path or ""), parts)


@pytest.mark.parametrize("forgotten", [(), ("A text that was forgotten.",)])
@pytest.mark.parametrize("bring_in", [copy, import_export, index_sections])
def test_a_hundred_entries_are_brought_in_by_few_round_trips(
    bring_in: Callable[[Member, Sequence[ExportedEntry]], None], forgotten: Sequence[str]
) -> None:
    entries = [exported(number) for number in range(1, 1 + ENTRIES_AT_ONCE)]
    with (
        member() as address,
        network_to(str(conninfo_to_dict(address)["host"])) as network,
        closing(PostgresDatabase(url_of(address, network.port))) as database,
    ):
        user = Member(address, database, world_of(database))
        user.world.repository.forgotten.add("of", forgotten, NOW)
        before = network.round_trips
        bring_in(user, entries)
        crossed = network.round_trips - before
        found = user.world.repository.matching(EVERYTHING, limit=-1)

    assert crossed <= MAX_TRIPS
    assert {entry.description for entry in found} == {given.entry.description for given in entries}


def test_an_earlier_text_and_the_present_one_are_counted_one_after_the_other(join: Join) -> None:
    ann, bob = join(), join(AT_ONCE)
    now = lesson("Retry the deploy with a backoff.")
    ann.world.add(LESSON)
    ann.world.repository.reword(LESSON.entry_id, now)
    with ann.world.repository.transaction([now.entry_id]):
        assert ann.world.repository.by_id(now.entry_id)
        with pytest.raises(StorageError, match="another program is writing"):
            keep(bob, LESSON)


def test_a_change_of_many_entries_waits_for_the_writer_of_one(join: Join) -> None:
    ann, bob = join(), join(AT_ONCE)
    for of in ([LESSON.entry_id], (), None):
        with ann.world.repository.transaction(of):
            assert ann.world.repository.by_id(LESSON.entry_id) is None
            with (
                pytest.raises(StorageError, match="another program is writing"),
                bob.world.repository.transaction(),
            ):
                bob.world.repository.count(EVERYTHING)


@pytest.mark.parametrize("of", [None, [LESSON.entry_id]], ids=["of all", "of a lesson"])
def test_a_member_who_sleeps_within_a_write_is_thrown_out(
    join: Join, monkeypatch: pytest.MonkeyPatch, of: list[str] | None
) -> None:
    ann, bob = join(), join()
    monkeypatch.setattr(session, "ASLEEP_SECONDS", 0.2)
    with (  # noqa: PT012  # at its end
        pytest.raises(StorageError, match="nothing was stored"),
        ann.world.repository.transaction(of),
    ):
        ann.world.repository.put(LESSON)
        ann.world.repository.count(EVERYTHING)
        bob.world.repository.put(attrs.evolve(LESSON, notes="of bob"))

    [kept] = ann.world.repository.matching(EVERYTHING, limit=9)
    assert kept.notes == "of bob"


STOPS_WITHIN_A_WRITE = """
import os, signal, sys
from hardwon.adapters.postgres import session
from hardwon.adapters.postgres.database import PostgresDatabase
from tests.postgres_server import world_of
from tests.strategies import lesson
session.ASLEEP_SECONDS = 0.5
repository = world_of(PostgresDatabase(sys.argv[1])).repository
with repository.transaction():
    repository.put(lesson("Written on a laptop."))
    repository.by_id("")
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_others_write_while_a_stopped_process_is_within_a_write(join: Join) -> None:
    bob = join()
    laptop = subprocess.Popen(
        [sys.executable, "-c", STOPS_WITHIN_A_WRITE, bob.address],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert os.WIFSTOPPED(os.waitpid(laptop.pid, os.WUNTRACED)[1])
        keep(bob, LESSON)
        laptop.send_signal(signal.SIGCONT)
        assert "nothing was stored" in laptop.communicate(timeout=LONGEST_WAIT)[1]
    finally:
        laptop.kill()

    assert [entry.description for entry in bob.world.repository.matching(EVERYTHING, limit=9)] == [
        LESSON.description
    ]


def test_a_vanished_server_is_noticed_within_half_a_minute() -> None:
    with (
        member() as address,
        network_to(str(conninfo_to_dict(address)["host"])) as network,
        closing(PostgresDatabase(url_of(address, network.port))) as database,
        closing(socket.socket(fileno=os.dup(database.session.connection.fileno()))) as tcp,
    ):
        assert tcp.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        idle, interval, probes, unanswered_ms = (
            tcp.getsockopt(socket.IPPROTO_TCP, option)
            for option in (
                socket.TCP_KEEPIDLE,
                socket.TCP_KEEPINTVL,
                socket.TCP_KEEPCNT,
                socket.TCP_USER_TIMEOUT,
            )
        )

    assert idle + interval * probes <= NOTICED_SECONDS
    assert 0 < unanswered_ms <= NOTICED_SECONDS * 1_000


LIMITS = """
    SELECT current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout'),
        current_setting('statement_timeout')
"""


def test_the_server_bounds_every_transaction_and_no_session(join: Join) -> None:
    database = join(busy_seconds=2, longest_wait=20).database
    contexts = (database.transaction(), database.transaction(["x"]), database.counting())
    limits = list[object]()
    for context in contexts:
        with context:
            limits += database.rows(LIMITS)
    with database.snapshot():
        limits += database.rows(LIMITS)
    limits += database.rows(LIMITS)

    usual = ("10s", "2s", "20s")
    assert limits == [usual, usual, ("10s", "250ms", "20s"), usual, usual]
    assert database.session.connection.execute(LIMITS).fetchall() == [("0", "0", "0")]


def test_a_statement_whose_client_gave_up_is_cancelled(join: Join) -> None:
    database = join(longest_wait=0.3).database
    running = f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{database.role}' AND state = 'active'"
    with pytest.raises(StorageError, match="no answer in time"):
        database.value("SELECT pg_sleep(600)")

    with psycopg.connect(store(), autocommit=True) as owner:
        until(lambda: owner.execute(running).fetchone() == (0,))


def test_the_same_new_lesson_of_many_members_at_once_is_one(join: Join) -> None:
    users = [join() for _ in range(4)]
    with ThreadPoolExecutor(len(users)) as threads:
        done = [threads.submit(keep, user, LESSON) for user in users]
        merged = [thread.result(LONGEST_WAIT).merged for thread in done]
    [kept] = users[0].world.repository.matching(EVERYTHING, limit=9)

    assert sorted(merged) == [False, True, True, True]
    assert kept.observation_count == len(users)


def test_numbers_of_entries_are_in_the_order_of_storing_and_used_once(join: Join) -> None:
    ann, bob = join(), join()
    keep(ann, LESSON)
    with ann.world.repository.transaction():
        ann.world.repository.put(OTHER)
        ann.world.repository.put(lesson("A third one."))
    keep(bob, lesson("A fourth one."))
    keep(bob, LESSON)
    with bob.world.repository.transaction([lesson("A fifth one.").entry_id]):
        bob.world.repository.put(lesson("A fifth one."))
        bob.world.repository.put(lesson("A sixth one, which was not announced."))

    assert sorted(ann.world.numbers().values()) == [1, 2, 3, 4, 5, 6]


STORED = """
    SELECT to_jsonb(r) - 'tenant' - 'author' FROM hardwon.{table} r
    WHERE tenant = %(tenant)s ORDER BY to_jsonb(r)::text
"""


def stored(user: Member) -> dict[str, list[Row]]:
    """Return the member's rows of the tables that storing an entry fills."""
    tables = ("entry", "entry_text", "recall", "entry_alias", "posting", "document", "corpus")
    return {table: user.database.rows(STORED.format(table=table)) for table in tables}


def test_entries_of_a_transaction_are_stored_as_one_after_the_other() -> None:
    one, other, deprecated, long = (
        LESSON,
        OTHER,
        attrs.evolve(lesson("Not ranked."), tier="deprecated"),
        attrs.evolve(lesson('Says "no" to \\ and {a, b}.'), notes="word " * 400),
    )
    alias_of_later = attrs.evolve(exported(7), aliases=(other.entry_id,))
    added = [deprecated, one, alias_of_later.entry, other, long, attrs.evolve(one, notes="changed")]

    def add(user: Member, entry: Entry) -> None:
        user.world.repository.put(entry)
        if entry == alias_of_later.entry:
            user.contents.add_activity(alias_of_later)

    with joined() as together, joined() as apart:
        with together.world.repository.transaction():
            together.world.repository.prefetch(lambda: [*map(together.world.repository.put, added)])
            for entry in added:
                add(together, entry)
        for entry in added:
            add(apart, entry)
        assert stored(together) == stored(apart)
        assert together.world.repository.reworded(other.entry_id) is None


def test_new_entries_are_sent_in_one_statement_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, answers = list[str](), MemberSession._answers

    def noting(self: MemberSession, statements: Sequence[Statement]) -> list[list[Row]]:
        sent.extend(statement for statement, _ in statements)
        return answers(self, statements)

    with joined() as user:
        monkeypatch.setattr(MemberSession, "_answers", noting)
        copy(user, [exported(number) for number in range(1, 1 + ENTRIES_AT_ONCE)])

    for table in ("entry (", "entry_text", "posting", "document", "corpus", "metadata"):
        assert sum(f"INSERT INTO hardwon.{table}" in statement for statement in sent) == 1
    assert sum("UPDATE hardwon.state SET version" in statement for statement in sent) == 1
