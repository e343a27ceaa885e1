"""Files that are absent for a while: a change of branch, or a move."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document import MarkdownDocument
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.vocabulary import TIERS, Tier
from tests.fakes.activity import InMemoryUsageLog
from tests.fakes.documents import SPECS, InMemoryFiles, change, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import NOW

PATH = f"{SPECS}005-auth/memory/tokens.md"
MOVED = f"{SPECS}049-login/memory/renamed.md"
SECTION = "<!-- ANCHOR:a -->\nText.\n<!-- /ANCHOR:a -->\n"
BODY = f"# Tokens\n\nRotate.\n{SECTION}"
USED = Usage(2, NOW, Validations(3, 2))


class Shelf:
    """One document with a section, judged and changed by its user."""

    def __init__(self) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.index = index_files(self.files, self.repository)

    def settle(self, tier: Tier = "critical") -> None:
        self.files.put(PATH, BODY)
        self.index.index()
        for entry in self.entries.values():
            change(
                self.repository,
                entry,
                name=f"Mine {entry.anchor_id}",
                tier=tier,
                importance_weight=0.9,
                permanent=True,
                trigger_phrases=("rotate it",),
                keywords=("rotation",),
                tags=("own",),
            )
            InMemoryUsageLog(self.repository.state).add(entry.number or 0, USED)

    def take_away(self) -> MarkdownDocument:
        file = self.files.files.pop(PATH)
        assert self.index.index().removed == (PATH,)
        assert self.entries == {}
        return file

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.anchor_id: entry for entry in self.repository.matching(EVERYTHING, limit=9)}

    @property
    def kept(self) -> list[str]:
        return sorted(self.repository.state.absent)


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    shelf.settle()
    return shelf


@given(tier=st.sampled_from(TIERS), absences=st.integers(1, 3), force=st.booleans())
def test_a_file_that_comes_back_is_what_it_was(tier: Tier, absences: int, *, force: bool) -> None:
    shelf = Shelf()
    shelf.settle(tier)
    before = shelf.entries
    for _ in range(absences):
        shelf.files.files[PATH] = shelf.take_away()
        assert shelf.kept == [PATH]
        assert shelf.index.index(force=force).new == (PATH,)

    assert shelf.entries == before
    assert shelf.kept == []


def test_a_file_that_was_moved_is_what_it_was_under_its_new_path(shelf: Shelf) -> None:
    before = shelf.entries
    shelf.files.files[MOVED] = attrs.evolve(shelf.files.files.pop(PATH), path=MOVED)
    indexed = shelf.index.index()

    assert (indexed.new, indexed.removed, shelf.kept) == ((MOVED,), (PATH,), [])
    assert shelf.entries == {
        anchor: attrs.evolve(entry, file_path=MOVED, spec_folder="049-login")
        for anchor, entry in before.items()
    }


def test_the_second_copy_of_a_file_that_was_moved_is_a_new_one(shelf: Shelf) -> None:
    file = shelf.files.files.pop(PATH)
    copy = f"{SPECS}050-copy/memory/z.md"
    shelf.files.files |= {path: attrs.evolve(file, path=path) for path in (MOVED, copy)}
    shelf.index.index()

    whole = shelf.repository.with_file(copy)
    assert whole
    assert (whole.tier, whole.usage, whole.name) == ("normal", Usage(), "Tokens")


def test_a_file_that_comes_back_with_another_text_goes_by_what_it_says(shelf: Shelf) -> None:
    shelf.take_away()
    shelf.files.put(PATH, f"# Other\n\n{SECTION}", permanent=False, triggers="said by the file")
    shelf.index.index()

    whole, section = shelf.entries[""], shelf.entries["a"]
    assert (whole.name, whole.trigger_phrases, whole.permanent) == (
        "Other",
        ("said by the file",),
        False,
    )
    assert (whole.tier, whole.importance_weight, whole.keywords, whole.usage) == (
        "critical",
        0.9,
        ("rotation",),
        USED,
    )
    assert (section.name, section.tier, section.usage) == ("Other: a", "critical", USED)


def test_a_dry_run_of_the_return_keeps_what_is_known(shelf: Shelf) -> None:
    shelf.files.files[PATH] = shelf.take_away()
    shelf.index.index(dry_run=True)

    assert (shelf.kept, shelf.entries) == ([PATH], {})


def test_explicitly_deleted_entries_are_not_kept(shelf: Shelf) -> None:
    file = shelf.take_away()
    shelf.files.files[PATH] = file
    shelf.index.index()
    shelf.index.forget.delete([shelf.entries[""]])

    assert shelf.kept == []
    shelf.index.index(force=True)
    assert {entry.tier for entry in shelf.entries.values()} == {"normal"}


def test_a_file_with_another_importance_is_reported(shelf: Shelf) -> None:
    shelf.files.put(PATH, BODY, tier="important", importance_weight="0.3")
    both = shelf.index.index().warnings
    shelf.files.put(PATH, BODY, tier="critical", importance_weight="0.3")
    one = shelf.index.index().warnings
    shelf.files.put(PATH, BODY, tier="critical", importance_weight="0.9")

    advice = "memory_update or hardwon update changes it"
    message = "importance_tier important and importance_weight 0.3, the memory has critical and 0.9"
    assert both == (f"{PATH!r}: the file says {message}: {advice}",)
    assert one == (f"{PATH!r}: the file says importance_weight 0.3, the memory has 0.9: {advice}",)
    assert shelf.index.index().warnings == ()


def test_a_file_that_claims_a_workspace_is_reported_and_stays_in_its_own(shelf: Shelf) -> None:
    shelf.files.put(PATH, BODY, workspace="elsewhere")
    claimed = shelf.index.index().warnings

    [line] = [line for line in claimed if "workspace" in line]
    assert (
        line
        == f"{PATH!r}: the file claims the workspace 'elsewhere', which only HARDWON_WORKSPACE can name: not taken"
    )
    assert shelf.entries[""].workspace == "work"
    shelf.files.put(PATH, f"{BODY}\n", workspace="work")
    assert not [line for line in shelf.index.index().warnings if "workspace" in line]
