"""In a foreign project a memory that may not be shown there is unknown, and of the others only its own change."""

import attrs
import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Reach
from hardwon.entrypoints.mcp.references import NOT_OF_HERE
from tests.entrypoints.folders import UNTRUSTED, USER, Repositories
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, Visit
from tests.strategies import lesson

ELSEWHERE = "e" * 16
"""The id of another project."""

TOOLS: dict[str, dict[str, object]] = {
    "memory_load": {},
    "memory_update": {"title": "Another title"},
    "memory_validate": {"wasUseful": True},
    "memory_delete": {},
}
UNKNOWN = "f" * 16


@pytest.fixture
def foreign(world: World, visit: Visit) -> World:
    """Return a world whose project is a repository without a commit of the user, which the store knows."""
    world.project = Repositories(world).make("theirs", author=UNTRUSTED)
    visit(world).call("memory_stats")
    assert world.query("SELECT authorship FROM project") == [("foreign",)]
    return world


def kept(world: World, text: str, reach: Reach = "shared", project: str = ELSEWHERE) -> Entry:
    """Put a lesson of a project into the store; return it."""
    entry = attrs.evolve(lesson(text), project=project, reach=reach)
    world.remember(entry)
    return entry


@pytest.mark.parametrize("tool", TOOLS)
def test_a_memory_of_another_project_is_unknown(foreign: World, visit: Visit, tool: str) -> None:
    entry, client = kept(foreign, "Theirs alone."), visit(foreign)
    before = foreign.query("SELECT * FROM entry JOIN entry_text ON entry_seq = seq")
    [(number,)] = foreign.query("SELECT seq FROM entry")

    unknown = client.refusal(tool, id=UNKNOWN, **TOOLS[tool])
    for reference in (entry.entry_id, str(number)):
        assert client.refusal(tool, id=reference, **TOOLS[tool]) == unknown.replace(
            UNKNOWN, reference
        )
    assert foreign.query("SELECT * FROM entry JOIN entry_text ON entry_seq = seq") == before


def test_a_memory_for_everywhere_is_read_and_not_changed(foreign: World, visit: Visit) -> None:
    entry, client = kept(foreign, "Everybody's.", "everywhere"), visit(foreign)
    before = foreign.query("SELECT * FROM entry JOIN entry_text ON entry_seq = seq")

    refusals = {
        client.refusal(tool, id=entry.entry_id, **TOOLS[tool])
        for tool in TOOLS
        if tool != "memory_load"
    }
    assert refusals == {NOT_OF_HERE}
    assert foreign.query("SELECT * FROM entry JOIN entry_text ON entry_seq = seq") == before
    assert not client.call("memory_load", id=entry.entry_id)["isError"]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_memory_of_the_foreign_project_is_known_there(
    foreign: World, visit: Visit, tool: str
) -> None:
    [(here,)] = foreign.query("SELECT id FROM project")
    entry = kept(foreign, "Its own.", "home", here)

    assert not visit(foreign).call(tool, id=entry.entry_id, **TOOLS[tool])["isError"]


@pytest.mark.parametrize("tool", TOOLS)
def test_in_a_project_of_the_user_every_memory_is_known(
    world: World, visit: Visit, tool: str
) -> None:
    world.project = Repositories(world).make("ours", author=USER)
    entry = kept(world, "Of another project.")

    assert not visit(world).call(tool, id=entry.entry_id, **TOOLS[tool])["isError"]


def test_no_resource_shows_it(foreign: World, connect: Connect) -> None:
    hidden, shown = kept(foreign, "Theirs alone."), kept(foreign, "Everybody's.", "everywhere")
    client = connect(foreign)

    answers = [
        client.ask("resources/read", uri=f"memory://{entry.entry_id}") for entry in (hidden, shown)
    ]
    assert answers[0]["error"]["message"].startswith(f"no memory has the id {hidden.entry_id!r}")
    assert "Everybody's." in answers[1]["result"]["contents"][0]["text"]


def test_the_figures_name_no_other_project(foreign: World, connect: Connect) -> None:
    foreign.remember(
        attrs.evolve(lesson("Theirs alone."), project=ELSEWHERE, source_project="billing")
    )
    figures = connect(foreign).ask("resources/read", uri="memory://stats")["result"]["contents"][0][
        "text"
    ]

    assert "billing" not in figures
