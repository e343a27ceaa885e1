"""Lists of `hardwon --json`: one object with the list in it, whatever the command."""

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep

LISTS = [
    ("list",),
    ("recall", "unit"),
    ("recall", "--explain", "unit"),
    ("context",),
    ("why",),
    ("why", "--prompt", "Which unit does the number have in the table?"),
    ("checkpoint", "list"),
]


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_list_is_an_object_that_holds_items(
    world_by_word: World, command: tuple[str, ...]
) -> None:
    keep(world_by_word)
    world_by_word.hook()
    hardwon(world_by_word, "checkpoint", "create", "before")

    done = hardwon(world_by_word, *command, "--json")

    assert (done.code, next(iter(done.document))) == (0, "items")
    assert isinstance(done.items, list)
    assert len(done.items) == (
        0 if "--prompt" in command else 1
    )  # no prompt is answered from one entry


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_an_empty_list_has_the_same_shape(world_by_word: World, command: tuple[str, ...]) -> None:
    done = hardwon(world_by_word, *command, "--json")

    assert (done.code, done.items) == (0, [])


def test_a_list_has_a_total_beside_the_items(world_by_word: World) -> None:
    for text in ("One.", "Two.", "Three."):
        keep(world_by_word, description=text)

    page = hardwon(world_by_word, "list", "--limit", "1", "--offset", "1", "--json").document

    assert (len(page.pop("items")), page) == (1, {"total": 3, "offset": 1})
