"""The server during a pause: it answers no call, writes nothing, and goes on after it."""

import json

import pytest

from tests.entrypoints.folders import tree
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, Connect, Visit
from tests.entrypoints.programs import hardwon, write

REFUSAL = "paused: memory is off the record until the user runs hardwon resume"
CALLS: dict[str, dict[str, object]] = {
    "store_memory": {**LESSON},
    "memory_update": {"id": 1, "title": "Another"},
    "memory_validate": {"id": 1, "wasUseful": True},
    "memory_delete": {"id": 1},
    "memory_save": {"filePath": "memory/a.md"},
    "memory_index_scan": {},
    "checkpoint_create": {"name": "a"},
    "memory_search": {"query": "unit"},
    "memory_load": {"memoryId": 1},
    "memory_match_triggers": {"prompt": "unit"},
}


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_is_refused_in_one_line_and_changes_no_row(
    world: World, visit: Visit, tool: str
) -> None:
    write(world)
    hardwon(world, "pause")
    before = rows(world)

    assert visit(world).refusal(tool, **CALLS[tool]) == REFUSAL
    assert rows(world) == before
    hardwon(world, "resume")
    assert REFUSAL not in json.dumps(visit(world).call(tool, **CALLS[tool]))


def rows(world: World) -> list[object]:
    tables = [
        name
        for (name,) in world.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
    ]
    return [world.query(f"SELECT * FROM {name}") for name in tables]


def test_the_server_of_a_paused_session_is_refused_and_another_is_not(
    world: World, visit: Visit
) -> None:
    world.variables["CLAUDE_CODE_SESSION_ID"] = "mine"
    hardwon(world, "pause", "--for", "1h")
    assert visit(world).refusal("store_memory", **LESSON).startswith(f"{REFUSAL} or 2")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "other"
    assert visit(world).store()["entryId"]


def test_a_server_that_runs_notices_a_pause_and_its_end(world: World, connect: Connect) -> None:
    client = connect(world, "--no-scan")
    hardwon(world, "pause")
    resource = client.ask("resources/read", uri="memory://stats")
    tool = client.ask("tools/call", name="memory_stats", arguments={})
    hardwon(world, "resume")

    assert REFUSAL in json.dumps(resource["error"])
    assert tool["result"]["content"][0]["text"] == REFUSAL
    assert not client.ask("tools/call", name="memory_stats", arguments={})["result"].get("isError")


def test_a_server_that_starts_in_a_pause_indexes_no_files(world: World, connect: Connect) -> None:
    (world.project / "memory").mkdir()
    (world.project / "memory" / "a.md").write_text("# Feeds\n\nFeeds come at noon.\n")
    hardwon(world, "pause")
    connect(world).end()

    assert world.query("SELECT count(*) FROM entry") == [(0,)]
    assert [*tree(world.project)] == [
        str(world.project / "memory"),
        str(world.project / "memory" / "a.md"),
    ]
