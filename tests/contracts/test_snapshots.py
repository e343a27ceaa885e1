import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.checkpoint import CHECKPOINT_SCOPES, Checkpoint, CheckpointScope, Contents
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.ports.snapshots import Replacement
from tests.contracts.changes import Change, changes, seen
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.strategies import NOW, few_examples, lesson, of_file, planted

pytestmark = on_every_implementation

DOCUMENTS = Contents("documents", "here")
EVERY_ENTRY = Contents("all", "here")


def take(world: World, contents: Contents = EVERY_ENTRY, name: str = "before") -> Checkpoint:
    with world.snapshots.transaction():
        return world.snapshots.take(Checkpoint(name=name, contents=contents, created_at=NOW))


def restore(world: World, checkpoint: Checkpoint, contents: Contents | None = None) -> Replacement:
    with world.snapshots.opened(checkpoint.snapshot_path) as snapshot:
        return snapshot.bring_back(contents or checkpoint.contents, name=checkpoint.name, at=NOW)


def document(text: str, path: str = "one.md", project: str = "here") -> Entry:
    return of_file(text, kind="document", path=path, project=project)


histories = st.lists(changes, max_size=8)


@given(before=histories, after=histories, scope=st.sampled_from(CHECKPOINT_SCOPES))
@few_examples
def test_whatever_happens_after_a_checkpoint_a_restore_brings_its_state_back(
    make: MakeWorld, before: list[Change], after: list[Change], scope: CheckpointScope
) -> None:
    contents = Contents(scope, "here")
    with make() as world:
        for change in before:
            change(world)
        checkpoint = take(world, contents)
        then = seen(world, contents.entries)
        for change in after:
            change(world)
        now = seen(world, EVERYTHING)
        inside = seen(world, contents.entries)
        done = restore(world, checkpoint)

        assert seen(world, contents.entries) == then
        assert (checkpoint.memory_count, done[0]) == (len(then), len(then))
        there = seen(world, EVERYTHING)
        outside = {number: entry for number, entry in now.items() if number not in inside}
        gave_way = outside.keys() - there.keys()
        assert {number: there[number] for number in outside.keys() - gave_way - then.keys()} == {
            number: entry
            for number, entry in outside.items()
            if number not in gave_way | then.keys()
        }
        assert len(gave_way) <= len(then)
        assert world.keywords.size() == world.repository.count(EVERYTHING._replace(ranked=True))
        assert restore(world, checkpoint) == (len(then), 0, 0)


def test_deleted_changed_and_added_entries_are_restored(make: MakeWorld) -> None:
    with make() as world:
        [kept, gone, changed] = world.add(
            document("kept", path="1"), document("zebra", path="2"), document("first", path="3")
        )
        world.embed(document("zebra", path="2"), planted(0.6))
        checkpoint = take(world, DOCUMENTS)
        world.repository.delete(document("zebra", path="2").entry_id)
        world.add(document("second", path="3"), document("giraffe", path="4"))

        assert restore(world, checkpoint) == (3, 2, 1)
        assert [entry.description for entry in world.repository.hydrate([kept, gone, changed])] == [
            "kept",
            "zebra",
            "first",
        ]
        assert [
            hit.number
            for hit in world.keywords.match(["zebra"], "any", EVERYTHING, IN_TIME).top(ALL)
        ] == [gone]
        assert world.keywords.weigh(["giraffe"], EVERYTHING, IN_TIME).count() == 0
        assert world.vectors.vectors_of([document("zebra", path="2").entry_id]).get(
            document("zebra", path="2").entry_id
        ) == planted(0.6)


def test_entries_outside_the_scope_are_unchanged(make: MakeWorld) -> None:
    with make() as world:
        world.add(document("one"), lesson("a lesson"))
        checkpoint = take(world, DOCUMENTS)
        world.repository.delete(lesson("a lesson").entry_id)
        world.add(lesson("another"), document("there", path="2", project="there"))
        restore(world, checkpoint)

        assert {
            entry.description for entry in world.repository.matching(EVERYTHING, limit=ALL)
        } == {
            "one",
            "another",
            "there",
        }


def test_an_entry_that_has_left_the_scope_gives_way(make: MakeWorld) -> None:
    with make() as world:
        [number] = world.add(document("here"))
        checkpoint = take(world, DOCUMENTS)
        world.add(document("there", project="there"))

        assert restore(world, checkpoint) == (1, 1, 0)
        [entry] = world.repository.matching(EVERYTHING, limit=ALL)
        assert (entry.project, entry.description, entry.number) == ("here", "here", number)


def test_a_forgotten_and_relearned_entry_gets_its_old_number(make: MakeWorld) -> None:
    with make() as world:
        [number] = world.add(document("one"))
        checkpoint = take(world, DOCUMENTS)
        world.repository.delete(document("one").entry_id)
        [later] = world.add(document("one"))

        assert later != number
        assert restore(world, checkpoint) == (1, 1, 1)
        assert [entry.number for entry in world.repository.matching(EVERYTHING, limit=ALL)] == [
            number
        ]


def test_numbers_given_after_a_checkpoint_are_never_given_again(make: MakeWorld) -> None:
    with make() as world:
        checkpoint = take(world)
        [number] = world.add(lesson("later"))
        restore(world, checkpoint)

        assert world.add(lesson("later"))[0] > number


def test_a_failure_leaves_neither_a_checkpoint_nor_a_snapshot(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("kept"))
        with pytest.raises(LookupError):
            take_and_fail(world)

        assert world.snapshots.checkpoints() == []
        first = take(world)
        assert world.snapshots.checkpoints() == [first]
        assert first.is_there


def take_and_fail(world: World) -> None:
    with world.snapshots.transaction():
        world.snapshots.take(Checkpoint(name="before", contents=EVERY_ENTRY, created_at=NOW))
        raise LookupError


def test_discarding_a_checkpoint_is_idempotent(make: MakeWorld) -> None:
    with make() as world:
        first, second = take(world, name="first"), take(world, name="second")
        world.snapshots.discard(first)
        world.snapshots.discard(first)

        assert world.snapshots.checkpoints() == [second]
        assert world.snapshots.named("first") is None
        with pytest.raises(StorageError), world.snapshots.opened(first.snapshot_path):
            pass
