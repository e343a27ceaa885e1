"""Changing and judging entries: nothing is lost, and the history tells it all."""

import datetime as dt
from itertools import pairwise
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import PastChange, Validations
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError, UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.vocabulary import TIERS, Tier
from hardwon.domain.use_cases.edit_entries import ChangeEntry, ValidationOutcome
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.fakes.clock import FixedClock
from tests.strategies import DAY, NOW, few_examples, lesson, of_file, planted

pytestmark = on_every_implementation

LATER = NOW + DAY
ONE_OF_EACH = pytest.mark.parametrize(
    "entry", [lesson("zebra"), of_file("zebra")], ids=lambda entry: entry.kind
)


def change(world: World, entry: Entry, at: dt.datetime = LATER, **values: Any) -> Any:
    change_entry = ChangeEntry(
        repository=world.repository, history=world.history, clock=FixedClock(at)
    )
    return change_entry.apply(entry.entry_id, EntryChange(**values))


def validate(world: World, entry: Entry, *, useful: bool) -> ValidationOutcome:
    return world.validate_entry(FixedClock(LATER)).judge(entry.entry_id, useful=useful)


def found_by(world: World, word: str) -> int:
    return world.keywords.match([word], "any", EVERYTHING, IN_TIME).count()


@ONE_OF_EACH
def test_two_changed_fields_are_two_lines_of_history(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        [number] = world.add(entry)
        changed = change(
            world, entry, title="Stripes", importance_weight=0.9, importance_tier="normal"
        )

        assert world.history.changes_of(number, ALL) == [
            PastChange(number, "importance_weight", "0.5", "0.9", LATER),
            PastChange(number, "title", entry.name, "Stripes", LATER),
        ]
        assert changed.entry == attrs.evolve(
            entry, name="Stripes", importance_weight=0.9, updated_at=LATER
        )
        assert world.repository.by_id(entry.entry_id) == changed.entry


@ONE_OF_EACH
def test_setting_the_present_value_changes_nothing(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        [number] = world.add(entry)
        changed = change(
            world, entry, title=entry.name, importance_tier="normal", trigger_phrases=()
        )

        assert (changed.entry, changed.changes) == (entry, ())
        assert world.history.changes_of(number, ALL) == []


def test_the_indexes_follow_a_change(make: MakeWorld) -> None:
    entry = lesson("Zebra.")
    with make() as world:
        world.add(entry)
        world.embed(entry, planted(0.6))
        change(world, entry, title="Stripes", trigger_phrases=("crossing",))

        assert (
            found_by(world, "stripes"),
            found_by(world, "lesson"),
            found_by(world, "crossing"),
        ) == (1, 0, 1)
        assert (world.vectors.count(EVERYTHING), world.vectors.count_pending(EVERYTHING)) == (0, 1)

        world.embed(entry, planted(0.6))
        change(world, entry, importance_tier="critical")
        assert world.vectors.count(EVERYTHING) == 1


def test_the_time_of_a_change_never_goes_back(make: MakeWorld) -> None:
    entry = lesson("zebra", age=0 * DAY)
    with make() as world:
        world.add(entry)

        assert change(world, entry, at=NOW - DAY, title="Stripes").entry.updated_at == NOW


@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_can_be_given_and_only_the_deprecated_is_found_no_more(
    make: MakeWorld, tier: Tier
) -> None:
    with make() as world:
        world.add(lesson("zebra"))
        changed = change(world, lesson("zebra"), importance_tier=tier)

        assert changed.entry.tier == tier
        assert changed.is_searched == (tier != "deprecated")
        assert found_by(world, "zebra") == changed.is_searched
        assert world.repository.count(EVERYTHING) == 1


@pytest.mark.parametrize(("age", "found"), [(6, 1), (7, 0), (8, 0)])
def test_an_entry_made_temporary_expires_seven_days_after_its_creation(
    make: MakeWorld, age: int, found: int
) -> None:
    entry = lesson("zebra", age=age * DAY)
    with make() as world:
        world.add(entry)
        changed = change(world, entry, at=NOW, importance_tier="temporary")

        assert changed.entry.expires_at == entry.created_at + 7 * DAY
        assert changed.is_searched == bool(found)
        assert found_by(world, "zebra") == found

        assert change(world, entry, at=NOW, title="Stripes").is_searched == bool(found)
        assert found_by(world, "stripes") == found
        assert change(world, entry, at=NOW, importance_tier="normal").is_searched
        assert found_by(world, "zebra") == 1


def test_a_permanent_entry_does_not_expire(make: MakeWorld) -> None:
    entry = lesson("zebra", age=30 * DAY)
    with make() as world:
        world.add(entry)
        changed = change(world, entry, importance_tier="temporary", permanent=True)

        assert (changed.entry.expires_at, changed.is_searched) == (None, True)
        assert found_by(world, "zebra") == 1


@given(judgements=st.lists(st.booleans(), min_size=1, max_size=12))
@few_examples
def test_all_judgements_count_and_the_score_is_their_share(
    make: MakeWorld, judgements: list[bool]
) -> None:
    entry = lesson("zebra")
    with make() as world:
        [number] = world.add(entry)
        for total, useful in enumerate(judgements, 1):
            validated = validate(world, entry, useful=useful)
            good = sum(judgements[:total])
            assert validated.entry.usage.validations == Validations(total, good)
            assert validated.offers_promotion == (total >= 5 and good * 10 >= total * 9)
            assert (validated.entry.tier, validated.entry.updated_at) == (
                "normal",
                entry.updated_at,
            )

        scores = [
            0.5,
            *(sum(judgements[:total]) / total for total in range(1, len(judgements) + 1)),
        ]
        moved = [(str(old), str(new)) for old, new in pairwise(scores) if old != new]
        assert [
            (past.old, past.new) for past in reversed(world.history.changes_of(number, ALL))
        ] == moved


@pytest.mark.parametrize("tier", ["constitutional", "critical", "deprecated"])
def test_promotion_is_not_offered_where_it_is_none(make: MakeWorld, tier: Tier) -> None:
    entry = attrs.evolve(lesson("zebra"), tier=tier)
    with make() as world:
        world.add(entry)

        offers = [validate(world, entry, useful=True).offers_promotion for _ in range(6)]
        assert offers == [False] * 6


def test_an_entry_that_is_gone_is_neither_changed_nor_judged(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(UnknownEntryError, match="no memory has the id"):
            change(world, lesson("zebra"), title="Stripes")
        with pytest.raises(UnknownEntryError, match="no memory has the id"):
            validate(world, lesson("zebra"), useful=True)

        assert world.repository.count(EVERYTHING) == 0


def test_a_learning_with_another_description_keeps_its_number_and_is_known_by_all_its_ids(
    make: MakeWorld,
) -> None:
    first, second, third = lesson("zebra"), lesson("okapi"), lesson("giraffe")
    with make() as world:
        [number] = world.add(first)
        for _ in range(3):
            validate(world, first, useful=True)
        change(world, first, description=second.description)
        changed = change(world, second, description=third.description)

        assert (changed.entry.entry_id, changed.entry.number) == (third.entry_id, number)
        assert changed.entry.usage.validations == Validations(3, 3)
        assert [past.field for past in world.history.changes_of(number, ALL)][:2] == [
            "description",
            "description",
        ]
        for old in (first, second):
            found = world.repository.reworded(old.entry_id)
            assert (world.repository.by_id(old.entry_id), found and found.number) == (None, number)
            assert world.repository.ids_starting_with(old.entry_id[:6], ALL) == [third.entry_id]
        assert world.repository.reworded(third.entry_id) is None
        assert [found_by(world, word) for word in ("zebra", "okapi", "giraffe")] == [0, 0, 1]


def test_a_description_that_is_taken_back_or_is_of_another_entry_is_no_earlier_one(
    make: MakeWorld,
) -> None:
    first, second = lesson("zebra"), lesson("okapi")
    with make() as world:
        world.add(first)
        change(world, first, description=second.description)
        change(world, second, description=first.description)
        assert world.repository.reworded(first.entry_id) is None
        assert world.repository.reworded(second.entry_id) is not None

        world.add(second)
        assert world.repository.reworded(second.entry_id) is None
        with pytest.raises(InvalidEntryError, match="another lesson says that"):
            change(world, first, description=second.description)
        assert world.repository.count(EVERYTHING) == 2


def test_a_failed_or_deleted_learning_leaves_no_earlier_id(make: MakeWorld) -> None:
    first, second = lesson("zebra"), lesson("okapi")
    with make() as world:
        world.add(first)
        world.repository.forgotten.add("x", [second.description], NOW)
        with pytest.raises(ForgottenError):
            change(world, first, description=second.description)
        assert (
            world.repository.by_id(first.entry_id) is None,
            world.repository.reworded(first.entry_id),
        ) == (
            False,
            None,
        )

        changed = change(world, first, description="Not forgotten.")
        world.repository.delete(changed.entry.entry_id)
        assert world.repository.reworded(first.entry_id) is None
