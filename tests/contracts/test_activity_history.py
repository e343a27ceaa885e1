import datetime as dt
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import FieldChange, PastChange
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation
from tests.strategies import NOW, anything, few_examples, lesson, timestamps

pytestmark = on_every_implementation

CHANGE = FieldChange("title", "Old", "New")

changes = st.builds(
    FieldChange, st.sampled_from(["title", "importance_tier"]), st.none() | anything, anything
)


@given(
    recorded=st.lists(
        st.tuples(st.integers(1, 3), st.lists(changes, max_size=3), timestamps), max_size=6
    )
)
@few_examples
def test_entries_have_separate_histories_the_last_change_first(
    make: MakeWorld, recorded: list[tuple[int, list[FieldChange], dt.datetime]]
) -> None:
    with make() as world:
        past = record_all(world, recorded)
        for number in (1, 2, 3):
            own = [change for change in reversed(past) if change.number == number]
            assert world.history.changes_of(number, ALL) == own
            assert world.history.changes_of(number, 2) == own[:2]


def record_all(
    world: World, recorded: Sequence[tuple[int, list[FieldChange], dt.datetime]]
) -> list[PastChange]:
    past = list[PastChange]()
    for number, made, at in recorded:
        world.history.record(number, made, at)
        past += [PastChange(number, *change, at) for change in made]
    return past


def test_the_history_outlives_the_entry(make: MakeWorld) -> None:
    with make() as world:
        [number] = world.add(lesson("zebra"))
        world.history.record(number, [CHANGE], NOW)
        world.repository.delete(lesson("zebra").entry_id)

        assert world.history.changes_of(number, ALL) == [PastChange(number, *CHANGE, NOW)]


def test_rolled_back_changes_have_no_history(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(LookupError):
            record_and_fail(world)

        assert world.history.changes_of(1, ALL) == []


def record_and_fail(world: World) -> None:
    with world.repository.transaction():
        world.history.record(1, [CHANGE], NOW)
        raise LookupError
