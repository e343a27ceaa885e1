"""Lessons whose cited lines changed say so at every door."""

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import Run, World
from tests.entrypoints.mcp.conftest import Visit
from tests.entrypoints.programs import hardwon, run

TEXT = "Lock the herd of zebras before it is counted, or quux counts it twice."
CHANGED = "(src/herd.py changed since: check)"
GONE = "(src/herd.py is gone: check)"
CODE = "".join(
    f"def count_{number}(herd):\n    return len(herd) + {number}\n" for number in range(9)
)


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a project in git, whose worker runs in this process and embeds nothing."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    write(empty_world, CODE)
    empty_world.git("init", "--quiet", "--initial-branch", "main")
    commit(empty_world)
    return empty_world


def write(world: World, text: str, name: str = "src/herd.py") -> None:
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(world: World) -> None:
    world.commit_all("a@a.example")


def keep(world: World, text: str = TEXT, reference: str = "src/herd.py:4", **fields: Any) -> Any:
    lesson: dict[str, Any] = {"name": "Herd", "description": text, "category": "patterns"}
    lesson |= {"references": [reference], **fields}
    return run(world, "hardwon-writer", "--action", "upsert", "--entry-json", json.dumps(lesson))


def work(world: World) -> None:
    Worker(str(world.store), str(world.project)).run()


def change(world: World) -> None:
    write(world, CODE.replace("+ 1", "- 1"))
    work(world)


def context(done: Run) -> str:
    """Return the text for the model that the hook printed, as JSON or as it is."""
    if not done.stdout.startswith("{"):
        return done.stdout
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


def event(world: World, name: str, **fields: Any) -> dict[str, Any]:
    return {"session_id": "one", "cwd": str(world.project), "hook_event_name": name, **fields}


def opened(world: World, path: str = "src/herd.py", **fields: Any) -> dict[str, Any]:
    given = {"tool_name": "Read", "tool_input": {"file_path": str(world.project / path)}}
    return event(world, "PostToolUse", **given, tool_response={"type": "text"}, **fields)


def prompt(world: World, **fields: Any) -> dict[str, Any]:
    text = "why does quux count the herd of zebras twice when the herd is not locked?"
    return event(world, "UserPromptSubmit", prompt=text, **fields)


def test_every_door_of_the_hook_says_it_and_the_receipt_proves_it(world: World) -> None:
    keep(world)
    for number in range(30):
        keep(world, f"filler {number} about other things", "feature 7", name=f"Filler {number}")
    before = context(world.hook(payload=opened(world)))
    change(world)
    start = context(world.hook(payload=world.session_start()))
    moment = context(world.hook(payload=opened(world, session_id="two")))
    asked = context(world.hook(payload=prompt(world, session_id="three")))

    assert TEXT in before
    assert CHANGED not in before
    for text in (start, moment, asked):
        assert TEXT in text
        assert f"\n{CHANGED}\n" in text
    for session in ("one", "two", "three"):
        proved = hardwon(world, "why", session, "--verify")
        assert proved.stdout.rstrip().endswith("verified")
    write(world, CODE)
    work(world)
    proved = hardwon(world, "why", "two", "--verify")
    assert (proved.code, proved.stdout.rstrip().endswith("verified")) == (0, True)
    assert CHANGED not in context(world.hook(payload=opened(world, session_id="four")))


def test_the_argument_form_is_as_it_was(world: World) -> None:
    keep(world)
    before = world.argument_form().stdout
    change(world)

    assert world.argument_form().stdout == before
    assert TEXT in before


def test_commands_and_tools_say_it(world: World, visit: Visit) -> None:
    keep(world)
    change(world)
    [document] = hardwon(world, "list", "--json").items

    assert document["citations"] == [
        {"cites": "src/herd.py:4", "state": "changed", "path": "src/herd.py"}
    ]
    for command in (("recall", "herd of zebras"), ("show", "1"), ("list",)):
        assert CHANGED in hardwon(world, *command).stdout, command
    client = visit(world)
    found = client.call("memory_search", query="herd of zebras")
    assert CHANGED in json.dumps(found)


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("src/herds.py", "no such file here: src/herds.py"),
        ("src/herd.py:99", "no such line or symbol here: src/herd.py:99"),
        ("src/herd.py::stampede", "no such line or symbol here: src/herd.py::stampede"),
        ("/etc/hosts", "outside of the project, so never read: /etc/hosts"),
        ("../herd.py", "outside of the project, so never read: ../herd.py"),
    ],
)
def test_an_unknown_reference_is_named_and_kept(
    world: World, visit: Visit, reference: str, complaint: str
) -> None:
    by_writer = keep(world, reference=reference)
    by_hand = hardwon(world, "add", "Count zebras at dawn.", "--reference", reference)
    stored = visit(world).call(
        "store_memory",
        name="Herd",
        description="Count zebras at noon.",
        category="patterns",
        reasoning="They were counted twice.",
        references=[reference],
    )

    assert (by_writer.code, by_hand.code) == (0, 0)
    assert complaint in by_writer.stderr
    assert complaint in by_hand.stderr
    assert complaint in json.dumps(stored)
    assert all(item["references"] == [reference] for item in hardwon(world, "list", "--json").items)


def test_the_worker_resolves_what_was_stored_before(world: World) -> None:
    keep(world)
    world.query("UPDATE entry_text SET citations = '[]'")
    work(world)
    change(world)

    assert CHANGED in hardwon(world, "show", "1").stdout


def test_a_lesson_is_found_at_its_file_after_a_rename(world: World) -> None:
    keep(world)
    world.git("mv", "src/herd.py", "src/zoo.py")
    work(world)

    assert TEXT in context(world.hook(payload=opened(world, "src/zoo.py")))


def test_a_lesson_of_which_every_file_is_gone_ranks_below_the_others(world: World) -> None:
    other = "Lock the herd of zebras before it sleeps."
    keep(world)
    keep(world, other, "src/zoo.py:1", name="Sleep")
    write(world, "zoo = 1\n", "src/zoo.py")
    commit(world)
    work(world)
    first = [
        item["id"]
        for item in hardwon(world, "recall", "herd of zebras counted quux", "--json").items
    ]
    world.git("rm", "--quiet", "src/herd.py")
    commit(world)
    work(world)
    then = [
        item["id"]
        for item in hardwon(world, "recall", "herd of zebras counted quux", "--json").items
    ]
    block = context(world.hook(payload=world.session_start()))

    assert then == first[::-1]
    assert block.index(other) < block.index(TEXT)
    assert GONE in block
    by_arguments = world.argument_form().stdout
    assert GONE not in by_arguments


def test_a_lesson_seen_again_holds_as_the_file_is_then(world: World) -> None:
    keep(world)
    change(world)
    keep(world)
    work(world)

    assert CHANGED not in hardwon(world, "show", "1").stdout


def test_forgetting_reaches_the_paths_of_moved_files(world: World) -> None:
    keep(world)
    world.git("mv", "src/herd.py", "src/codename-okapi.py")
    work(world)
    assert b"codename-okapi" in world.database.read_bytes() + wal(world)
    done = hardwon(world, "forget", "codename-okapi", "--yes")

    assert done.code == 0
    assert b"codename-okapi" not in world.database.read_bytes() + wal(world)


def wal(world: World) -> bytes:
    path = Path(f"{world.database}-wal")
    return path.read_bytes() if path.exists() else b""


def test_no_hook_asks_git_about_citations(world: World) -> None:
    keep(world)
    (world.project / "src/herd.py").unlink()

    assert CHANGED not in context(world.hook(payload=opened(world)))
    assert GONE not in context(world.hook(payload=prompt(world, session_id="two")))
