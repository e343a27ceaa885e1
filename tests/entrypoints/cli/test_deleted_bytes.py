"""Words that were deleted or replaced leave the bytes of the store's files, without `hardwon forget`."""

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.entrypoints.ways_in import document, places_with

WORD = "zanthemur"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors, whose store has other entries."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    for number in range(4):
        keep(empty_world, description=f"Lesson {number} about the deploy of the canary.")
    return empty_world


def test_words_that_were_deleted_or_replaced_leave_the_files(world: World) -> None:
    entry = keep(world, description=f"Deploy the {WORD} first.")
    assert places_with(world, WORD)
    hardwon(world, "delete", entry.entry_id, "--yes")
    assert places_with(world, WORD) == []

    for name in ("specs/1-a/memory/plan.md", "memory/decisions/parser.md"):
        document(world, name, f"We deploy the {WORD} first.")
        hardwon(world, "index", "--rebuild")
        assert places_with(world, WORD)
        document(world, name, f"We deploy <private>the {WORD}</private> first.")
        hardwon(world, "index", "--rebuild")
        assert [place for place in places_with(world, WORD) if "memory.db" in place] == [], name
