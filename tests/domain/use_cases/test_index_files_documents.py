"""Indexing of documents: their sections, fields owned by the store, and deleted entries."""

import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.document import MAX_SECTIONS
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_entry import Defaults
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.vocabulary import TIERS, Tier
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.ports.entries import EntryRepository
from tests.fakes.documents import ROOT, SPECS, WRITTEN_AT, InMemoryFiles, change, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import NOW

PATH = f"{SPECS}005-auth/memory/tokens.md"
ANCHORS = ("a", "b", "c")


def section(anchor: str, text: str = "Text.") -> str:
    return f"<!-- ANCHOR:{anchor} -->\n{text}\n<!-- /ANCHOR:{anchor} -->\n"


class Documents:
    """One file of a spec folder, and its entries by anchor."""

    def __init__(self, defaults: Defaults | None = None) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.index: IndexFiles = index_files(self.files, self.repository, defaults or Defaults())

    def write(self, body: str, **front_matter: str) -> None:
        self.files.put(PATH, body, WRITTEN_AT, **front_matter)

    @property
    def entries(self) -> dict[str, Entry]:
        return {
            entry.anchor_id: entry for entry in self.repository.matching(EVERYTHING, limit=1_000)
        }

    @property
    def history(self) -> list[tuple[str, str | None]]:
        return [(change.field, change.old) for change in self.repository.state.history]


bodies = st.lists(st.sampled_from(ANCHORS), unique=True, max_size=3).map(
    lambda ids: "Intro.\n" + "".join(map(section, ids))
)


@given(versions=st.lists(bodies, min_size=1, max_size=4), force=st.booleans())
def test_the_sections_in_the_store_are_those_of_the_file(
    versions: list[str], *, force: bool
) -> None:
    documents = Documents()
    numbers = dict[str, int | None]()
    for body in versions:
        documents.write(body)
        documents.index.index(force=force)
        entries = documents.entries
        assert set(entries) == {"", *(anchor for anchor in ANCHORS if f":{anchor} -" in body)}
        assert {entry.spec_folder for entry in entries.values()} == {"005-auth"}
        assert all(
            numbers.get(anchor, entry.number) == entry.number for anchor, entry in entries.items()
        )
        numbers = {anchor: entry.number for anchor, entry in entries.items()}


@given(first=bodies, second=bodies, tier=st.sampled_from(TIERS), force=st.booleans())
def test_no_text_and_no_force_changes_what_the_store_has_the_word_on(
    first: str, second: str, tier: Tier, *, force: bool
) -> None:
    documents = Documents()
    documents.write(first, tier="important", importance_weight="0.9")
    documents.index.index()
    assert {(entry.tier, entry.importance_weight) for entry in documents.entries.values()} == {
        ("important", 0.9)
    }
    for entry in documents.entries.values():
        documents.repository.put(attrs.evolve(entry, tier=tier, importance_weight=0.2))
    known = set(documents.entries)
    documents.write(second, tier="normal", importance_weight="0.5")
    documents.index.index(force=force)

    kept = {
        anchor: entry
        for anchor, entry in documents.entries.items()
        if anchor in known or not anchor
    }
    assert {(entry.tier, entry.importance_weight) for entry in kept.values()} == {(tier, 0.2)}


def test_a_concurrent_change_between_reading_and_writing_is_kept() -> None:
    """The entry is made critical just when the file was turned into entries."""
    documents = Documents()
    documents.write("One.")
    documents.index.index()
    [entry] = documents.entries.values()

    class Interrupted(InMemoryEntryRepository):
        reads = 0

        def of_file(self, file_path: str) -> list[Entry]:
            found = super().of_file(file_path)
            self.reads += 1
            if self.reads == 1:
                self.put(attrs.evolve(entry, tier="critical"))
            return found

    interrupted = Interrupted(documents.repository.state)
    port: EntryRepository = interrupted
    documents.write("Two.")
    index_files(documents.files, interrupted).index()

    [after] = documents.entries.values()
    assert (after.tier, after.description) == ("critical", "Two.")
    assert port.count(EVERYTHING) == 1


def test_a_section_goes_by_its_heading_or_its_anchor() -> None:
    documents = Documents()
    documents.write(
        section("what-went_wrong")
        + section("b", "## Causes\nText.")
        + section("c", "# Title\nText."),
        title="Title",
    )
    documents.index.index()

    assert {entry.name for entry in documents.entries.values()} == {
        "Title",
        "Title: what went wrong",
        "Title: Causes",
        "Title: c",
    }


def test_only_documents_have_sections() -> None:
    documents = Documents()
    documents.write(section("a"), type="decision")
    documents.index.index()
    assert [(entry.kind, entry.spec_folder) for entry in documents.entries.values()] == [
        ("decision", None)
    ]
    documents.write(section("a"), type="document")
    documents.index.index()
    assert set(documents.entries) == {"", "a"}
    documents.write(section("a"), type="gotcha")
    documents.index.index()
    assert set(documents.entries) == {""}


@pytest.mark.large
def test_a_file_cannot_flood_the_store_with_sections() -> None:
    documents = Documents()
    documents.write("".join(section(f"a{number}") for number in range(MAX_SECTIONS + 5)))
    indexed = documents.index.index()

    assert len(documents.entries) == MAX_SECTIONS + 1
    assert indexed.warnings == (
        f"{PATH!r}: only the first 200 of 205 anchors become memories of their own",
    )


def test_trigger_phrases_are_those_of_the_head_else_of_the_text_else_those_a_user_gave() -> None:
    documents = Documents()
    documents.write("## Triggers\n- from the text", triggers="from the head")
    documents.index.index()
    assert documents.entries[""].trigger_phrases == ("from the head",)
    documents.write("## Triggers\n- from the text")
    documents.index.index()
    assert documents.entries[""].trigger_phrases == ("from the text",)
    documents.write("Nothing.")
    documents.index.index()
    assert not documents.entries[""].trigger_phrases
    change(documents.repository, documents.entries[""], trigger_phrases=("from the user",))
    documents.write("Nothing more.")
    documents.index.index()
    assert documents.entries[""].trigger_phrases == ("from the user",)


@pytest.mark.parametrize(
    ("name", "front_matter", "local"),
    [
        ("22-11-26_14-05__tokens.md", {}, dt.datetime(2026, 11, 22, 14, 5).astimezone()),
        (
            "22-11-26_14-05__tokens.md",
            {"date": "2026-01-02T03:04:05Z"},
            dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        ),
        ("2026-11-22-tokens.md", {}, dt.datetime(2026, 11, 22).astimezone()),
        ("99-11-26_14-05__tokens.md", {}, dt.datetime.fromtimestamp(1_770_000_000, dt.UTC)),
        ("tokens.md", {}, dt.datetime.fromtimestamp(1_770_000_000, dt.UTC)),
    ],
)
def test_a_document_was_created_when_it_says_else_when_its_name_says_else_when_it_was_changed(
    name: str, front_matter: dict[str, str], local: dt.datetime
) -> None:
    documents = Documents()
    documents.files.put(f"{SPECS}005-auth/memory/{name}", "Text.", WRITTEN_AT, **front_matter)
    documents.index.index()

    assert (documents.entries[""].created_at, documents.entries[""].updated_at) == (local, local)


def test_defaults_hold_for_new_documents_that_say_nothing() -> None:
    documents = Documents(Defaults("important", "research"))
    documents.write("Text.")
    documents.files.put(
        f"{SPECS}005-auth/memory/said.md", "Text.", tier="normal", context_type="general"
    )
    documents.files.put(f"{ROOT}/memory/decisions/other.md", "Text.")
    documents.index.index()

    kinds = {
        (entry.kind, entry.tier, entry.context_type)
        for entry in documents.repository.matching(EVERYTHING, limit=9)
    }
    assert kinds == {
        ("document", "important", "research"),
        ("document", "normal", "general"),
        ("decision", "normal", "general"),
    }


def test_a_change_of_the_text_is_in_the_history() -> None:
    documents = Documents()
    documents.write("One.")
    documents.index.index()
    before = documents.entries[""]
    documents.index.index(force=True)
    assert documents.history == []
    documents.write("Two.")
    documents.index.index()

    [change] = documents.repository.state.history
    after = documents.entries[""]
    assert change == (before.number, "content", before.file_hash, after.file_hash, NOW)


steps = st.lists(
    st.sampled_from(["scan", "delete whole", "delete section", "edit", "force"]), max_size=8
)


@given(steps=steps)
def test_a_deleted_document_is_out_until_the_file_changes_or_force(steps: list[str]) -> None:
    documents = Documents()
    edits, expected = 0, {"", "a"}
    documents.write(f"{edits}" + section("a"))
    documents.index.index()
    for step in steps:
        match step:
            case "scan":
                documents.index.index()
            case "force":
                documents.index.index(force=True)
                expected = {"", "a"}
            case "edit":
                edits += 1
                documents.write(f"{edits}" + section("a"))
                documents.index.index()
                expected = {"", "a"}
            case "delete whole" if "" in expected:
                documents.index.forget.delete([documents.entries[""]])
                expected = set()
            case "delete section" if "a" in expected:
                documents.index.forget.delete([documents.entries["a"]])
                expected = expected - {"a"}
        assert set(documents.entries) == expected
    assert documents.index.index(dry_run=True).deleted == (not expected)


def test_deleting_is_in_the_history_and_what_is_gone_leaves_no_tombstone() -> None:
    documents = Documents()
    documents.write("One.\n" + section("a"), title="T")
    documents.index.index()
    deleted = documents.index.forget.delete([documents.entries[""]])

    assert [entry.anchor_id for entry in deleted] == ["", "a"]
    assert documents.history == [("deleted", "T"), ("deleted", "T: a")]
    documents.index.index(force=True)
    documents.files.files.clear()
    documents.index.index()
    assert documents.repository.state.tombstones == {}
    assert (documents.entries, len(documents.history)) == ({}, 4)


def test_a_scan_can_be_ended_between_files() -> None:
    documents = Documents()
    for number in range(5):
        documents.files.put(f"{SPECS}005-auth/memory/{number}.md", "Text.")
    answers = iter([True, True, False, False])

    assert len(documents.index.index(wanted=lambda: next(answers)).new) == 2


def test_a_document_of_an_early_store_gets_its_folder_and_sections_though_its_file_is_as_it_was() -> (
    None
):
    documents = Documents()
    documents.write("Intro.\n" + section("a"))
    documents.index.index()
    documents.repository.delete(documents.entries["a"].entry_id)
    documents.repository.put(attrs.evolve(documents.entries[""], spec_folder=None))

    assert documents.index.index().changed == (PATH,)
    assert {entry.spec_folder for entry in documents.entries.values()} == {"005-auth"}
    assert set(documents.entries) == {"", "a"}
    assert documents.index.index().unchanged == 1
