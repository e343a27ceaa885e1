"""Usage signals of injected entries: recorded when the agent has answered, printed by `stats` and `show`."""

import contextlib
import json
import os
import re
from pathlib import Path

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.receipt import Form, Receipt, ReceiptEntry
from tests.entrypoints.hook_process import Run, World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import hardwon
from tests.strategies import NOW, lesson

SILENT = (0, "", "")
ENTRY = lesson(
    "Retry a refused connection after a pause that doubles each time.",
    name="Double Every Pause Again",
)
QUOTING = "It failed, so I retry a refused connection after a pause that doubles each time."
UNRELATED = "I fixed the parser, and the tests pass."


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world in which an entry was injected into the session `one`."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.remember(ENTRY)
    inject(empty_world, "one", ENTRY)
    return empty_world


def inject(world: World, session_id: str, entry: Entry, form: Form = "lesson") -> None:
    shown = (ReceiptEntry(entry.entry_id, form, ""),)
    with world.opened() as memory:
        memory.store.receipts.record(
            Receipt(session_id, "start", NOW, "project", None, None, "hybrid", "", ("", ""), shown)
        )


def stop(world: World, reply: object, **fields: object) -> Run:
    output = {
        "session_id": "one",
        "cwd": str(world.project),
        "hook_event_name": "Stop",
        "stop_hook_active": False,
    }
    return world.hook(payload={**output, "last_assistant_message": reply, **fields})


def used(world: World) -> list[tuple[str, ...]]:
    return world.query("SELECT session_id, how, phrase FROM influence")


def write(path: Path, *lines: object) -> str:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(path)


def prompted(text: str) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def test_a_quotation_in_the_answer_counts_once_and_is_reported(empty_world: World) -> None:
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.remember(ENTRY)
    world.hook(payload={**world.session_start(), "session_id": "one"})
    runs = [stop(world, UNRELATED)]
    assert used(world) == []
    runs += [stop(world, QUOTING) for _ in range(2)]
    stats, shown = (
        hardwon(world, *item, "--json").document for item in (("stats",), ("show", ENTRY.entry_id))
    )
    texts = [hardwon(world, *item).stdout for item in (("stats",), ("show", ENTRY.entry_id))]

    assert [(run.code, run.stdout, run.stderr) for run in runs] == [SILENT] * 3
    assert used(world) == [("one", "answer", ENTRY.description.rstrip("."))]
    most = [{"id": ENTRY.entry_id, "name": ENTRY.name, "influence_count": 1}]
    assert stats["influence"] == {"influence_count": 1, "most_used": most}
    assert (shown["influence_count"], shown["influences"][0]["how"]) == (1, "answer")
    assert "influence_count       1" in texts[0]
    assert f"{ENTRY.name} (1)" in texts[0]
    assert "used          in 1 session" in texts[1]
    phrase = repr(ENTRY.description.rstrip("."))
    assert re.search(
        rf"\n {{14}}answer at 20\S+ \d\d:\d\d UTC, session one: {re.escape(phrase)}\n", texts[1]
    )
    assert hardwon(world, "list", "--json").items[0]["influence_count"] == 1
    [[entry]] = [item["entries"] for item in hardwon(world, "why", "one", "--json").items]
    assert (entry["influence_count"], entry["used"]["how"]) == (1, "answer")
    assert entry["used"] == shown["influences"][0]
    assert "     of use: answer at 20" in hardwon(world, "why", "one").stdout
    assert not world.log.exists()


def test_an_edit_counts_and_the_users_prompt_does_not(world: World) -> None:
    write_edit = {
        "type": "tool_use",
        "id": "1",
        "name": "Write",
        "input": {"file_path": "/a.py", "content": QUOTING},
    }
    edit = {"type": "assistant", "message": {"role": "assistant", "content": [write_edit]}}
    path = world.folder / "transcript.jsonl"

    stop(world, QUOTING, transcript_path=write(path, prompted(QUOTING), edit))
    stop(world, UNRELATED, transcript_path=write(path, edit, prompted("Go on.")))
    assert used(world) == []
    run = stop(world, UNRELATED, transcript_path=write(path, prompted("Go on."), edit))
    assert (run.code, run.stdout, run.stderr) == SILENT
    assert used(world) == [("one", "edit", ENTRY.description.rstrip("."))]


@pytest.mark.parametrize("switched_off", ["HARDWON_SEMANTIC_ENABLED", "HARDWON_INJECTION_ENABLED"])
def test_with_memory_or_injection_switched_off_nothing_is_noticed(
    world: World, switched_off: str
) -> None:
    world.variables[switched_off] = "false"
    stop(world, QUOTING)

    assert used(world) == []


def test_nothing_is_noticed_of_other_sessions_and_subagents(world: World) -> None:
    stop(world, QUOTING, session_id="two")
    stop(world, QUOTING, agent_id="7")
    stop(world, QUOTING, session_id="one" * 100)

    assert used(world) == []


def test_a_transcript_or_an_answer_that_makes_no_sense_harms_nothing(world: World) -> None:
    binary, pipe = world.folder / "binary.jsonl", world.folder / "pipe"
    binary.write_bytes(b'\0\xff\n{"type":"user"\n' * 100)
    os.mkfifo(pipe)
    runs = [stop(world, UNRELATED, transcript_path=path) for path in (str(binary), str(pipe), "\0")]
    runs += [stop(world, reply) for reply in (["x"], "\ud800" * 30_000)]

    assert [(run.code, run.stdout, run.stderr) for run in runs] == [SILENT] * len(runs)
    assert used(world) == []


def test_a_busy_store_loses_the_count_and_says_so(world: World) -> None:
    with contextlib.closing(world.connect()) as other:
        other.execute("BEGIN IMMEDIATE")
        run = stop(world, QUOTING)

    assert (run.code, run.stdout, used(world)) == (0, "", [])
    assert [line.partition(" ")[2][:20] for line in run.log] == [
        "use not counted: " + str(world.database)[:3]
    ]


@pytest.mark.parametrize("content", [b"", b"no database" * 100, None])
def test_no_store_a_new_one_and_a_broken_one_stay_as_they_are(
    empty_world: World, content: bytes | None
) -> None:
    if content is not None:
        empty_world.store.mkdir()
        empty_world.database.write_bytes(content)
    run = stop(empty_world, QUOTING)

    assert (run.code, run.stdout) == (0, "")
    assert (empty_world.database.read_bytes() if empty_world.database.exists() else None) == content


def test_a_store_of_an_older_schema_is_not_migrated(world: World) -> None:
    world.query("UPDATE _metadata SET value = '3' WHERE key = 'schema_version'")
    run = stop(world, QUOTING)

    assert (run.code, run.stdout, run.stderr) == SILENT
    assert used(world) == []


def test_capture_is_reported_too(world: World) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    stop(world, QUOTING)

    assert (world.store / "capture.db").is_file()
    assert len(used(world)) == 1


@pytest.mark.parametrize(
    ("captures", "fault", "lost", "noticed"),
    [
        ("true", "noting_has_a_bug", "capture", 1),
        ("false", "noticing_has_a_bug", "use not counted", 0),
    ],
)
def test_a_step_that_fails_is_named_and_does_not_stop_the_others(
    world: World, captures: str, fault: str, lost: str, noticed: int
) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = captures
    world.faults = [fault]
    output = {"session_id": "one", "cwd": str(world.project), "hook_event_name": "Stop"}
    run = world.hook(payload={**output, "last_assistant_message": QUOTING})

    assert (run.code, run.stdout) == (0, "")
    assert [line.partition(" ")[2] for line in run.log] == [
        f"{lost}: ZeroDivisionError: integer division or modulo by zero"
    ]
    assert len(used(world)) == noticed


def test_noticing_imports_the_standard_library_only(world: World) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    path = write(world.folder / "transcript.jsonl", prompted("Go on."))
    payload = {
        "session_id": "one",
        "cwd": str(world.project),
        "hook_event_name": "Stop",
        "transcript_path": path,
    }
    _, modules = world.launch(payload={**payload, "last_assistant_message": QUOTING})

    assert (
        not {"attrs", "attr", "numpy", "pathlib", "subprocess", "dataclasses", "logging"} & modules
    )
    assert "hardwon.entrypoints.bootstrap_retrieval" not in modules
    assert len(used(world)) == 1


def test_a_judgement_counts_where_the_host_names_the_session(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.variables["CLAUDE_CODE_SESSION_ID"] = "another"
    hardwon(world, "validate", ENTRY.entry_id, "--useful")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "one"
    hardwon(world, "validate", ENTRY.entry_id, "--not-useful")
    assert used(world) == []
    hardwon(world, "validate", ENTRY.entry_id, "--useful")
    assert used(world) == [("one", "validation", "")]

    inject(world, "two", ENTRY)
    world.variables["CLAUDE_CODE_SESSION_ID"] = "two"
    visitor = Visitor(world, monkeypatch)
    visitor.call("memory_validate", id=ENTRY.entry_id, wasUseful=True)
    stats = visitor.answer("memory_stats")
    assert sorted(used(world)) == [("one", "validation", ""), ("two", "validation", "")]
    assert stats["influence"]["influence_count"] == 2
