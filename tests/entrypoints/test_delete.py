"""`hardwon delete`."""

import os

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def count(world: World) -> int:
    return int(world.query("SELECT count(*) FROM entry")[0][0])


def test_what_is_deleted_is_shown_no_more(world: World) -> None:
    entry = keep(world, description="Gone.")
    keep(world, description="Kept.")

    done = hardwon(world, "delete", entry.entry_id)

    assert done == (0, f"Deleted: {entry.name} (id: {entry.entry_id})\n", "")
    shown = hardwon(world, "show", entry.entry_id)
    assert (shown.code, entry.entry_id in shown.stderr) == (1, True)
    assert count(world) == 1


def test_an_entry_is_named_by_the_beginning_of_its_id_or_its_number(world: World) -> None:
    first, second = keep(world, description="One."), keep(world, description="Two.")

    done = hardwon(world, "delete", first.entry_id[:6].upper(), "#2", "#2", "--json")

    assert (done.code, done.stderr) == (0, "")
    assert [each["id"] for each in done.document["deleted"]] == [first.entry_id, second.entry_id]
    assert count(world) == 0


def test_the_file_of_an_entry_stays_and_an_index_brings_it_back(world: World) -> None:
    saved = hardwon(world, "save", "--description", "Told.", "--json").document

    done = hardwon(world, "delete", saved["id"])

    assert saved["file_path"] in done.stdout
    assert "the next hardwon index brings it back" in done.stdout
    assert (count(world), len(list((world.project / "memory" / "sessions").iterdir()))) == (0, 1)
    assert "1 new" in hardwon(world, "index").stdout
    assert hardwon(world, "show", saved["id"]).code == 0


@pytest.mark.parametrize("unknown", ["0123456789abcdef", "#9", "#", "#x", "#99999999999999999999", "ab", "", "%%%%"])
def test_one_id_that_is_unknown_keeps_all(world: World, unknown: str) -> None:
    entry = keep(world, description="Kept.")

    done = hardwon(world, "delete", entry.entry_id, unknown)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert repr(unknown) in done.stderr
    assert count(world) == 1


def test_where_there_is_no_store_none_is_made(world: World) -> None:
    assert hardwon(world, "delete", "0123456789abcdef").code == 1
    assert not world.store.exists()


def test_an_id_of_bytes_that_are_no_text_is_unknown(world: World) -> None:
    keep(world, description="Kept.")

    done = hardwon(world, "delete", os.fsdecode(b"\xff\xff\xff\xff"))

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "no entry has the id" in done.stderr
