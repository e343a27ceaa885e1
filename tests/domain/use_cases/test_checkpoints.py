import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.checkpoint import (
    CHECKPOINT_SCOPES,
    LONGEST_NAME,
    Checkpoint,
    Contents,
    safety_name,
)
from hardwon.domain.model.errors import InvalidCheckpointError, InvalidEntryError, StorageError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.snapshots import InMemorySnapshots
from tests.fakes.state import State
from tests.strategies import NOW, characters, lesson, of_file, timestamps

HERE = Contents("documents", "here")


class Kept:
    """Checkpoints over a store in memory."""

    def __init__(self) -> None:
        state = State()
        self.repository = InMemoryEntryRepository(state)
        self.snapshots = InMemorySnapshots(state)
        self.clock = FixedClock()
        self.checkpoints = Checkpoints(snapshots=self.snapshots, clock=self.clock)
        self.repository.put(of_file("first", kind="document", project="here"))

    def create(self, name: str = "before", contents: Contents = HERE) -> Checkpoint:
        return self.checkpoints.create(name, "", contents)


@pytest.fixture
def kept() -> Kept:
    return Kept()


def test_a_checkpoint_is_listed_with_what_it_holds_the_newest_first(kept: Kept) -> None:
    kept.create("one")
    kept.clock.advance(60)
    second = kept.checkpoints.create(" two ", "Why.\nBecause. ", Contents("all", "here"))

    assert kept.checkpoints.all() == [second, kept.checkpoints.named("one")]
    assert (second.name, second.description, second.memory_count, second.is_there) == (
        "two",
        "Why.\nBecause.",
        1,
        True,
    )
    assert second.created_at == NOW + dt.timedelta(seconds=60)


def test_names_are_unique_and_the_refusal_says_what_to_do(kept: Kept) -> None:
    kept.create("before")

    with pytest.raises(
        InvalidCheckpointError, match="'before' already: delete it, or choose another name"
    ):
        kept.create(" before\n")
    assert len(kept.checkpoints.all()) == 1


@pytest.mark.parametrize(
    "name", ["", " \n", "a\nb", "a\u2028b", "x" * (LONGEST_NAME + 1), "a\0b", "\ud800"]
)
def test_a_name_that_does_not_fit_on_one_line_is_refused(kept: Kept, name: str) -> None:
    with pytest.raises((InvalidCheckpointError, InvalidEntryError)):
        kept.create(name)
    assert kept.checkpoints.all() == []


def test_a_scope_that_is_none_is_refused(kept: Kept) -> None:
    with pytest.raises(InvalidEntryError, match="documents, project, all"):
        kept.create(contents=Contents("everything", "here"))  # type: ignore[arg-type]  # what a caller may get wrong


@pytest.mark.parametrize("act", ["restore", "delete"])
def test_an_unknown_name_is_reported_with_the_existing_checkpoints(kept: Kept, act: str) -> None:
    with pytest.raises(InvalidCheckpointError, match="'nope': none was made yet"):
        getattr(kept.checkpoints, act)("nope")
    kept.create("before")
    with pytest.raises(InvalidCheckpointError, match="'nope': list them"):
        getattr(kept.checkpoints, act)("nope")


def test_a_restore_undoes_what_came_after_and_can_be_undone_itself(kept: Kept) -> None:
    kept.create("before")
    kept.repository.put(of_file("second", kind="document", project="here"))
    kept.repository.put(lesson("outside of it"))
    restored = kept.checkpoints.restore("before")

    assert restored.safety.name == "before restore of before (2026-03-01 12:30:00)"
    assert restored.safety.contents == restored.contents == HERE
    assert tuple(restored.replacement) == (1, 1, 0)
    assert {entry.description for entry in kept.snapshots._state.entries.values()} == {
        "first",
        "outside of it",
    }

    kept.checkpoints.restore(restored.safety.name)
    assert {entry.description for entry in kept.snapshots._state.entries.values()} == {
        "second",
        "outside of it",
    }


def test_another_scope_may_be_named_for_a_restore(kept: Kept) -> None:
    kept.create("before")
    kept.repository.put(lesson("later"))

    assert kept.checkpoints.restore("before").replacement.removed == 0
    assert kept.checkpoints.restore("before", "all").replacement.removed == 1


def test_two_restores_in_one_second_have_two_safety_checkpoints(kept: Kept) -> None:
    kept.create("before")
    names = {kept.checkpoints.restore("before").safety.name for _ in range(3)}

    assert len(names) == 3
    assert "before restore of before (2026-03-01 12:30:00, 3)" in names


def test_a_missing_snapshot_is_shown_and_can_not_be_restored(kept: Kept) -> None:
    made = kept.create("before")
    kept.snapshots.files.clear()

    assert [checkpoint.is_there for checkpoint in kept.checkpoints.all()] == [False]
    with pytest.raises(StorageError):
        kept.checkpoints.restore("before")
    assert [checkpoint.name for checkpoint in kept.checkpoints.all()] == [made.name]


def test_deleting_a_checkpoint_removes_its_snapshot_and_frees_its_name(kept: Kept) -> None:
    kept.create("before")

    assert kept.checkpoints.delete("before").name == "before"
    assert (kept.checkpoints.all(), kept.snapshots.files) == ([], {})
    assert kept.create("before").number == 2


def test_a_copy_of_a_store_brings_everything_back(kept: Kept) -> None:
    kept.snapshots.back_up("/b.db")
    kept.repository.put(lesson("later"))
    restored = kept.checkpoints.restore_file("/b.db", "b.db", Workplace("here"))

    assert (restored.contents.scope, restored.replacement.removed) == ("all", 1)
    assert restored.safety.name.startswith("before restore of b.db (")


@given(
    restored=st.text(characters, min_size=1, max_size=LONGEST_NAME).filter(str.strip),
    at=timestamps,
    attempt=st.integers(1, 20),
)
def test_the_name_of_a_safety_checkpoint_always_fits(
    restored: str, at: dt.datetime, attempt: int
) -> None:
    one_line = " ".join(restored.split())
    name = safety_name(one_line, at, attempt)

    assert Checkpoint(name=name, created_at=at, contents=HERE).name == name
    assert name.endswith(")")


@given(scope=st.sampled_from(CHECKPOINT_SCOPES))
def test_a_scope_names_the_entries_it_is_about(scope: str) -> None:
    entries = Contents(scope, "here").entries  # type: ignore[arg-type]  # drawn from the scopes

    assert (entries.scope.projects, len(entries.kinds)) == {
        "documents": (("here",), 1),
        "project": (("here",), 7),
        "all": ((), 7),
    }[scope]
