"""Entries of others' versions of files: kept at home, shared when the version is the user's, gone with it."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.repository import OF_OTHERS, OWN, Version
from hardwon.domain.model.retro.bank_edit import BankPlace
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, SyncBanks
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.domain.use_cases.review_memory import FindDrift
from hardwon.domain.use_cases.settle_versions import SettleVersions
from tests.fakes.activity import InMemoryHistory, InMemoryUsageLog
from tests.fakes.clock import FixedClock
from tests.fakes.documents import InMemoryFiles, change, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.knowledge_bank import (
    InMemoryBankFiles,
    InMemoryImportLedger,
    InMemoryKnowledgeBank,
)
from tests.fakes.projects import InMemoryProjects, InMemoryVersions, working_in
from tests.strategies import bank_chunk

BANK = "app/patterns.md"
THEIRS = bank_chunk("Pattern: Theirs", "Send the books.", "Observation count: 99999999")
MINE = bank_chunk("Pattern: Mine", "Round late.", "Observation count: 3")


class Checkout:
    """A project with a bank and memory files, versions of which may be of others."""

    def __init__(self) -> None:
        self.bank = InMemoryKnowledgeBank()
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.ledger = InMemoryImportLedger()
        self.versions = InMemoryVersions()

    @property
    def imports(self) -> ImportKnowledge:
        return ImportKnowledge(
            bank=self.bank,
            repository=self.repository,
            projects=InMemoryProjects(),
            ledger=self.ledger,
            versions=self.versions,
            clock=FixedClock(),
            workplace=working_in("app"),
        )

    @property
    def index(self) -> IndexFiles:
        return index_files(self.files, self.repository, versions=self.versions)

    def bring(self, *chunks: str, version: Version = OF_OTHERS) -> None:
        """Check out a version of the bank and import it."""
        self.bank.texts[BANK] = "\n".join(chunks)
        self.versions.others[BANK] = version
        self.imports.everything()

    def settle(self) -> int:
        settling = SettleVersions(
            imports=[self.imports],
            bank_files=[BANK],
            ledger=self.ledger,
            index_files=self.index,
            history=InMemoryHistory(self.repository.state),
            projects=("app",),
        )
        return settling.settle()

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.name: entry for entry in self.repository.matching(EVERYTHING, limit=99)}

    def reaches(self) -> dict[str, str]:
        return {name: entry.reach for name, entry in self.entries.items()}


def test_a_lesson_of_others_stays_at_home_with_a_capped_count() -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)

    entry = checkout.entries["Theirs"]
    assert (entry.reach, entry.door, entry.observation_count) == ("home", "checkout", 100)
    assert checkout.settle() == 1


def test_of_a_mixed_version_the_users_own_lesson_is_shared_with_a_capped_count() -> None:
    checkout = Checkout()
    own = frozenset({"### Pattern: Mine", "Round late."})
    checkout.bring(THEIRS, MINE.replace("count: 3", "count: 101"), version=Version(own))

    assert checkout.reaches() == {"Theirs": "home", "Mine": "shared"}
    assert checkout.entries["Mine"].observation_count == 100


def test_when_the_version_is_the_users_its_lessons_are_shared_as_the_file_says_them() -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)
    checkout.versions.others.clear()

    assert checkout.settle() == 0
    entry = checkout.entries["Theirs"]
    assert (entry.reach, entry.door) == ("shared", "bank")
    assert entry.observation_count > 100


def test_when_the_version_goes_so_does_the_lesson_and_may_come_again() -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)
    checkout.bring(MINE, version=OWN)

    assert checkout.settle() == 0
    assert checkout.reaches() == {"Mine": "shared"}

    checkout.bring(MINE, THEIRS, version=OWN)
    assert checkout.reaches() == {"Mine": "shared", "Theirs": "shared"}


def test_a_file_that_can_t_be_read_lets_nothing_go() -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)
    checkout.bank.unreadable.add(BANK)

    assert checkout.settle() == 1


@pytest.mark.parametrize("by", ["change", "judgement"])
def test_a_lesson_that_the_user_changed_or_judged_stays_at_home_for_good(by: str) -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)
    entry = checkout.entries["Theirs"]
    if by == "change":
        change(checkout.repository, entry, tier="important")
    else:
        InMemoryUsageLog(checkout.repository.state).record_validation(
            entry.number or 0, useful=True
        )
    checkout.bring(MINE, version=OWN)

    assert checkout.settle() == 0
    assert checkout.reaches() == {"Theirs": "home", "Mine": "shared"}


def test_a_lesson_that_the_user_deleted_does_not_come_back_with_a_merge() -> None:
    checkout = Checkout()
    checkout.bring(THEIRS)
    checkout.repository.delete(checkout.entries["Theirs"].entry_id)
    checkout.bring(THEIRS, version=OWN)
    checkout.settle()

    assert not checkout.entries


def test_an_edit_of_others_is_no_change_by_hand_and_raises_no_count() -> None:
    checkout = Checkout()
    checkout.bring(MINE, version=OWN)
    raised = MINE.replace("count: 3", "count: 50")
    files = InMemoryBankFiles({BankPlace("local", "patterns"): raised})
    checkout.bring(bank_chunk("Pattern: Mine", "Round early.", "Observation count: 50"))
    drift = FindDrift(
        bank=checkout.bank,
        repository=checkout.repository,
        ledger=checkout.ledger,
        versions=checkout.versions,
        workplace=working_in("app"),
    )
    checkout.bring(raised)
    with files.held() as banks:
        SyncBanks(checkout.imports, checkout.repository).sync(banks)

    assert not drift.drifted()
    assert (checkout.entries["Mine"].description, checkout.entries["Mine"].observation_count) == (
        "Round late.",
        3,
    )


def test_a_memory_file_of_others_stays_at_home_until_it_is_the_users() -> None:
    checkout = Checkout()
    path = checkout.files.put("decisions/choice.md", "# Choice\n\nWe send the books.")
    checkout.versions.others[path] = OF_OTHERS
    checkout.index.index()
    assert checkout.reaches() == {"Choice": "home"}

    checkout.versions.others.clear()
    assert checkout.settle() == 0
    assert checkout.reaches() == {"Choice": "shared"}
    assert checkout.entries["Choice"].door == "file"


def test_an_edit_of_others_takes_the_users_memory_file_home_and_the_users_version_back() -> None:
    checkout = Checkout()
    path = checkout.files.put("decisions/choice.md", "# Choice\n\nRound late.")
    checkout.index.index()
    checkout.files.put("decisions/choice.md", "# Choice\n\nSend the books.")
    checkout.versions.others[path] = OF_OTHERS
    checkout.index.index()
    assert checkout.reaches() == {"Choice": "home"}

    checkout.files.put("decisions/choice.md", "# Choice\n\nRound late.")
    checkout.versions.others.clear()
    checkout.settle()
    assert checkout.reaches() == {"Choice": "shared"}
    assert "Round late." in checkout.entries["Choice"].description


def test_a_memory_file_that_went_with_its_branch_leaves_nothing() -> None:
    checkout = Checkout()
    path = checkout.files.put("decisions/choice.md", "# Choice\n\nSend the books.")
    checkout.versions.others[path] = OF_OTHERS
    checkout.index.index()
    del checkout.files.files[path]

    assert checkout.settle() == 0
    assert not checkout.entries
    assert not checkout.repository.state.history


def test_a_lesson_that_the_user_keeps_at_home_is_left_alone() -> None:
    checkout = Checkout()
    checkout.bring(MINE, version=OWN)
    checkout.repository.put(attrs.evolve(checkout.entries["Mine"], reach="home"))
    checkout.bring(version=OWN)

    assert checkout.settle() == 0
    assert checkout.reaches() == {"Mine": "home"}


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from(["a", "b", "c"])), st.booleans()), min_size=1, max_size=5
    )
)
def test_only_lessons_of_the_present_version_are_at_home(
    history: list[tuple[set[str], bool]],
) -> None:
    checkout = Checkout()
    shared = set[str]()
    for names, is_own in history:
        checkout.bring(
            *(bank_chunk(name, f"Lesson {name}.") for name in sorted(names)),
            version=OWN if is_own else OF_OTHERS,
        )
        checkout.settle()
        shared |= names if is_own else set()
        reaches = checkout.reaches()

        assert {name for name, reach in reaches.items() if reach == "shared"} == shared
        assert {name for name, reach in reaches.items() if reach == "home"} == names - shared
