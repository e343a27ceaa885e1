"""A lesson that mentions `<private>` without its end is cut there, and every door that stores says so."""

import pytest

from hardwon.domain.model.redaction import is_cut_off
from hardwon.entrypoints.presenters.entries import CUT_OFF
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, Visit
from tests.entrypoints.programs import hardwon, write

MENTION = "Use <private> tags round what is secret; the rest is for all"
CLOSED = "Log in as ada <private>the neighbour's account</private>, then wait"


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
    return world_by_word


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        (MENTION, True),
        ("<PRIVATE>", True),
        ("<pri\u200bvate> x", True),
        ("<private>a</private> <private>b", True),
        ("<private>a <private>b</private>", True),
        (CLOSED, False),
        ("</private> a", False),
        ("a `private` tag", False),
        ("</private><private>a</private>", False),
    ],
    ids=ascii,
)
def test_a_text_is_cut_off_where_a_passage_has_no_end(text: str, is_cut: bool) -> None:  # noqa: FBT001  # a parameter of the table
    assert is_cut_off(text) == is_cut


@pytest.mark.parametrize(("text", "warnings"), [(MENTION, 1), (CLOSED, 0)])
def test_every_command_that_stores_says_what_was_cut_off(
    world: World, text: str, warnings: int
) -> None:
    runs = [
        hardwon(world, "add", text),
        write(world, description=text),
        hardwon(world, "update", "1", "--reasoning", text),
        hardwon(world, "edit", "1", "--reasoning", f"{text}: edited"),
        hardwon(world, "remember", f"Remember this for the team. {text}"),
        hardwon(world, "save", "--description", text),
    ]

    assert [ran.stderr for ran in runs if ran.code] == []
    assert [(ran.code, ran.stderr.count(CUT_OFF)) for ran in runs] == [(0, warnings)] * len(runs)
    assert not any(
        "neighbour" in str(row) or "for all" in str(row)
        for row in world.query("SELECT * FROM entry_text")
    )


def test_a_tool_that_stores_says_what_was_cut_off(world: World, visit: Visit) -> None:
    cut = visit(world).answer("store_memory", **{**LESSON, "description": MENTION})
    whole = visit(world).answer("store_memory", **{**LESSON, "description": CLOSED})

    assert CUT_OFF in cut["warnings"]
    assert CUT_OFF not in whole["warnings"]
