"""Lessons that were edited or removed in a knowledge bank by hand: every command that compares reports them."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from hardwon.domain.model.identity import content_hash
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, bank, hardwon

Write: TypeAlias = Callable[[str], Path]

OLD, NEW = "About Pattern: One.", "About one, as it should be."
BEFORE = bank("Pattern: One", "Pattern: Two")
EDITED = BEFORE.replace(OLD, NEW)
REMOVED = bank("Pattern: One")
COMMANDS = (("import", "--no-embed"), ("doctor",), ("retro", "review"))


@pytest.fixture(params=["the project's", "the user's"])
def write(world_by_word: World, request: pytest.FixtureRequest) -> Write:
    """Return what replaces the file of patterns of a bank and returns its path."""
    is_global = request.param == "the user's"

    def write(text: str) -> Path:
        world_by_word.write_bank("patterns", text, of_all_projects=is_global)
        folder = (
            world_by_word.store if is_global else world_by_word.project / "docs" / "knowledge-bank"
        )
        return folder / "patterns.md"

    return write


@pytest.fixture
def world(world_by_word: World, write: Write) -> World:
    write(BEFORE)
    world_by_word.import_bank()
    return world_by_word


def descriptions(world: World) -> list[str]:
    return [row[0] for row in world.query("SELECT description FROM entries ORDER BY description")]


CHANGES = {"edited in": (EDITED, OLD), "removed from": (REMOVED, "About Pattern: Two.")}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("did", CHANGES)
def test_a_change_by_hand_is_reported_and_leaves_the_store_as_it_is(
    world: World, write: Write, command: tuple[str, ...], did: str
) -> None:
    text, which = CHANGES[did]
    before = world.query("SELECT * FROM entries")
    write(text)

    [line] = [
        line
        for line in hardwon(world, *command).stdout.splitlines()
        if "hardwon import --changed" in line
    ]
    assert did in line
    assert "patterns.md" in line
    assert content_hash(which) in line
    assert world.query("SELECT * FROM entries") == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_bank_equal_to_the_store_gives_no_report(world: World, command: tuple[str, ...]) -> None:
    assert "--changed" not in hardwon(world, *command).stdout


def test_a_session_start_neither_takes_an_edit_over_nor_loses_it(
    world: World, write: Write
) -> None:
    before = world.query("SELECT id, description, observation_count, updated_at FROM entries")
    write(EDITED)

    block = world.hook().stdout
    assert OLD.rstrip(".") in block
    assert NEW not in block
    assert (
        world.query("SELECT id, description, observation_count, updated_at FROM entries") == before
    )
    assert "edited in" in hardwon(world, "import").stdout


def test_an_edit_is_taken_over_with_its_history(world: World, write: Write) -> None:
    path = write(EDITED)
    done = hardwon(world, "import", "--changed", "--yes", "--no-embed")

    lines = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "")
    assert f"  before: {OLD}" in lines
    assert f"  after:  {NEW}" in lines
    assert descriptions(world) == ["About Pattern: Two.", NEW]
    assert hardwon(world, "show", content_hash(OLD), "--json").document["description"] == NEW
    assert "--changed" not in hardwon(world, "import").stdout
    assert path.read_text() == EDITED
    assert NEW in world.hook().stdout


def test_a_removed_lesson_is_found_no_more_and_can_be_brought_back(
    world: World, write: Write
) -> None:
    write(REMOVED)
    done = hardwon(world, "import", "--changed", "--yes", "--no-embed")

    assert done.code == 0
    assert "  after:  removed" in done.stdout.splitlines()
    assert (
        hardwon(world, "show", content_hash("About Pattern: Two."), "--json").document["tier"]
        == "deprecated"
    )
    assert "About Pattern: Two." not in world.hook().stdout
    assert "--changed" not in hardwon(world, "import").stdout
    hardwon(world, "update", content_hash("About Pattern: Two."), "--tier", "normal")
    assert "About Pattern: Two" in world.hook().stdout


@pytest.mark.parametrize(("typed", "present"), [(b"n\n", OLD), (b"y\n", NEW)])
def test_a_terminal_is_asked_about_each(
    world: World, write: Write, typed: bytes, present: str
) -> None:
    write(EDITED)
    talk = answer(world, typed, "import", "--changed", "--no-embed")

    assert talk.code == 0
    assert "Reword it in the store? [y/N]" in talk.shown
    assert present in descriptions(world)


def test_without_a_terminal_it_wants_yes(world: World, write: Write) -> None:
    write(EDITED)
    done = hardwon(world, "import", "--changed", "--no-embed")

    assert (done.code, "give --yes" in done.stderr) == (1, True)
    assert OLD in descriptions(world)


def test_it_is_json_for_scripts(world: World, write: Write) -> None:
    write(EDITED)
    [left] = hardwon(world, "import", "--no-embed", "--json").document["changed_by_hand"]
    [taken] = hardwon(world, "import", "--changed", "--yes", "--no-embed", "--json").document[
        "changed_by_hand"
    ]

    assert (left["heading"], left["id"], left["before"], left["after"]) == (
        "Pattern: One", content_hash(OLD), OLD, NEW,
    )  # fmt: skip
    assert (left["taken_over"], taken["taken_over"]) == (False, True)
    [none] = [hardwon(world, "retro", "review", "--json").document["changed_by_hand"]]
    assert none == []


def test_a_lesson_deleted_in_the_store_or_only_renamed_in_the_bank_is_not_reported(
    world: World, write: Write
) -> None:
    hardwon(world, "delete", content_hash(OLD), "--yes")
    renamed = EDITED.replace("Pattern: Two\nAbout", "Pattern: Second\nAbout")
    write(renamed)

    done = hardwon(world, "import", "--no-embed")
    assert "--changed" not in done.stdout
    assert descriptions(world) == ["About Pattern: Two."]


def test_a_bank_with_the_text_from_before_an_edit_is_not_reported(
    world: World, write: Write
) -> None:
    hardwon(world, "edit", content_hash(OLD), "--description", NEW)
    write(BEFORE)

    assert "--changed" not in hardwon(world, "import", "--no-embed").stdout
    assert NEW in descriptions(world)
