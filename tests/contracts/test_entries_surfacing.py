"""Entries that are injected without a search, and searches among some entries only."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, seen_from
from tests.contracts.worlds import (
    ALL,
    IN_TIME,
    MakeWorld,
    on_every_implementation,
    on_every_keyword_index,
)
from tests.fakes.projects import working_in
from tests.strategies import (
    DAY,
    NOW,
    QUERY_VECTOR,
    all_entries,
    few_examples,
    is_within,
    lesson,
    of_file,
    planted,
)

stores = st.lists(all_entries, max_size=12, unique_by=lambda entry: entry.entry_id)


HERE = seen_from(working_in("here"), EVERYTHING)


def comes_up(entry: Entry) -> bool:
    return is_within(entry, HERE)


@on_every_implementation
@given(stored=stores)
@few_examples
def test_rules_are_the_constitutional_lessons_of_all_and_the_files_of_the_project(
    make: MakeWorld, stored: list[Entry]
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        whole_rules = {
            entry.file_path
            for entry in stored
            if entry.tier == "constitutional" and not entry.anchor_id
        }

        assert {rule.number: rule[1:-1] for rule in world.repository.constitutional(HERE)} == {
            number: (
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.description,
                entry.notes,
                entry.importance_weight,
                entry.created_at,
                entry.project,
                entry.citations,
            )
            for number, entry in zip(numbers, stored, strict=True)
            if entry.tier == "constitutional" and comes_up(entry)
            if not (entry.anchor_id and entry.file_path in whole_rules)
        }


@on_every_implementation
@given(stored=stores)
@few_examples
def test_owners_are_those_with_phrases_in_the_order_of_their_numbers(
    make: MakeWorld, stored: list[Entry]
) -> None:
    with make() as world:
        numbers = world.add(*stored)

        assert [tuple(owner) for owner in world.triggers.owners(HERE)] == [
            (
                number,
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.spec_folder,
                entry.file_path,
                entry.anchor_id,
                entry.tier,
                entry.trigger_phrases,
            )
            for number, entry in zip(numbers, stored, strict=True)
            if entry.trigger_phrases and comes_up(entry)
        ]


@on_every_implementation
def test_deprecated_and_expired_entries_own_no_phrase(make: MakeWorld) -> None:
    with make() as world:
        world.add(
            attrs.evolve(lesson("gone"), tier="deprecated", trigger_phrases=("parser",)),
            attrs.evolve(lesson("old", age=8 * DAY), tier="temporary", trigger_phrases=("parser",)),
            attrs.evolve(lesson("new", age=6 * DAY), tier="temporary", trigger_phrases=("parser",)),
        )
        world.repository.retire_expired(NOW)

        assert [owner.number for owner in world.triggers.owners(HERE)] == [3]


@on_every_implementation
def test_the_version_and_the_own_changes_move_with_every_change(make: MakeWorld) -> None:
    with make() as world:
        states = [(world.triggers.version(), world.triggers.own_changes())]
        for entry in (lesson("one"), attrs.evolve(lesson("one"), trigger_phrases=("parser",))):
            world.add(entry)
            states.append((world.triggers.version(), world.triggers.own_changes()))

        versions, changes = zip(*states, strict=True)
        assert len(set(versions)) == len(set(changes)) == 3


@on_every_implementation
@given(stored=stores, data=st.data())
@few_examples
def test_only_the_named_entries_or_all_but_those(
    make: MakeWorld, stored: list[Entry], data: st.DataObject
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        world.embed_all(dict.fromkeys(numbers, planted(0.6)))
        named = tuple(data.draw(st.lists(st.sampled_from([*numbers, 999]), unique=True)))
        others = set(numbers) - set(named)

        for only, expected in (
            (EVERYTHING._replace(among=named), set(numbers) & set(named)),
            (EVERYTHING._replace(except_for=named), others),
            (EVERYTHING._replace(among=named, except_for=named), set()),
        ):
            assert {
                entry.number for entry in world.repository.matching(only, limit=ALL)
            } == expected
            assert {
                hit.number for hit in world.index.compare(QUERY_VECTOR, only).top(ALL)
            } == expected


@on_every_keyword_index
def test_all_words_must_be_in_the_texts_not_in_labels(make: MakeWorld) -> None:
    with make() as world:
        numbers = world.add(
            of_file("the parser has a lock", path="both.md"),
            of_file(
                "only a parser", path="label.md", keywords=("lock",), trigger_phrases=("lock",)
            ),
            of_file("another parser", path="place.md", spec_folder="001-lock", anchor_id="lock"),
        )
        found = world.keywords.match(["parser", "lock"], "all", EVERYTHING, IN_TIME)

        assert [hit.number for hit in found.top(ALL)] == numbers[:1]
        assert world.keywords.match(["parser", "lock"], "any", EVERYTHING, IN_TIME).count() == len(
            numbers
        )
