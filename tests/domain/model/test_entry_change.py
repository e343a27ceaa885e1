import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import NO_CHANGE, EntryChange, changes_between
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.redaction import REDACTED
from hardwon.domain.model.vocabulary import CONFIDENCES, TIERS
from tests.strategies import all_entries, importance_weights, labels, lesson, phrases

SECRET = "ghp_" + "a1B2" * 9

changes = st.builds(
    EntryChange,
    title=st.none() | phrases,
    trigger_phrases=st.none() | labels,
    importance_weight=st.none() | importance_weights,
    importance_tier=st.none() | st.sampled_from(TIERS),
    keywords=st.none() | labels,
    tags=st.none() | labels,
    permanent=st.none() | st.booleans(),
    confidence=st.none() | st.sampled_from(CONFIDENCES),
    reasoning=st.none() | phrases,
)


@given(entry=all_entries, change=changes)
def test_named_fields_get_the_new_value_and_the_rest_stays(
    entry: Entry, change: EntryChange
) -> None:
    after = change.applied_to(entry)

    assert after.entry_id == entry.entry_id
    assert after.name == (entry.name if change.title is None else change.title)
    assert after.tier == (change.importance_tier or entry.tier)
    assert after.importance_weight == (
        entry.importance_weight if change.importance_weight is None else change.importance_weight
    )
    for field in ("trigger_phrases", "keywords", "tags", "permanent", "confidence", "reasoning"):
        wanted = getattr(change, field)
        assert getattr(after, field) == (getattr(entry, field) if wanted is None else wanted)
    of_change = {
        "name",
        "tier",
        "importance_weight",
        "trigger_phrases",
        "keywords",
        "tags",
        "permanent",
    }
    of_change |= {"confidence", "reasoning", "own_tier"}
    others = [field.name for field in attrs.fields(Entry) if field.name not in of_change]
    assert [getattr(after, name) for name in others] == [getattr(entry, name) for name in others]


@given(entry=all_entries, change=changes)
def test_a_section_that_is_given_a_tier_has_its_own(entry: Entry, change: EntryChange) -> None:
    is_given = change.importance_tier is not None and entry.anchor_id != ""

    assert change.applied_to(entry).own_tier == (entry.own_tier or is_given)


@given(entry=all_entries, change=changes)
def test_the_differences_are_those_of_the_fields_that_were_named(
    entry: Entry, change: EntryChange
) -> None:
    after = change.applied_to(entry)
    differences = changes_between(entry, after)

    named = {name for name, value in attrs.asdict(change).items() if value is not None}
    assert {difference.field for difference in differences} <= named
    assert all(difference.old != difference.new for difference in differences)
    assert bool(differences) == (attrs.evolve(after, own_tier=entry.own_tier) != entry)
    assert changes_between(after, entry) == tuple(
        FieldChange(f, new, old) for f, old, new in differences
    )
    assert changes_between(after, change.applied_to(after)) == ()


def test_values_are_kept_as_texts_or_as_json() -> None:
    before = lesson("zebra")
    change = EntryChange(
        title="Émigré",
        trigger_phrases=("save it", "über"),
        importance_weight=1.0,
        importance_tier="critical",
    )

    assert changes_between(before, change.applied_to(before)) == (
        FieldChange("title", "Lesson", "Émigré"),
        FieldChange("trigger_phrases", "[]", '["save it", "über"]'),
        FieldChange("importance_weight", "0.5", "1.0"),
        FieldChange("importance_tier", "normal", "critical"),
    )


def test_secrets_are_taken_out_of_every_text() -> None:
    change = EntryChange(
        title=f"Key {SECRET}",
        trigger_phrases=(f"use {SECRET}",),
        keywords=(SECRET,),
        tags=(f"x-{SECRET}",),
        reasoning=f"found with {SECRET}",
    )

    assert SECRET not in repr(change)
    assert repr(change).count(REDACTED) == 5


def test_only_a_change_without_values_is_empty() -> None:
    assert NO_CHANGE.is_empty
    assert not EntryChange(permanent=False).is_empty
    assert not EntryChange(trigger_phrases=()).is_empty
    assert not EntryChange(importance_weight=0.0).is_empty


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"title": " \n"}, "title is blank: give it some text"),
        ({"title": "<private>all of it</private>"}, "title is blank: give it some text"),
        ({"title": "a\0b"}, "title holds a NUL character at position 1: remove it"),
        ({"importance_weight": 1.5}, "importance_weight is 1.5: use a number from 0 to 1"),
        ({"importance_weight": -0.1}, "importance_weight is -0.1: use a number from 0 to 1"),
        ({"importance_weight": float("nan")}, "importance_weight is nan: use a number from 0 to 1"),
        (
            {"importance_tier": "urgent"},
            f"importance_tier is 'urgent': use one of {', '.join(TIERS)}",
        ),
        ({"trigger_phrases": ("ab",)}, "the trigger phrase 'ab' has 2 characters: use 3 to 100"),
        (
            {"trigger_phrases": ("x" * 101,)},
            f"the trigger phrase {'x' * 80!r} has 101 characters: use 3 to 100",
        ),
        (
            {"trigger_phrases": tuple(f"phrase {n}" for n in range(21))},
            "there are 21 trigger phrases: use 20 at most",
        ),
        ({"confidence": "sure"}, f"confidence is 'sure': use one of {', '.join(CONFIDENCES)}"),
        ({"reasoning": "a\0b"}, "reasoning holds a NUL character at position 1: remove it"),
        ({"tags": ("a\0b",)}, "tags holds a NUL character at position 1: remove it"),
    ],
)
def test_a_value_that_is_not_fit_is_refused_in_one_line(
    values: dict[str, object], line: str
) -> None:
    with pytest.raises(InvalidEntryError) as caught:
        EntryChange(**values)  # type: ignore[arg-type]  # wrong types are what is tested

    assert str(caught.value) == line


def test_phrases_are_normalised_as_those_of_files_are() -> None:
    assert EntryChange(
        trigger_phrases=(" save   it ", "SAVE IT", '"quoted"', "")
    ).trigger_phrases == (
        "save it",
        "quoted",
    )
    assert EntryChange(trigger_phrases=("",)).trigger_phrases == ()
