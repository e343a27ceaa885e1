import itertools
import random
from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import RecallFacts
from hardwon.domain.model.ranking.prominence import track_record
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, Confidence
from hardwon.ports.entries import EntryRepository, Field
from tests.contracts.worlds import (
    ALL,
    IN_TIME,
    MakeWorld,
    World,
    on_every_implementation,
    put_and_fail,
)
from tests.strategies import (
    DAY,
    NOW,
    all_entries,
    entries,
    few_examples,
    file_entries,
    filters,
    lesson,
    odd_entries,
    of_file,
    planted,
    within,
)

pytestmark = on_every_implementation

stores = st.lists(all_entries, max_size=15, unique_by=lambda entry: entry.entry_id)


def in_tie_order(stored: list[Entry]) -> list[Entry]:
    return sorted(stored, key=lambda entry: (NOW - entry.updated_at, entry.entry_id))


@given(entry=odd_entries | file_entries)
@few_examples
def test_any_text_put_is_got_unchanged(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        world.repository.put(entry)

        assert world.repository.by_id(entry.entry_id) == entry
        assert world.repository.matching(EVERYTHING, limit=ALL) == [entry]


@given(entry=all_entries)
@few_examples
def test_putting_twice_keeps_one(make: MakeWorld, entry: Entry) -> None:
    with make() as world:
        world.repository.put(entry)
        world.repository.put(entry)

        assert world.repository.matching(EVERYTHING, limit=ALL) == [entry]


@given(first=entries, second=entries)
@few_examples
def test_putting_an_id_again_replaces_all_but_its_creation_time(
    make: MakeWorld, first: Entry, second: Entry
) -> None:
    second = attrs.evolve(second, description=first.description)
    with make() as world:
        [number] = world.add(first)
        world.repository.put(second)

        assert world.repository.matching(LEARNINGS, limit=ALL) == [
            attrs.evolve(second, created_at=first.created_at)
        ]
        assert list(world.numbers().values()) == [number]


@given(first=file_entries, second=file_entries)
@few_examples
def test_a_file_that_changed_is_still_the_same_entry(
    make: MakeWorld, first: Entry, second: Entry
) -> None:
    second = attrs.evolve(
        second, kind=first.kind, file_path=first.file_path, anchor_id=first.anchor_id
    )
    with make() as world:
        [number] = world.add(first)
        world.repository.put(second)

        assert world.repository.matching(EVERYTHING, limit=ALL) == [
            attrs.evolve(second, created_at=first.created_at)
        ]
        assert world.numbers() == {second.entry_id: number}


def test_an_unknown_id_gives_none(make: MakeWorld) -> None:
    with make() as world:
        assert world.repository.by_id("0123456789abcdef") is None


def test_an_empty_store_answers_everything(make: MakeWorld) -> None:
    with make() as world:
        repository = world.repository

        assert repository.matching(LEARNINGS, limit=ALL) == repository.hydrate([1]) == []
        assert repository.facts([1]) == []
        assert not repository.newest_by_track_record(ALL)
        assert repository.recall_facts([1]) == []
        assert repository.count(EVERYTHING) == 0
        assert dict(repository.sizes()) == dict(repository.tally(LEARNINGS, "source")) == {}
        assert repository.most_observed() == 1
        assert repository.ids_starting_with("", ALL) == []
        world.usage.record_recall([1], NOW)


@given(stored=stores, only=filters, limit=st.integers(0, 20), offset=st.integers(0, 20))
@few_examples
def test_pages_hold_the_newest_first_then_by_id(
    make: MakeWorld, stored: list[Entry], only: EntryFilter, limit: int, offset: int
) -> None:
    with make() as world:
        world.add(*stored)

        expected = within(only, in_tie_order(stored))[offset : offset + limit]
        assert world.repository.matching(only, limit=limit, offset=offset) == expected


def small(text: str) -> bytes:
    return text.encode().lower()


@given(stored=stores)
@few_examples
def test_entries_are_sorted_by_age_and_by_name(make: MakeWorld, stored: list[Entry]) -> None:
    with make() as world:
        world.add(*stored)
        ties = in_tie_order(stored)

        by_age = world.repository.matching(EVERYTHING, limit=ALL, order="oldest")
        by_name = world.repository.matching(EVERYTHING, limit=ALL, order="name")
        assert by_age == sorted(ties, key=lambda entry: entry.created_at)
        assert by_name == sorted(ties, key=lambda entry: small(entry.name))


@given(stored=stores, order=st.randoms(use_true_random=False))
@few_examples
def test_entries_are_hydrated_in_the_order_asked_for(
    make: MakeWorld, stored: list[Entry], order: random.Random
) -> None:
    with make() as world:
        wanted = list(zip(world.add(*stored), stored, strict=True))
        order.shuffle(wanted)

        assert world.repository.hydrate([10_000, *(number for number, _ in wanted)]) == [
            entry for _, entry in wanted
        ]


@given(stored=stores)
@few_examples
def test_facts_are_what_ranking_and_recall_read(make: MakeWorld, stored: list[Entry]) -> None:
    with make() as world:
        numbers = world.add(*stored)
        world.usage.record_recall(numbers[:3], NOW)
        facts = {fact.number: fact for fact in world.repository.facts([*numbers, 10_000])}
        recall_facts = {
            fact.ranking.number: fact for fact in world.repository.recall_facts([*numbers, 10_000])
        }

        assert facts.keys() == recall_facts.keys() == set(numbers)
        for place, (number, entry) in enumerate(zip(numbers, stored, strict=True)):
            assert facts[number][1:] == (
                entry.entry_id,
                entry.category,
                entry.observation_count,
                entry.confidence,
                entry.updated_at,
                int(place < 3),
                entry.project,
                entry.superseded_by,
                entry.is_gone,
            )
            assert recall_facts[number] == RecallFacts(
                ranking=facts[number],
                kind=entry.kind,
                project=entry.project,
                workspace=entry.workspace,
                branch=entry.branch,
                permanent=entry.permanent,
                content_hash=entry.content_hash,
                words=len(entry.searchable_text().split()),
                tier=entry.tier,
                importance_weight=entry.importance_weight,
                created_at=entry.created_at.replace(microsecond=0),
                anchor_id=entry.anchor_id,
                file_path=entry.file_path,
            )


@given(
    stored=stores,
    k=st.integers(1, 4),
    recalls=st.lists(st.integers(0, 12), min_size=15, max_size=15),
)
@few_examples
def test_the_newest_learnings_of_each_track_record_are_found(
    make: MakeWorld, stored: list[Entry], k: int, recalls: list[int]
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        for number, times in zip(numbers, recalls, strict=False):
            world.usage.record_recall([number] * times, NOW)
        times_of = dict(zip((entry.entry_id for entry in stored), recalls, strict=False))

        buckets: dict[tuple[object, ...], list[str]] = {}
        for entry in within(LEARNINGS, in_tie_order(stored)):
            record = (
                entry.category,
                entry.observation_count,
                entry.confidence,
                min(times_of[entry.entry_id], 10),
            )
            buckets.setdefault(record, []).append(entry.entry_id)
        found = world.repository.newest_by_track_record(k)
        for _ in range(2):
            ids = {record: [item.entry_id for item in newest] for record, newest in found.items()}
            assert ids == {record: bucket[:k] for record, bucket in buckets.items()}
        for of_record, newest in found.items():
            assert {track_record(item) for item in newest} == {of_record}
            assert [item.recall_count for item in newest] == [
                times_of[item.entry_id] for item in newest
            ]

        wanted = [*found][::2]
        of_some = world.repository.newest_by_track_record(k, of=wanted)
        assert {known: [*newest] for known, newest in of_some.items()} == {
            known: [*found[known]] for known in wanted
        }


@given(stored=stores, only=filters)
@few_examples
def test_as_many_are_counted_as_are_found(
    make: MakeWorld, stored: list[Entry], only: EntryFilter
) -> None:
    with make() as world:
        world.add(*stored)

        assert world.repository.count(only) == len(within(only, stored))


groups = st.builds(
    lambda only, ranked, of_others: EVERYTHING._replace(
        **{name: getattr(only, name) for name in ("kinds", "scope", "anywhere", "visible_in")},
        except_session=only.except_session,
        ranked=ranked,
        of_others=of_others,
    ),
    filters,
    st.booleans(),
    st.booleans(),
)
"""Filters by what the tallies of SQLite tell apart."""

FIELDS: tuple[Field, ...] = (
    *("kind", "category", "confidence", "tier", "context_type"),
    *("source", "spec_folder", "source_project"),
)


@given(stored=stores, only=groups)
@few_examples
def test_groups_are_counted_as_they_are_found(
    make: MakeWorld, stored: list[Entry], only: EntryFilter
) -> None:
    with make() as world:
        world.add(*stored)
        assert world.repository.count(only) == len(within(only, stored))
        asks = (
            only,
            EntryFilter(only.kinds, visible_in=only.visible_in, ranked=only.ranked),
            EntryFilter(only.kinds),
            EVERYTHING._replace(visible_in=only.visible_in),
        )
        for asked, field in itertools.product(asks, FIELDS):
            found = within(asked, stored)
            values = Counter(getattr(entry, field) or "" for entry in found)
            assert [*world.repository.tally(asked, field).items()] == sorted(
                values.items(), key=lambda item: (-item[1], item[0])
            )


@given(stored=stores, only=filters, data=st.data())
@few_examples
def test_counts_follow_every_change(
    make: MakeWorld, stored: list[Entry], only: EntryFilter, data: st.DataObject
) -> None:
    with make() as world:
        present = dict[str, Entry]()
        for entry in stored:
            world.add(entry)
            present[entry.entry_id] = entry
            assert world.repository.count(only) == len(within(only, [*present.values()]))
        while present:
            entry_id = data.draw(st.sampled_from([*present]))
            change = data.draw(st.sampled_from(("delete", "deprecate")))
            if change == "delete" or present[entry_id].tier == "deprecated":
                world.repository.delete(entry_id)
                del present[entry_id]
            else:
                present[entry_id] = attrs.evolve(present[entry_id], tier="deprecated")
                world.repository.put(present[entry_id])
            assert world.repository.count(only) == len(within(only, [*present.values()]))


@given(stored=stores, seen=st.integers(1, 9))
@few_examples
def test_sizes_and_the_most_observed_are_those_of_learnings(
    make: MakeWorld, stored: list[Entry], seen: int
) -> None:
    with make() as world:
        world.add(
            *stored, attrs.evolve(of_file("a decision", path="more.md"), observation_count=seen)
        )
        learnings = within(LEARNINGS, stored)

        sizes = {
            category: sum(entry.category == category for entry in learnings)
            for category in CATEGORIES
        }
        assert dict(world.repository.sizes()) == {
            category: size for category, size in sizes.items() if size
        }
        assert world.repository.most_observed() == max(
            (entry.observation_count for entry in learnings), default=1
        )


@pytest.mark.parametrize("field", ["kind", "category", "confidence", "source", "source_project"])
@given(stored=stores, only=filters)
@few_examples
def test_a_tally_counts_each_value_the_most_frequent_first(
    make: MakeWorld, field: Field, stored: list[Entry], only: EntryFilter
) -> None:
    with make() as world:
        world.add(*stored)
        tally = world.repository.tally(only, field)

        values = [getattr(entry, field) or "" for entry in within(only, stored)]
        assert dict(tally) == {value: values.count(value) for value in values}
        assert list(tally.values()) == sorted(tally.values(), reverse=True)


@given(stored=stores, length=st.integers(0, 3), limit=st.integers(0, 5))
@few_examples
def test_ids_are_found_by_their_beginning(
    make: MakeWorld, stored: list[Entry], length: int, limit: int
) -> None:
    with make() as world:
        world.add(*stored)
        prefix = stored[0].entry_id[:length] if stored else "f"
        ids = sorted(entry.entry_id for entry in stored if entry.entry_id.startswith(prefix))

        assert world.repository.ids_starting_with(prefix, limit) == ids[:limit]


@pytest.mark.parametrize("prefix", ["%", "_", "'", '"', "\0", "g"])
def test_no_prefix_is_taken_for_a_pattern(make: MakeWorld, prefix: str) -> None:
    with make() as world:
        world.add(lesson("one"))

        assert world.repository.ids_starting_with(prefix, ALL) == []


@given(stored=stores)
@few_examples
def test_a_recall_counts_and_changes_nothing_else(make: MakeWorld, stored: list[Entry]) -> None:
    with make() as world:
        numbers = world.add(*stored)
        world.usage.record_recall([*numbers[:3], 10_000], NOW - DAY)
        world.usage.record_recall(numbers[:3], NOW)

        assert world.repository.hydrate(numbers) == [
            attrs.evolve(entry, recall_count=2, last_recalled_at=NOW) if place < 3 else entry
            for place, entry in enumerate(stored)
        ]


def test_putting_again_does_not_touch_the_counters(make: MakeWorld) -> None:
    entry = lesson("one")
    with make() as world:
        numbers = world.add(attrs.evolve(entry, recall_count=7, last_recalled_at=NOW))
        assert world.repository.by_id(entry.entry_id) == entry

        world.usage.record_recall(numbers, NOW)
        world.repository.put(attrs.evolve(entry, recall_count=0))

        assert world.repository.by_id(entry.entry_id) == attrs.evolve(
            entry, recall_count=1, last_recalled_at=NOW
        )


def test_a_transaction_that_fails_changes_nothing(make: MakeWorld) -> None:
    first = lesson("first")
    with make() as world:
        world.add(first)
        world.embed(first, planted(1.0))

        with pytest.raises(LookupError):
            put_and_fail(world, lesson("second"), attrs.evolve(first, notes="- changed"))

        assert world.repository.matching(LEARNINGS, limit=ALL) == [first]
        assert world.vectors.count(EVERYTHING) == 1


def test_a_transaction_within_another_is_part_of_it(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(LookupError):
            put_and_fail_around_another(world)

        assert world.repository.matching(LEARNINGS, limit=ALL) == []


def put_and_fail_around_another(world: World) -> None:
    with world.repository.transaction():
        with world.repository.transaction():
            world.repository.put(lesson("one"))
        raise LookupError


def test_after_a_transaction_the_next_one_works(make: MakeWorld) -> None:
    with make() as world:
        for number in range(3):
            with world.repository.transaction():
                world.repository.put(lesson(f"lesson {number}"))

        assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 3


@given(
    texts=st.lists(st.sampled_from(("zebra", "zebra lion", "lion", "gone")), max_size=6),
    known=st.booleans(),
)
@few_examples
def test_entries_of_a_batch_are_indexed_as_if_put_one_by_one(
    make: MakeWorld, texts: list[str], *, known: bool
) -> None:
    def put(repository: EntryRepository) -> None:
        for text in texts:
            entry = attrs.evolve(lesson("one"), notes=f"- {text}")
            repository.put(entry)
            if text == "gone":
                repository.delete(entry.entry_id)
            repository.put(attrs.evolve(lesson(text), tier="deprecated"))

    with make() as single, make() as together:
        for world in (single, together):
            world.add(*[attrs.evolve(lesson("one"), notes="- lion")] * known)
        put(single.repository)
        put(single.repository)
        with together.repository.batch():
            with together.repository.batch():
                put(together.repository)
            put(together.repository)

        counted = [
            world.keywords.frequencies(("zebra", "lion", "one"), IN_TIME)
            for world in (single, together)
        ]
        assert counted[0] == counted[1]
        assert single.keywords.size() == together.keywords.size()


def put_and_fail_in_a_batch(world: World) -> None:
    with world.repository.batch():
        world.repository.put(lesson("zebra"))
        raise LookupError


def test_a_batch_that_fails_changes_nothing(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(LookupError):
            put_and_fail_in_a_batch(world)
        world.repository.put(lesson("lion"))

        assert world.repository.matching(LEARNINGS, limit=ALL) == [lesson("lion")]
        assert world.keywords.size() == 1


def test_a_snapshot_can_be_read_and_left_and_writing_goes_on(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"))
        with world.repository.snapshot():
            assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 1
        world.add(lesson("two"))

        assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 2


@pytest.mark.parametrize("ahead", [(1, 2, 3, 9), (2,), (9, 3, 2, 1, 1), ()])
def test_a_prefetch_changes_no_answer(make: MakeWorld, ahead: tuple[int, ...]) -> None:
    with make() as world:
        world.add(*(lesson(f"lesson {number}") for number in range(3)))
        world.embed_all({number: planted(1 / number) for number in world.numbers().values()})
        repository = world.repository

        def answers(numbers: tuple[int, ...]) -> tuple[object, ...]:
            return (
                repository.printed(numbers),
                sorted(repository.facts(numbers)),
                sorted(repository.recall_facts(numbers), key=repr),
                repository.references(numbers),
                repository.outdated(numbers),
                (repository.sizes(), repository.most_observed(), repository.count(LEARNINGS)),
                (world.vectors.has_any(LEARNINGS), world.vectors.count_pending(LEARNINGS)),
                (world.keywords.frequencies(("lesson", "1"), IN_TIME), world.keywords.size()),
            )

        wanted = [answers(numbers) for numbers in ((3, 1, 2), (1,), (9, 2))]
        with repository.snapshot():
            repository.prefetch(lambda: answers(ahead))
            assert [answers(numbers) for numbers in ((3, 1, 2), (1,), (9, 2))] == wanted
        repository.prefetch(lambda: answers(ahead))
        assert [answers(numbers) for numbers in ((3, 1, 2), (1,), (9, 2))] == wanted


@given(stored=stores)
@few_examples
def test_an_entry_is_found_by_its_file_as_a_whole_or_as_a_section(
    make: MakeWorld, stored: list[Entry]
) -> None:
    with make() as world:
        world.add(*stored)

        assert world.repository.with_file("/memory/nowhere.md") is None
        for entry in stored:
            path = entry.file_path or ""
            found = world.repository.of_file(path)
            assert entry in (found if path else [entry])
            assert [*filter(None, [world.repository.with_file(path)])] == [
                part for part in found if not part.anchor_id
            ]
            assert found == sorted(found, key=lambda part: part.anchor_id)


def test_a_file_has_one_entry_until_that_is_deleted(make: MakeWorld) -> None:
    decision = of_file("one")
    gotcha = attrs.evolve(decision, kind="gotcha")
    with make() as world:
        world.add(decision)
        with pytest.raises(StorageError):
            world.repository.put(gotcha)
        assert world.repository.matching(EVERYTHING, limit=ALL) == [decision]

        world.repository.delete(decision.entry_id)
        world.repository.put(gotcha)
        assert world.repository.matching(EVERYTHING, limit=ALL) == [gotcha]


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_every_confidence_can_be_stored(make: MakeWorld, confidence: Confidence) -> None:
    with make() as world:
        world.repository.put(attrs.evolve(lesson("one"), confidence=confidence))

        assert dict(world.repository.tally(LEARNINGS, "confidence")) == {confidence: 1}
