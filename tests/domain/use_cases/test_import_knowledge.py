import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.knowledge_bank import parse_bank
from hardwon.domain.model.entry import MAX_COUNT, Entry
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.identity import content_hash
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, ImportOutcome
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.knowledge_bank import InMemoryImportLedger, InMemoryKnowledgeBank
from tests.fakes.projects import InMemoryProjects, InMemoryVersions, working_in
from tests.strategies import DAY, NOW, bank_chunk, banks, lesson

PATH = "here/patterns.md"
LARGE = 10**6


@attrs.define
class Import:
    """An import into a store in memory."""

    bank: InMemoryKnowledgeBank = attrs.field(factory=InMemoryKnowledgeBank)
    repository: InMemoryEntryRepository = attrs.field(factory=InMemoryEntryRepository)
    ledger: InMemoryImportLedger = attrs.field(factory=InMemoryImportLedger)
    versions: InMemoryVersions = attrs.field(factory=InMemoryVersions)
    clock: FixedClock = attrs.field(factory=FixedClock)

    def write(self, *chunks: str, path: str = PATH) -> None:
        self.bank.texts[path] = "\n".join(chunks)

    def run(self) -> ImportOutcome:
        return self.use_case.everything()

    @property
    def use_case(self) -> ImportKnowledge:
        return ImportKnowledge(
            projects=InMemoryProjects(),
            workplace=working_in("here"),
            bank=self.bank,
            repository=self.repository,
            ledger=self.ledger,
            versions=self.versions,
            clock=self.clock,
        )

    def entries(self) -> list[Entry]:
        return self.repository.matching(LEARNINGS, limit=99)

    def only_entry(self) -> Entry:
        [entry] = self.entries()
        return entry


def imported(*chunks: str, path: str = PATH) -> Entry:
    importing = Import()
    importing.write(*chunks, path=path)
    importing.run()
    return importing.only_entry()


def test_an_entry_comes_in_whole() -> None:
    entry = imported(
        bank_chunk(
            "Pattern: Backoff",
            "Retry slowly.\n\nAnd stop.",
            "Observed in: Feature #12",
            "Observation count: 4",
            "Because: it took a day",
            "Confidence: HIGH",
            "Last observed: 2026-01-02T03:04:05Z",
        )
    )

    assert (entry.name, entry.description, entry.category) == (
        "Backoff",
        "Retry slowly.\n\nAnd stop.",
        "patterns",
    )
    assert (entry.observation_count, entry.confidence, entry.source) == (4, "high", "import")
    assert entry.references == ("Feature #12",)
    assert entry.notes == "- Observed in: Feature #12\n- Because: it took a day"
    assert entry.updated_at == dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    assert entry.source_project == "here"


def test_the_users_own_bank_is_of_no_project() -> None:
    assert imported(bank_chunk("Backoff", "Retry."), path="heuristics.md").source_project is None


@pytest.mark.parametrize(
    "observed", ["", "some day", "2026-13-01", "3026-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
)
def test_an_unreadable_or_future_date_counts_as_now(observed: str) -> None:
    assert imported(bank_chunk("Backoff", "Retry.", f"Last observed: {observed}")).updated_at == NOW


def test_without_a_date_it_counts_as_now() -> None:
    assert imported(bank_chunk("Backoff", "Retry.")).updated_at == NOW


@pytest.mark.parametrize(("count", "stored"), [(0, 1), (-3, 1), (10**12, MAX_COUNT), ("many", 1)])
def test_counts_are_brought_within_bounds(count: object, stored: int) -> None:
    assert (
        imported(bank_chunk("Backoff", "Retry.", f"Observation count: {count}")).observation_count
        == stored
    )


def test_an_entry_without_a_heading_is_named_by_its_first_words() -> None:
    assert (
        imported("### \none two three four five six seven eight nine").name
        == "one two three four five six seven eight"
    )


def test_a_heading_becomes_a_plain_title() -> None:
    heading = "Pattern: Use `codecs`, **never** [guess](https://x.example/why)"

    assert imported(bank_chunk(heading, "Reading in chunks.")).name == "Use codecs, never guess"


def test_a_description_that_goes_on_from_its_heading_is_the_whole_text() -> None:
    entry = imported(bank_chunk("Pattern: Keep raw lines", "\u2026, they prove what was sent."))

    assert entry.description == "Keep raw lines, they prove what was sent."
    assert entry.entry_id == content_hash("Keep raw lines, they prove what was sent.")


def test_a_nul_is_replaced() -> None:
    assert imported(bank_chunk("Back\0off", "Re\0try.")).description == "Re\ufffdtry."


def test_secrets_are_redacted() -> None:
    assert (
        imported(bank_chunk("Leak", "The key ghp_" + "a1B2" * 9)).description
        == "The key [REDACTED]"
    )


def test_a_second_run_imports_none() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"), bank_chunk("B", "two"))

    assert importing.run() == ImportOutcome(added=2)
    assert importing.run() == ImportOutcome(known=2)
    assert len(importing.entries()) == 2


def test_a_new_heading_comes_in() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"))
    importing.run()
    importing.write(bank_chunk("A", "one"), bank_chunk("B", "two"))

    assert importing.run() == ImportOutcome(added=1, known=1)


def test_an_edit_of_a_known_heading_is_not_synced_back() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"))
    importing.run()
    importing.write(bank_chunk("A", "edited"))

    assert importing.run() == ImportOutcome(known=1)
    assert importing.only_entry().description == "one"


def test_a_deleted_entry_stays_away() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"))
    importing.run()
    importing.repository.delete(importing.only_entry().entry_id)

    assert importing.run() == ImportOutcome(known=1)
    assert importing.entries() == []


def test_a_lost_ledger_imports_all_again_and_doubles_nothing() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one", "Observation count: 3"), bank_chunk("B", "two"))
    importing.run()
    before = importing.entries()
    importing.ledger = InMemoryImportLedger()

    assert importing.run() == ImportOutcome(known=2)
    assert importing.entries() == before


def test_a_lost_store_is_rebuilt_with_the_same_entries() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one", "Observation count: 3"), bank_chunk("B", "two"))
    importing.run()
    rebuilt = Import(bank=importing.bank)
    rebuilt.run()

    assert rebuilt.entries() == importing.entries()


@pytest.mark.parametrize(("local", "own"), [(2, 5), (5, 2), (3, 3), (0, 2), (1, 10**12)])
def test_the_same_lesson_in_two_banks_is_one_entry_with_the_higher_count(
    local: int, own: int
) -> None:
    importing = Import()
    importing.write(bank_chunk("A", "the same", f"Observation count: {local}"))
    importing.write(bank_chunk("B", "The  SAME", f"Observation count: {own}"), path="heuristics.md")

    assert importing.run() == ImportOutcome(added=1, known=1)
    assert importing.only_entry().observation_count == min(max(local, own), MAX_COUNT)


def test_a_lesson_that_was_stored_before_is_left_as_it_is_but_for_a_higher_count() -> None:
    importing = Import()
    known = lesson("one", category="heuristics")
    importing.repository.put(known)
    importing.write(bank_chunk("A", "one", "Observation count: 9"))

    assert importing.run() == ImportOutcome(known=1)
    assert importing.only_entry() == attrs.evolve(known, observation_count=9)


def test_invalid_lessons_are_reported_by_file_and_heading_and_the_rest_is_imported() -> None:
    importing = Import()
    importing.write(
        bank_chunk("Empty", ""),
        bank_chunk("Fine", "one"),
        bank_chunk("Gone", "<private>x</private>"),
    )
    outcome = importing.run()

    assert outcome.added == 1
    assert len(outcome.skipped) == 2
    assert outcome.skipped[0].startswith(f"{PATH}: ### Empty: description is blank")
    assert outcome.skipped[1].startswith(f"{PATH}: ### Gone: description is blank")


def test_a_reported_lesson_is_imported_once_it_is_repaired() -> None:
    importing = Import()
    importing.write(bank_chunk("Empty", ""))
    importing.run()
    importing.write(bank_chunk("Empty", "not any more"))

    assert importing.run().added == 1


def test_the_hook_reads_only_files_that_changed() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"))
    importing.write(bank_chunk("B", "two"), path="heuristics.md")
    importing.use_case.changed(importing.clock.deadline(), LARGE)
    importing.write(bank_chunk("A", "one"), bank_chunk("C", "three"))

    assert importing.use_case.changed(importing.clock.deadline(), LARGE) == ImportOutcome(
        added=1, known=1
    )
    assert importing.bank.reads == [PATH, "heuristics.md", PATH]
    assert importing.use_case.changed(importing.clock.deadline(), LARGE) == ImportOutcome()


def test_the_hook_begins_no_file_after_its_deadline_and_goes_on_next_time() -> None:
    importing = Import()
    importing.bank = InMemoryKnowledgeBank(on_read=lambda: importing.clock.advance(0.3))
    for path in ("anti-patterns.md", "heuristics.md", "patterns.md"):
        importing.write(
            bank_chunk("A", f"one of {path}"), bank_chunk("B", f"two of {path}"), path=path
        )

    assert importing.use_case.changed(importing.clock.deadline(0.5), LARGE) == ImportOutcome(
        added=4, left=1
    )
    assert importing.use_case.changed(importing.clock.deadline(0.5), LARGE) == ImportOutcome(
        added=2
    )


def test_the_hook_leaves_large_files_to_the_command() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "x" * 1_000))

    assert importing.use_case.changed(importing.clock.deadline(), 999) == ImportOutcome(left=1)
    assert importing.run() == ImportOutcome(added=1)
    assert importing.use_case.changed(importing.clock.deadline(), 999) == ImportOutcome()


def test_progress_is_called_for_every_entry() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"), bank_chunk("C", "three"))
    importing.write(bank_chunk("B", "two"), path="heuristics.md")
    reported: list[str] = []
    importing.use_case.everything(lambda file: reported.append(file.path))

    assert reported == [PATH, PATH, "heuristics.md"]


@given(versions=st.lists(banks, min_size=1, max_size=4))
def test_a_heading_is_imported_once_at_most_however_the_file_changes(versions: list[str]) -> None:
    importing = Import()
    seen: set[str] = set()
    for text in versions:
        before = importing.entries()
        importing.write(text)
        outcome = importing.run()
        parsed = parse_bank(text, "patterns")
        importing.clock.advance(DAY.total_seconds())

        assert outcome.added + outcome.known + len(outcome.skipped) == len(parsed)
        assert outcome.added <= len([entry for entry in parsed if entry.heading not in seen])
        assert _uncounted(before) <= _uncounted(importing.entries())
        assert len(importing.entries()) == len(before) + outcome.added
        seen |= {entry.heading for entry in parsed if entry.description}


def _uncounted(entries: list[Entry]) -> set[Entry]:
    return {attrs.evolve(entry, observation_count=1) for entry in entries}


def test_a_file_that_cannot_be_read_is_tried_again() -> None:
    importing = Import()
    importing.write(bank_chunk("A", "one"))
    importing.bank.unreadable.add(PATH)
    assert importing.run() == ImportOutcome()

    importing.bank.unreadable.clear()
    assert importing.run().added == 1
