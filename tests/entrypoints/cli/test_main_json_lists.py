"""Lists of `hardwon --json`: one object with the list in it, whatever the command."""

import pytest

from tests.entrypoints.cli.test_conversations_capture_all import of_codex
from tests.entrypoints.cli.test_review_groups import month_of
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


def test_controls_are_escaped_so_that_no_stored_text_steers_a_terminal(
    world_by_word: World,
) -> None:
    text = "The unit \x9b31m of the \x7f table"
    keep(world_by_word, description=text)

    done = hardwon(world_by_word, "list", "--json")

    assert done.items[0]["description"] == text
    assert done.stdout.replace("\n", "").isprintable()


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_an_empty_list_has_the_same_shape(world_by_word: World, command: tuple[str, ...]) -> None:
    done = hardwon(world_by_word, *command, "--json")

    assert (done.code, done.items) == (0, [])


IDENTIFIED = [*LISTS[:5], ("checkpoint", "list"), ("project", "list"), ("review",)]


@pytest.mark.parametrize("command", IDENTIFIED, ids=" ".join)
def test_every_item_of_a_list_has_an_id(world_by_word: World, command: tuple[str, ...]) -> None:
    keep(world_by_word)
    world_by_word.remember(*month_of(21))
    world_by_word.hook(payload=world_by_word.session_start())
    hardwon(world_by_word, "checkpoint", "create", "before")
    items = hardwon(world_by_word, *command, "--json").items

    assert items
    assert all(str(item["id"]) for item in items)


def test_an_earlier_session_has_its_id(world_by_word: World) -> None:
    of_codex(world_by_word, world_by_word.project)
    [item] = hardwon(world_by_word, "capture", "--all", "--dry-run", "--json").items

    assert item["id"] == item["session_id"]


def test_a_list_has_a_total_beside_the_items(world_by_word: World) -> None:
    for text in ("One.", "Two.", "Three."):
        keep(world_by_word, description=text)

    page = hardwon(world_by_word, "list", "--limit", "1", "--offset", "1", "--json").document

    assert (len(page.pop("items")), page) == (1, {"total": 3, "offset": 1})
