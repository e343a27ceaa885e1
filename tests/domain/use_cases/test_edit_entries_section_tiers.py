"""The tier of a file holds for its sections, but for those that were given one themselves."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.vocabulary import TIERS, Tier
from hardwon.domain.use_cases.edit_entries import ChangeEntry, EditOutcome
from tests.fakes.activity import InMemoryHistory
from tests.fakes.clock import FixedClock
from tests.fakes.documents import SPECS, WRITTEN_AT, InMemoryFiles, index_files
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import DAY, NOW, lesson

PATH = f"{SPECS}005-auth/memory/tokens.md"
ANCHORS = ("a", "b")


class Shelf:
    """One file of two sections, and the use case that changes the tiers of its entries."""

    def __init__(self) -> None:
        self.files = InMemoryFiles()
        self.repository = InMemoryEntryRepository()
        self.index = index_files(self.files, self.repository)
        self.edits = 0
        self.write(*ANCHORS)

    def write(self, *anchors: str, force: bool = False) -> None:
        self.edits += not force
        sections = (
            f"<!-- ANCHOR:{anchor} -->\nText of {anchor}.\n<!-- /ANCHOR:{anchor} -->\n"
            for anchor in anchors
        )
        self.files.put(PATH, f"Version {self.edits}.\n" + "".join(sections), WRITTEN_AT)
        self.index.index(force=force)

    def leave_and_return(self) -> None:
        away = self.files.files.pop(PATH)
        self.index.index()
        self.files.files[PATH] = away
        self.index.index()

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.anchor_id: entry for entry in self.repository.matching(EVERYTHING, limit=9)}

    @property
    def tiers(self) -> dict[str, Tier]:
        return {anchor: entry.tier for anchor, entry in self.entries.items()}

    def change(self, anchor: str, tier: Tier) -> EditOutcome:
        history = InMemoryHistory(self.repository.state)
        change_entry = ChangeEntry(repository=self.repository, history=history, clock=FixedClock())
        return change_entry.apply(self.entries[anchor].entry_id, EntryChange(importance_tier=tier))


def test_sections_take_the_tier_of_their_file_over_and_the_history_tells_it() -> None:
    shelf = Shelf()
    changed = shelf.change("", "deprecated")

    assert shelf.tiers == dict.fromkeys(("", "a", "b"), "deprecated")
    assert changed.sections == (2, 0)
    recorded = {
        (change.number, change.field, change.old, change.new)
        for change in shelf.repository.state.history
    }
    numbers = {entry.number for entry in shelf.entries.values()}
    assert recorded == {(number, "importance_tier", "normal", "deprecated") for number in numbers}


@pytest.mark.parametrize("own", ["important", "normal"])
def test_a_section_keeps_the_tier_that_was_set_for_it(own: Tier) -> None:
    shelf = Shelf()
    shelf.change("a", own)

    assert shelf.change("", "deprecated").sections == (1, 1)
    assert shelf.tiers == {"": "deprecated", "a": own, "b": "deprecated"}


def test_a_section_that_is_given_the_tier_it_has_keeps_it_and_its_timestamp() -> None:
    shelf = Shelf()
    before = shelf.entries["a"]
    change_entry = ChangeEntry(
        repository=shelf.repository,
        history=InMemoryHistory(shelf.repository.state),
        clock=FixedClock(NOW + DAY),
    )
    changed = change_entry.apply(before.entry_id, EntryChange(importance_tier=before.tier))

    assert changed.changes == ()
    assert shelf.entries["a"] == attrs.evolve(before, own_tier=True)
    assert shelf.change("", "deprecated").sections == (1, 1)


def test_setting_a_file_back_revives_no_section_that_was_deprecated_itself() -> None:
    shelf = Shelf()
    shelf.change("a", "deprecated")
    shelf.change("", "deprecated")

    assert shelf.change("", "normal").sections == (1, 1)
    assert shelf.tiers == {"": "normal", "a": "deprecated", "b": "normal"}


def test_a_section_that_comes_later_is_deprecated_with_its_file() -> None:
    shelf = Shelf()
    shelf.change("", "deprecated")
    shelf.write("a", "c")

    assert shelf.tiers == dict.fromkeys(("", "a", "c"), "deprecated")


@pytest.mark.parametrize("is_asked", [True, False], ids=["asked again", "read again"])
def test_sections_that_an_earlier_hardwon_left_behind_follow(*, is_asked: bool) -> None:
    shelf = Shelf()
    shelf.repository.put(attrs.evolve(shelf.entries[""], tier="deprecated"))
    if is_asked:
        shelf.change("", "deprecated")
    else:
        shelf.write(*ANCHORS, force=True)

    assert set(shelf.tiers.values()) == {"deprecated"}


def test_an_entry_without_a_file_has_no_sections() -> None:
    shelf = Shelf()
    learning = lesson("No file.")
    shelf.repository.put(learning)
    change_entry = ChangeEntry(
        repository=shelf.repository,
        history=InMemoryHistory(shelf.repository.state),
        clock=FixedClock(),
    )

    assert change_entry.apply(
        learning.entry_id, EntryChange(importance_tier="deprecated")
    ).sections == (0, 0)
    assert shelf.tiers | {"": "normal"} == dict.fromkeys(("", *ANCHORS), "normal")


given_tiers = st.tuples(st.sampled_from(["", *ANCHORS]), st.sampled_from(TIERS))
other_steps = st.sampled_from(["edit", "force", "leave and return"])


@given(steps=st.lists(given_tiers | other_steps, max_size=8))
def test_a_section_has_its_own_tier_or_that_of_its_file(
    steps: list[tuple[str, Tier] | str],
) -> None:
    shelf = Shelf()
    given: dict[str, Tier] = {"": "normal"}
    for step in steps:
        match step:
            case "edit":
                shelf.write(*ANCHORS)
            case "force":
                shelf.write(*ANCHORS, force=True)
            case "leave and return":
                shelf.leave_and_return()
            case (anchor, tier):
                shelf.change(anchor, tier)
                given[anchor] = tier
        assert shelf.tiers == {anchor: given.get(anchor, given[""]) for anchor in ("", *ANCHORS)}
