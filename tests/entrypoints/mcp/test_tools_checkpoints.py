"""Checkpoints of the memory made and restored through a server process."""

import os
from typing import Any

import attrs
import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, RawClient
from tests.entrypoints.programs import hardwon, keep
from tests.strategies import lesson, of_file


def document(world: World, text: str, path: str) -> Any:
    file = of_file(text, kind="document", source_project="project")
    return attrs.evolve(file, file_path=os.path.realpath(world.project / f"{path}.md"))


@pytest.fixture
def names(shared: RawClient) -> list[str]:
    """Return no name: what earlier tests have made is deleted."""
    for checkpoint in shared.answer("checkpoint_list")["checkpoints"]:
        shared.answer("checkpoint_delete", name=checkpoint["name"])
    return []


@pytest.mark.usefixtures("names")
def test_a_created_checkpoint_is_listed_with_its_memory_count(
    shared: RawClient, shared_world: World
) -> None:
    shared_world.remember(document(shared_world, "One.", "1"), document(shared_world, "Two.", "2"))
    [(count,)] = shared_world.query("SELECT count(*) FROM memory_index")
    made = shared.answer("checkpoint_create", name="before-refactor", description="Auth")
    [listed] = shared.answer("checkpoint_list")["checkpoints"]

    assert listed == made["checkpoint"]
    assert next(iter(made)) == "message"
    assert {
        name: listed[name] for name in listed if name not in {"id", "createdAt", "snapshotPath"}
    } == {
        "name": "before-refactor",
        "description": "Auth",
        "memoryCount": count,
        "metadata": {
            "scope": "documents",
            "project": "project",
            "root": os.path.realpath(shared_world.project),
        },
        "missing": False,
    }
    assert listed["snapshotPath"] == str(shared_world.store / "checkpoints" / f"{listed['id']}.db")
    assert shared_world.query("SELECT created_at, memory_count FROM checkpoints") == [
        (listed["createdAt"], count)
    ]


@pytest.mark.usefixtures("names")
def test_a_list_is_printed_line_by_line_the_newest_first(shared: RawClient) -> None:
    assert shared.answer("checkpoint_list") == {
        "message": "No checkpoint yet: checkpoint_create makes one",
        "checkpoints": [],
    }
    for name, scope in (("one", "project"), ("two", "all")):
        shared.answer("checkpoint_create", name=name, scope=scope)
    first, second = shared.answer("checkpoint_list")["message"].splitlines()

    assert first.startswith("1. two (")
    assert second.startswith("2. one (")
    assert (first.endswith("the whole store"), second.endswith("all of project")) == (True, True)


@pytest.mark.usefixtures("names")
def test_create_change_restore_is_as_before_and_can_be_undone(
    shared: RawClient, shared_world: World
) -> None:
    facts = "SELECT id, file_path, title, content, created_at, importance_tier, access_count FROM memory_index ORDER BY id"
    shared_world.remember(document(shared_world, "One.", "1"), document(shared_world, "Two.", "2"))
    before = shared_world.query(facts)
    shared.answer("checkpoint_create", name="before")
    shared_world.remember(
        document(shared_world, "Changed.", "1"),
        document(shared_world, "New.", "3"),
        lesson("Not of the scope."),
    )
    after, lessons = shared_world.query(facts), shared_world.query("SELECT id FROM entries")
    restored = shared.answer("checkpoint_restore", name="before")

    assert shared_world.query(facts) == before
    assert shared_world.query("SELECT id FROM entries") == lessons
    assert (restored["memoryCount"], restored["restored"], restored["removed"]) == (2, 1, 1)
    safety = restored["safetyCheckpoint"]["name"]
    assert safety.startswith("before restore of before (20")
    assert restored["message"].splitlines() == [
        "Restored before: documents of project, 2 memories, 1 brought back, 1 taken out",
        f"The state before is the checkpoint {safety!r}: restore it to undo this",
    ]
    shared.answer("checkpoint_restore", name=safety)
    assert shared_world.query(facts) == after


@pytest.mark.usefixtures("names")
def test_a_deleted_checkpoint_is_gone_from_the_list_and_from_the_disk(
    shared: RawClient, shared_world: World
) -> None:
    shared.answer("checkpoint_create", name="before")
    gone = shared.answer("checkpoint_delete", name="before")

    assert gone["message"] == "Checkpoint deleted: before"
    assert shared.answer("checkpoint_list")["checkpoints"] == []
    assert list((shared_world.store / "checkpoints").iterdir()) == []


@pytest.mark.usefixtures("names")
def test_an_impossible_request_is_refused_in_one_line(
    shared: RawClient, shared_world: World
) -> None:
    shared.answer("checkpoint_create", name="before")
    for tool, arguments, words in (
        ("checkpoint_create", {"name": "before"}, "already: delete it, or choose another name"),
        ("checkpoint_create", {"name": " "}, "1 to 100 characters"),
        ("checkpoint_create", {"name": "a\nb"}, "is one line"),
        (
            "checkpoint_create",
            {"name": "x", "scope": "half"},
            "use 'documents', 'project' or 'all'",
        ),
        ("checkpoint_restore", {"name": "nope"}, "no checkpoint 'nope': list them"),
        ("checkpoint_delete", {"name": "nope"}, "no checkpoint 'nope'"),
        ("checkpoint_restore", {}, "missing: name"),
    ):
        refused = shared.refusal(tool, **arguments)
        assert words in refused
        assert "\n" not in refused
    for path in (shared_world.store / "checkpoints").iterdir():
        path.unlink()
    assert shared.answer("checkpoint_list")["checkpoints"][0]["missing"] is True
    assert "there is no such file; nothing was changed" in shared.refusal(
        "checkpoint_restore", name="before"
    )


def test_a_server_that_runs_sees_at_once_what_a_command_restores(
    shared: RawClient, shared_world: World
) -> None:
    entry = keep(shared_world, description="Only in the backup.")
    backup = str(shared_world.folder / "b.db")
    hardwon(shared_world, "backup", backup)
    hardwon(shared_world, "delete", entry.entry_id, "-y")
    uri = f"memory://{entry.entry_id}"

    assert "error" in shared.ask("resources/read", uri=uri)
    assert hardwon(shared_world, "restore", backup, "--yes").code == 0
    assert (
        "Only in the backup."
        in shared.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]
    )


def test_tool_hints_declare_the_effect_on_the_memory(shared: RawClient) -> None:
    tools = {tool["name"]: tool for tool in shared.ask("tools/list")["result"]["tools"]}
    hints = {
        name: item["annotations"] for name, item in tools.items() if name.startswith("checkpoint_")
    }

    assert {
        name: (item["readOnlyHint"], item.get("destructiveHint")) for name, item in hints.items()
    } == {
        "checkpoint_create": (False, False),
        "checkpoint_list": (True, None),
        "checkpoint_restore": (False, True),
        "checkpoint_delete": (False, True),
    }
    assert tools["checkpoint_restore"]["inputSchema"]["required"] == ["name"]


def test_no_checkpoint_is_made_where_memory_is_switched_off(world: World, connect: Connect) -> None:
    world.configure(semantic_enabled="false")
    client = connect(world)

    assert "memory_semantic_enabled is not true" in client.refusal("checkpoint_create", name="x")
    assert client.answer("checkpoint_list")["checkpoints"] == []
    assert not world.store.exists()


def test_another_project_of_the_same_name_is_left_unchanged(world: World, connect: Connect) -> None:
    client = connect(world)
    client.answer("checkpoint_create", name="before")
    elsewhere = of_file("Elsewhere.", kind="document", source_project="project")
    world.remember(elsewhere)
    client.answer("checkpoint_restore", name="before")

    assert world.query("SELECT file_path FROM memory_index") == [(elsewhere.file_path,)]


def test_a_checkpoint_of_no_folder_is_listed_without_one(world: World, connect: Connect) -> None:
    keep(world)
    backup = world.folder / "backup.db"
    hardwon(world, "backup", str(backup))
    assert hardwon(world, "restore", str(backup), "--yes").code == 0

    [listed] = connect(world).answer("checkpoint_list")["checkpoints"]
    assert listed["metadata"].keys() == {"scope", "project"}
    assert (listed["metadata"]["scope"], listed["metadata"]["project"]) == (
        "all",
        world.project.name,
    )
    [by_command] = hardwon(world, "checkpoint", "list", "--json").items
    assert by_command["metadata"] == listed["metadata"]
