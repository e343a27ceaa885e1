"""Lessons that were edited or removed in a knowledge bank by hand: told by all who look, taken over on request."""

import pytest

from hardwon.domain.model.identity import content_hash
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank, hardwon
from tests.entrypoints.terminals import answer

OLD, NEW = "About Pattern: One.", "About one, as it should be."
BEFORE = bank("Pattern: One", "Pattern: Two")
EDITED = BEFORE.replace(OLD, NEW)
REMOVED = bank("Pattern: One")
COMMANDS = (("import", "--no-embed"), ("doctor",), ("retro", "review"))


@pytest.fixture(params=[False, True], ids=["the project's", "the user's"])
def is_global(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def world(world_by_word: World, is_global: bool) -> World:
    world_by_word.write_bank("patterns", BEFORE, of_all_projects=is_global)
    world_by_word.import_bank()
    return world_by_word


def descriptions(world: World) -> list[str]:
    return [row[0] for row in world.query("SELECT description FROM entries ORDER BY description")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("text", "did", "which"), [(EDITED, "edited in", OLD), (REMOVED, "removed from", "About Pattern: Two.")]
)
def test_a_change_by_hand_is_told_and_leaves_the_store_as_it_is(
    world: World, is_global: bool, command: tuple[str, ...], text: str, did: str, which: str
) -> None:
    before = world.query("SELECT * FROM entries")
    world.write_bank("patterns", text, of_all_projects=is_global)

    [line] = [line for line in hardwon(world, *command).stdout.splitlines() if "hardwon import --changed" in line]
    assert did in line
    assert "patterns.md" in line
    assert content_hash(which) in line
    assert world.query("SELECT * FROM entries") == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_nothing_is_told_of_a_bank_that_says_what_the_store_says(world: World, command: tuple[str, ...]) -> None:
    assert "--changed" not in hardwon(world, *command).stdout


def test_a_session_start_neither_takes_an_edit_over_nor_loses_it(world: World, is_global: bool) -> None:
    before = world.query("SELECT id, description, observation_count, updated_at FROM entries")
    world.write_bank("patterns", EDITED, of_all_projects=is_global)

    block = world.hook().stdout
    assert OLD.rstrip(".") in block
    assert NEW not in block
    assert world.query("SELECT id, description, observation_count, updated_at FROM entries") == before
    assert "edited in" in hardwon(world, "import").stdout


def test_an_edit_is_taken_over_with_its_history(world: World, is_global: bool) -> None:
    world.write_bank("patterns", EDITED, of_all_projects=is_global)
    done = hardwon(world, "import", "--changed", "--yes", "--no-embed")

    lines = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "")
    assert f"  before: {OLD}" in lines
    assert f"  after:  {NEW}" in lines
    assert descriptions(world) == ["About Pattern: Two.", NEW]
    assert hardwon(world, "show", content_hash(OLD), "--json").document["description"] == NEW
    assert "--changed" not in hardwon(world, "import").stdout
    folder = world.store if is_global else world.project / "docs" / "knowledge-bank"
    assert (folder / "patterns.md").read_text() == EDITED
    assert NEW in world.hook().stdout


def test_a_removed_lesson_is_found_no_more_and_can_be_brought_back(world: World, is_global: bool) -> None:
    world.write_bank("patterns", REMOVED, of_all_projects=is_global)
    done = hardwon(world, "import", "--changed", "--yes", "--no-embed")

    assert done.code == 0
    assert "  after:  removed" in done.stdout.splitlines()
    assert hardwon(world, "show", content_hash("About Pattern: Two."), "--json").document["tier"] == "deprecated"
    assert "About Pattern: Two." not in world.hook().stdout
    assert "--changed" not in hardwon(world, "import").stdout
    hardwon(world, "update", content_hash("About Pattern: Two."), "--tier", "normal")
    assert "About Pattern: Two" in world.hook().stdout


@pytest.mark.parametrize(("typed", "present"), [(b"n\n", OLD), (b"y\n", NEW)])
def test_a_terminal_is_asked_about_each(world: World, is_global: bool, typed: bytes, present: str) -> None:
    world.write_bank("patterns", EDITED, of_all_projects=is_global)
    talk = answer(world, typed, "import", "--changed", "--no-embed")

    assert talk.code == 0
    assert "Reword it in the store? [y/N]" in talk.shown
    assert present in descriptions(world)


def test_without_a_terminal_it_wants_yes(world: World, is_global: bool) -> None:
    world.write_bank("patterns", EDITED, of_all_projects=is_global)
    done = hardwon(world, "import", "--changed", "--no-embed")

    assert (done.code, "give --yes" in done.stderr) == (1, True)
    assert OLD in descriptions(world)


def test_it_is_json_for_scripts(world: World, is_global: bool) -> None:
    world.write_bank("patterns", EDITED, of_all_projects=is_global)
    [left] = hardwon(world, "import", "--no-embed", "--json").document["changed_by_hand"]
    [taken] = hardwon(world, "import", "--changed", "--yes", "--no-embed", "--json").document["changed_by_hand"]

    assert (left["heading"], left["id"], left["before"], left["after"]) == (
        "Pattern: One", content_hash(OLD), OLD, NEW,
    )  # fmt: skip
    assert (left["taken_over"], taken["taken_over"]) == (False, True)
    [none] = [hardwon(world, "retro", "review", "--json").document["changed_by_hand"]]
    assert none == []


def test_what_was_deleted_in_the_store_or_only_renamed_in_the_bank_is_not_told(world: World, is_global: bool) -> None:
    hardwon(world, "delete", content_hash(OLD), "--yes")
    renamed = EDITED.replace("Pattern: Two\nAbout", "Pattern: Second\nAbout")
    world.write_bank("patterns", renamed, of_all_projects=is_global)

    done = hardwon(world, "import", "--no-embed")
    assert "--changed" not in done.stdout
    assert descriptions(world) == ["About Pattern: Two."]


def test_a_bank_with_the_text_from_before_an_edit_is_not_told(world: World, is_global: bool) -> None:
    hardwon(world, "edit", content_hash(OLD), "--description", NEW)
    world.write_bank("patterns", BEFORE, of_all_projects=is_global)

    assert "--changed" not in hardwon(world, "import", "--no-embed").stdout
    assert NEW in descriptions(world)
