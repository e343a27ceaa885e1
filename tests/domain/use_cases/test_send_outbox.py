"""An entry in an outbox arrives once, in order, whatever dies in between."""

import contextlib
import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError, ServerAwayError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.send_outbox import SendingOutcome, SendOutbox
from hardwon.ports.override import override
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.knowledge_bank import InMemoryImportLedger
from tests.fakes.projects import store_entry
from tests.strategies import NOW

NAME = "outbox"
TEXTS = tuple(f"Lesson {number} of a day without a server." for number in range(3))


class Server(InMemoryEntryRepository):
    """
    A server that dies in the middle.

    Attributes:
        lives: After so many transactions it is away; the last one is committed and not answered if *is_cut*.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lives = 10_000
        self.is_cut = False

    @override
    @contextlib.contextmanager
    def transaction(self, of: Collection[str] | None = None) -> Iterator[None]:
        if not self.lives:
            raise ServerAwayError("away")
        self.lives -= 1
        with super().transaction(of):
            yield
        if not self.lives and self.is_cut:
            raise ServerAwayError("no answer in time")


def lesson(text: str, at: dt.datetime) -> Entry:
    return Entry(
        name="A lesson", description=text, category="patterns", created_at=at, updated_at=at
    )


def sending(
    outbox: InMemoryEntryRepository, server: InMemoryEntryRepository, ledger: InMemoryImportLedger
) -> SendOutbox:
    return SendOutbox(
        outbox=outbox,
        server=server,
        ledger=ledger,
        name=NAME,
        place_for=lambda _: store_entry(server).place_entry,
        index_file=lambda _: None,
    )


class Machine(RuleBasedStateMachine):
    """Doors, colleagues, forgetting and a dying worker, beside what they were told."""

    def __init__(self) -> None:
        super().__init__()
        self.server, self.outbox = Server(), InMemoryEntryRepository()
        self.ledger = InMemoryImportLedger()
        self.now = NOW
        self.acknowledged = Counter[str]()
        self.of_colleagues = Counter[str]()
        self.forgotten = set[str]()
        self.unanswered = Counter[str]()

    def later(self) -> dt.datetime:
        self.now += dt.timedelta(microseconds=1)
        return self.now

    def keep(self, repository: InMemoryEntryRepository, text: str) -> bool:
        try:
            store_entry(repository).keep(redact_entry(lesson(text, self.later())))
        except ForgottenError:
            return False
        return True

    def send(self) -> SendingOutcome:
        return sending(self.outbox, self.server, self.ledger).send()

    @initialize(text=st.sampled_from(TEXTS))
    def known_before(self, text: str) -> None:
        self.store_as_colleague(text)

    @rule(text=st.sampled_from(TEXTS))
    def store_while_away(self, text: str) -> None:
        self.acknowledged[text] += self.keep(self.outbox, text)

    @rule(text=st.sampled_from(TEXTS))
    def store_without_an_answer(self, text: str) -> None:
        """The server commits and dies, so the same lesson is kept here."""
        entry = redact_entry(lesson(text, self.later()))
        with contextlib.suppress(ForgottenError):
            store_entry(self.server).keep(entry)
            store_entry(self.outbox).keep(entry)
            self.acknowledged[text] += 1
            self.unanswered[text] += 1

    @rule(text=st.sampled_from(TEXTS))
    def store_as_colleague(self, text: str) -> None:
        self.of_colleagues[text] += self.keep(self.server, text)

    @rule(text=st.sampled_from(TEXTS), here=st.booleans())
    def forget_once(self, text: str, *, here: bool) -> None:
        if not self.forgotten:
            self.forget(self.server, text)
            if here:
                self.forget(self.outbox, text)

    def forget(self, repository: InMemoryEntryRepository, text: str) -> None:
        entry_id = lesson(text, self.now).entry_id
        repository.forgotten.add(entry_id, [text], self.now)
        repository.delete(entry_id)
        self.forgotten.add(text)

    @rule(lives=st.integers(0, 4), is_cut=st.booleans())
    def die_while_sending(self, lives: int, *, is_cut: bool) -> None:
        self.server.lives, self.server.is_cut = lives, is_cut
        with contextlib.suppress(ServerAwayError):
            self.send()
        self.server.lives = 10_000

    @rule()
    def arrive(self) -> None:
        self.send()
        assert self.waiting() == []
        here = {entry.description: entry for entry in self.server.matching(EVERYTHING, limit=99)}
        stored = self.acknowledged + self.of_colleagues
        assert {*here} == {*stored} - self.forgotten
        for text, entry in here.items():
            least = stored[text]
            assert least <= entry.observation_count <= least + self.unanswered[text]

    @invariant()
    def nothing_forgotten_is_there(self) -> None:
        assert not self.forgotten & {
            entry.description for entry in self.server.matching(EVERYTHING, limit=99)
        }

    def waiting(self) -> list[Entry]:
        return self.outbox.matching(EVERYTHING, limit=99)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=5 * settings().max_examples, stateful_step_count=30)


def descriptions(repository: InMemoryEntryRepository) -> list[str]:
    entries = repository.matching(EVERYTHING, limit=99)
    return [entry.description for entry in sorted(entries, key=lambda entry: entry.number or 0)]


def test_entries_arrive_in_the_order_in_which_they_were_stored() -> None:
    outbox, server = InMemoryEntryRepository(), InMemoryEntryRepository()
    for text in ("Third by name.", "First by name.", "Second by name."):  # the clock stands still
        store_entry(outbox).keep(redact_entry(lesson(text, NOW)))
    outcome = sending(outbox, server, InMemoryImportLedger()).send()

    assert descriptions(server) == ["Third by name.", "First by name.", "Second by name."]
    assert (outcome.sent, descriptions(outbox)) == (3, [])


def test_a_lesson_that_the_server_had_stored_without_an_answer_is_not_counted_again() -> None:
    outbox, server = InMemoryEntryRepository(), InMemoryEntryRepository()
    for repository in (server, outbox):
        store_entry(repository).keep(redact_entry(lesson(TEXTS[0], NOW)))
    sending(outbox, server, InMemoryImportLedger()).send()

    assert [entry.observation_count for entry in server.matching(EVERYTHING, limit=9)] == [1]


class Refusing(InMemoryEntryRepository):
    """A server that does not take one lesson."""

    @override
    def put(self, entry: Entry) -> None:
        if entry.description == TEXTS[0]:
            raise InvalidEntryError("no")
        super().put(entry)


def test_a_lesson_that_the_server_refuses_waits_and_the_others_go_on() -> None:
    outbox, server = InMemoryEntryRepository(), Refusing()
    for text in TEXTS:
        store_entry(outbox).keep(redact_entry(lesson(text, NOW)))
    outcome = sending(outbox, server, InMemoryImportLedger()).send()

    assert descriptions(server) == [*TEXTS[1:]]
    assert descriptions(outbox) == [TEXTS[0]]
    assert [line.partition(" ")[2] for line in outcome.problems] == ["still waits: no"]


def test_a_removal_that_was_interrupted_counts_no_observation_twice() -> None:
    outbox, server, ledger = InMemoryEntryRepository(), Server(), InMemoryImportLedger()
    store_entry(outbox).keep(redact_entry(lesson(TEXTS[0], NOW)))
    server.lives, server.is_cut = 1, True
    with contextlib.suppress(ServerAwayError):
        sending(outbox, server, ledger).send()
    server.lives = 9
    later = NOW + dt.timedelta(hours=1)
    store_entry(outbox).keep(redact_entry(lesson(TEXTS[0], later)))
    sending(outbox, server, ledger).send()

    assert [entry.observation_count for entry in server.matching(EVERYTHING, limit=9)] == [2]


def interrupted() -> tuple[InMemoryEntryRepository, InMemoryImportLedger]:
    """Return an outbox with two lessons, of which the server had the first, and its ledger."""
    outbox, server, ledger = InMemoryEntryRepository(), Server(), InMemoryImportLedger()
    for text in TEXTS[:2]:
        store_entry(outbox).keep(redact_entry(lesson(text, NOW)))
    server.lives, server.is_cut = 1, True
    with contextlib.suppress(ServerAwayError):
        sending(outbox, server, ledger).send()
    return outbox, ledger


def test_a_server_restored_from_an_older_backup_gets_all_that_waits() -> None:
    outbox, _ = interrupted()
    restored = InMemoryEntryRepository()
    sending(outbox, restored, InMemoryImportLedger()).send()

    assert descriptions(restored) == [*TEXTS[:2]]


def test_a_server_restored_from_an_older_backup_gets_nothing_back_that_was_forgotten_there() -> (
    None
):
    outbox, _ = interrupted()
    outbox.forgotten.add("x", [TEXTS[0]], NOW)  # as the worker adopted it
    restored = InMemoryEntryRepository()
    outcome = sending(outbox, restored, InMemoryImportLedger()).send()

    assert descriptions(restored) == [TEXTS[1]]
    assert (outcome.forgotten, descriptions(outbox)) == (1, [])
