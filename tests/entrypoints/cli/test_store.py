"""`hardwon store copy` between two folders, and what the other commands say without a server."""

from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.strategies import lesson


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world with two lessons."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.remember(lesson("Close every socket."), lesson("Name the unit."))
    return empty_world


def test_a_copy_has_the_entries_and_a_second_one_finds_them_there(world: World) -> None:
    target = str(world.folder / "copy")
    outcomes = [
        hardwon(world, "store", "copy", str(world.store), target, "--yes", "--json").document
        for _ in range(2)
    ]

    assert [(outcome["added"], outcome["known"]) for outcome in outcomes] == [(2, 0), (0, 2)]
    listed = hardwon(world, "list", "--scope", "global", "--json", "--global-store", target).stdout
    assert "Close every socket." in listed
    assert "Name the unit." in listed


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_dry_run_tells_what_would_be_copied_and_makes_nothing(
    world: World, form: tuple[str, ...]
) -> None:
    target = world.folder / "copy"
    shown = hardwon(world, "store", "copy", str(world.store), str(target), "--dry-run", *form)

    assert shown.code == 0
    if form:
        assert [(tally["kind"], tally["entries"]) for tally in shown.items] == [("learning", 2)]
    else:
        assert "learning  2" in shown.stdout
    assert not target.exists()


def files(world: World) -> dict[str, tuple[str, str]]:
    """Return sources and targets that are none, by name."""
    garbage, empty = world.folder / "garbage.db", world.folder / "empty.db"
    garbage.write_bytes(b"x" * 1_000_000)
    empty.touch()
    store, new = str(world.store), str(world.folder / "new")
    return {
        "no source": ("", new),
        "a file": (str(garbage), new),
        "an empty file": (str(empty), new),
        "an empty folder": (str(world.project), new),
        "no target": (store, ""),
        "a file as the target": (store, str(garbage)),
        "the same store": (store, store),
    }


@pytest.mark.parametrize(
    "name",
    [
        "no source",
        "a file",
        "an empty file",
        "an empty folder",
        "no target",
        "a file as the target",
        "the same store",
    ],
)
def test_a_copy_from_or_to_what_is_no_store_is_refused_in_one_line(world: World, name: str) -> None:
    source, target = files(world)[name]
    refused = hardwon(world, "store", "copy", source, target, "--yes")

    assert refused.code == 1
    assert len(refused.stderr.splitlines()) == 1
    assert (
        "FROM" if "source" in name or "empty" in name or name == "a file" else "TO"
    ) in refused.stderr
    assert not Path(world.folder, "new").exists()


@pytest.mark.parametrize(
    "command", [("status",), ("migrate",), ("add-member", "ann"), ("remove-member", "ann")]
)
def test_commands_of_a_server_name_the_variable_where_the_store_is_a_file(
    world: World, command: tuple[str, ...]
) -> None:
    refused = hardwon(world, "store", *command)

    assert (refused.code, refused.stdout) == (2, "")
    assert "HARDWON_STORE=postgresql://" in refused.stderr


@pytest.mark.parametrize(
    "address",
    [
        "'postgresql:/ann:Pa-ss@db/memory'",
        "postgresql+psycopg://ann:Pa-ss@db/memory",
        f"postgresql://{'x' * 100_000}/memory",
    ],
)
def test_an_address_with_an_error_makes_no_folder_and_shows_no_password(
    world: World, address: str
) -> None:
    world.variables["HARDWON_STORE"] = address
    refused = hardwon(world, "add", "A lesson.", "--category", "patterns")

    assert (refused.code, len(refused.stderr.splitlines())) == (2, 1)
    assert "Pa-ss" not in refused.stderr
    assert len(refused.stderr) < 300
    assert [path.name for path in world.project.iterdir()] == []
