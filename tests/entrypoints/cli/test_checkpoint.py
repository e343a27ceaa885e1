"""`hardwon checkpoint`, `backup` and `restore`."""

import os

import attrs
import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon, keep
from tests.strategies import of_file


@pytest.fixture
def world(empty_world: World) -> World:
    return empty_world


def ids(world: World) -> list[object]:
    return [row[0] for row in world.query("SELECT id FROM entry ORDER BY seq")]


def test_a_checkpoint_is_made_listed_restored_and_deleted(world: World) -> None:
    keep(world, description="One.")
    made = hardwon(
        world, "checkpoint", "create", "before", "--description", "Why.", "--scope", "all"
    )
    before = ids(world)
    keep(world, description="Two.")

    assert made.stdout.endswith("): 1 memory, the whole store - Why.\n")
    assert hardwon(world, "checkpoint", "list").stdout == made.stdout.removeprefix("Checkpoint ")
    restored = hardwon(world, "checkpoint", "restore", "before", "-y")
    assert restored.stdout.startswith(
        "Restored before: the whole store, 1 memory, 0 brought back, 1 taken out\n"
    )
    assert ids(world) == before
    assert hardwon(world, "checkpoint", "delete", "before", "-y").stdout == "Deleted: before\n"
    assert hardwon(world, "checkpoint", "list").stdout.startswith("before restore of before (")


def test_scripts_get_json(world: World) -> None:
    inside = os.path.realpath(world.project / "one.md")
    world.remember(
        attrs.evolve(of_file("One.", kind="document", source_project="project"), file_path=inside)
    )
    made = hardwon(world, "checkpoint", "create", "before", "--json").document
    listed = hardwon(world, "checkpoint", "list", "--json").items
    restored = hardwon(
        world, "checkpoint", "restore", "before", "--scope", "project", "--yes", "--json"
    ).document

    assert listed == [made]
    assert (made["name"], made["memory_count"], made["missing"]) == ("before", 1, False)
    assert made["metadata"] == {
        "scope": "documents",
        "project": "project",
        "root": os.path.realpath(world.project),
    }
    assert {
        key: restored[key]
        for key in ("name", "scope", "project", "memory_count", "restored", "removed")
    } == {
        "name": "before",
        "scope": "project",
        "project": "project",
        "memory_count": 1,
        "restored": 0,
        "removed": 0,
    }
    assert restored["safety_checkpoint"]["metadata"]["scope"] == "project"
    assert hardwon(world, "checkpoint", "delete", "before", "--yes", "--json").document == {
        "deleted": "before"
    }


MISTAKES: list[tuple[list[str], str]] = [
    (["create", ""], "has 1 to 100 characters, this one 0"),
    (["create", "x" * 101], "this one 101"),
    (["create", "a\nb"], "is one line"),
    (["create", "taken"], "there is a checkpoint 'taken' already"),
    (["create", "x", "--scope", "half"], "'half'"),
    (["create"], "Missing argument"),
    (["restore", "nope", "--yes"], "there is no checkpoint 'nope': list them"),
    (["restore", "taken"], "give --yes"),
    (["delete", "taken"], "whether to forget the checkpoint taken"),
    (["delete", "nope"], "there is no checkpoint 'nope'"),
    ([], "Missing command; see hardwon checkpoint --help"),
    (["steal"], "No such command 'steal'"),
]


def test_a_mistake_is_reported_in_one_line_and_changes_nothing(world: World) -> None:
    keep(world)
    hardwon(world, "checkpoint", "create", "taken")
    for arguments, words in MISTAKES:
        done = hardwon(world, "checkpoint", *arguments)

        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert words in done.stderr
    assert world.query("SELECT name FROM checkpoints") == [("taken",)]


@pytest.mark.parametrize(
    ("typed", "code", "message", "left"),
    [
        (b"y\n", 0, "Replace the whole store by the checkpoint before\\x1b (20", 1),
        (b"n\n", 0, "Nothing was changed", 2),
        (b"\x04", 1, "hardwon: interrupted", 2),
    ],
    ids=["yes", "no", "end of input"],
)
def test_a_terminal_is_asked_for_confirmation(
    world: World, typed: bytes, code: int, message: str, left: int
) -> None:
    keep(world, description="One.")
    hardwon(world, "checkpoint", "create", "before\x1b", "--scope", "all")
    keep(world, description="Two.")
    talk = answer(world, typed, "checkpoint", "restore", "before\x1b")

    assert talk.code == code
    assert message in talk.shown
    assert "\x1b" not in talk.shown
    assert len(ids(world)) == left


def test_a_checkpoint_is_forgotten_once_that_is_confirmed(world: World) -> None:
    hardwon(world, "checkpoint", "create", "kept")

    refused, agreed = (
        answer(world, typed, "checkpoint", "delete", "kept") for typed in (b"n\n", b"y\n")
    )

    assert "Forget the checkpoint kept (20" in refused.shown
    assert "Nothing was changed" in refused.shown
    assert "Deleted: kept" in agreed.shown


def test_where_there_is_no_store_none_is_made(world: World) -> None:
    assert hardwon(world, "checkpoint", "list").stdout == (
        "No checkpoint of this project yet: hardwon checkpoint create NAME (--all shows those of others)\n"
    )
    assert hardwon(world, "checkpoint", "restore", "x", "--yes").code == 1
    backup = hardwon(world, "backup", str(world.folder / "b.db"))
    assert (backup.code, backup.stderr) == (
        2,
        "hardwon: there is no store yet, so there is nothing to copy\n",
    )
    assert not world.store.exists()
    assert not (world.folder / "b.db").exists()


def test_a_backup_brings_the_whole_store_back_elsewhere(world: World) -> None:
    entry = keep(world, description="One.")
    backup = world.folder / "b\n.db"
    made = hardwon(world, "backup", str(backup))
    keep(world, description="Two.")

    assert made.stdout == f"Backed up 1 memory to {backup}, {backup.stat().st_size} bytes\n"
    second = hardwon(world, "backup", str(backup))
    assert (second.code, second.stdout, "--force" in second.stderr) == (1, "", True)
    elsewhere = world.folder / "elsewhere"
    done = hardwon(
        world, "restore", str(backup), "--yes", "--json", "--global-store", str(elsewhere)
    ).document
    assert (done["name"], done["scope"], done["restored"]) == ("b\\n.db", "all", 1)
    assert hardwon(world, "show", entry.entry_id, "--global-store", str(elsewhere)).code == 0
    assert hardwon(world, "restore", str(backup), "-y").stdout.startswith(
        "Restored b\\n.db: the whole store, 1 memory,"
    )
    assert ids(world) == [entry.entry_id]
    forced = hardwon(world, "backup", str(backup), "--force", "--json").document
    assert (forced["path"], forced["memory_count"], forced["bytes"]) == (
        str(backup),
        1,
        backup.stat().st_size,
    )


def test_a_lesson_from_another_stores_backup_has_no_history_of_one_that_was_here(
    world: World,
) -> None:
    backup, there = str(world.folder / "b.db"), ["--global-store", str(world.folder / "there")]
    for text in ("Of turtles.", "Of snakes."):
        assert hardwon(world, "add", text, "--category", "patterns", *there).code == 0
    assert hardwon(world, "backup", backup, *there).code == 0
    mine, gone = keep(world, description="Of newts."), keep(world, description="Of toads.")
    for entry in (mine, gone):
        hardwon(world, "update", entry.entry_id, "--tag", "amphibian")
    assert hardwon(world, "delete", gone.entry_id, "--yes").code == 0

    restored = hardwon(world, "restore", backup, "--yes").stdout
    [undo] = hardwon(world, "checkpoint", "list", "--json").items
    brought = "".join(hardwon(world, "show", number, "--history").stdout for number in "12")

    assert "2 memories, 2 brought back, 1 taken out" in restored
    assert ("Of turtles." in brought, "Of snakes." in brought) == (True, True)
    assert brought.count("restored") == 2
    assert "amphibian" not in brought
    added = keep(world, description="Of frogs.")
    assert "restored" not in hardwon(world, "show", added.entry_id, "--history").stdout
    assert hardwon(world, "checkpoint", "restore", str(undo["name"]), "--yes").code == 0
    assert "amphibian" in hardwon(world, "show", mine.entry_id, "--history").stdout


def test_a_file_that_is_no_backup_is_refused_and_changes_nothing(world: World) -> None:
    entry = keep(world)
    text = world.folder / "text.db"
    text.write_text("text " * 500)
    for path, code, words in (
        (text, 2, "not a database"),
        (world.folder / "nope", 1, "is not a file"),
        (world.folder, 1, "is not a file"),
    ):
        done = hardwon(world, "restore", str(path), "--yes")
        assert (done.code, done.stdout, done.stderr.count("\n")) == (code, "", 1)
        assert words in done.stderr
    assert ids(world) == [entry.entry_id]
    assert world.query("SELECT name FROM checkpoints") == []
