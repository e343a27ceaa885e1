"""`hardwon import` of other programs' memory: preview, question, once, and back in one command."""

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.entrypoints.folders import tree, write
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon

DECIDED = "We decided to use pnpm because hoisting broke the build in CI."
KEY = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz"
Make: TypeAlias = Callable[[World], Path]


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def node(
    name: str, parent: str | None, role: str, text: object, **fields: object
) -> dict[str, Any]:
    message = {
        "author": {"role": role},
        "create_time": 1_760_000_000.5 + len(name),
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
        "metadata": {},
        **fields,
    }
    return {"id": name, "parent": parent, "children": [name + "x"], "message": message}


def chatgpt(number: int = 0) -> dict[str, Any]:
    """Return a conversation with a branch that was left, a tool call and a hidden message."""
    nodes = [
        {"id": "root", "parent": None, "children": ["a"], "message": None},
        node(
            "a", "root", "system", "hidden", metadata={"is_visually_hidden_from_conversation": True}
        ),
        node("ab", "a", "user", f"Which package manager do we use in project {number}?"),
        node("abc", "ab", "assistant", "Left branch: use yarn."),
        node("abcd", "ab", "assistant", "search()", recipient="browser"),
        node("abcde", "abcd", "assistant", f"{DECIDED} The token is {KEY}."),
    ]
    return {
        "title": f"Package manager {number}",
        "create_time": 1_760_000_000.0,
        "mapping": {item["id"]: item for item in nodes},
        "current_node": "abcde",
    }


def claude(number: int = 0) -> dict[str, Any]:
    at = f"2026-01-0{number + 1}T10:00:00.000000Z"
    return {
        "uuid": f"u-{number}",
        "name": f"Package manager {number}",
        "chat_messages": [
            {
                "sender": "human",
                "text": f"Which package manager, for part {number}?",
                "created_at": at,
            },
            {
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "x"},
                    {"type": "text", "text": DECIDED},
                ],
                "created_at": at,
            },
        ],
    }


def listed(world: World, items: list[dict[str, Any]], name: str = "conversations.json") -> Path:
    path = world.folder / "export" / name
    write(path.parent, {name: json.dumps(items)})
    return path


def zipped(world: World, items: list[dict[str, Any]]) -> Path:
    path = world.folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/users.json", "[]")
        archive.writestr("data/conversations.json", json.dumps(items))
    return path


def claude_mem(
    world: World, keys: tuple[str, str] = ("memory_session_id", "content_session_id")
) -> Path:
    path, (own, host) = world.folder / "claude-mem.db", keys
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(f"""
            CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, {host} TEXT, {own} TEXT, project TEXT, user_prompt TEXT);
            CREATE TABLE observations (id INTEGER PRIMARY KEY, {own} TEXT, project TEXT, text TEXT, type TEXT, title TEXT,
                subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_modified TEXT, created_at_epoch INTEGER);
            CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, {own} TEXT, project TEXT, request TEXT, investigated TEXT,
                learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at_epoch INTEGER);
            CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, {host} TEXT, prompt_text TEXT, created_at_epoch INTEGER);
            CREATE VIRTUAL TABLE observations_fts USING fts5(title);
            CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN
                INSERT INTO observations_fts (title) VALUES (new.title); END;
        """)
        for number, project in enumerate(
            (world.project.name, f"work/{world.project.name}", "other")
        ):
            connection.execute(
                "INSERT INTO sdk_sessions VALUES (?, ?, ?, ?, ?)",
                (number, f"h{number}", f"m{number}", project, f"Fix the importer of part {number}"),
            )
            connection.execute(
                "INSERT INTO user_prompts VALUES (?, ?, ?, ?)",
                (number, f"h{number}", f"Fix the importer of part {number}", 1_760_000_000_000),
            )
            connection.execute(
                "INSERT INTO session_summaries VALUES (?, ?, ?, ?, '', ?, 'Fixed it.', '', '', ?)",
                (number, f"m{number}", project, "Fix the importer", DECIDED, 1_760_000_100_000),
            )
            for kind in ("bugfix", "decision", "change"):
                connection.execute(
                    "INSERT INTO observations VALUES (NULL, ?, ?, NULL, ?, ?, '', ?, ?, ?, ?, ?)",
                    (
                        f"m{number}",
                        project,
                        kind,
                        f"A {kind} of part {number}",
                        '["It was found late"]',
                        f"The {kind} of part {number} needs the lock of the importer.",
                        '["locking"]',
                        '["src/importer.py"]',
                        1_760_000_050_000,
                    ),
                )
    return path


def basic_memory(world: World) -> Path:
    folder = world.folder / "basic"
    write(
        folder,
        {
            "coffee/Brewing.md": "---\ntitle: Brewing\ntype: note\npermalink: coffee/brewing\n---\n# Brewing\n\n"
            "- [method] Pour in circles for an even extraction #pour-over (learnt twice)\n"
            "- [problem] Boiling water burns light roasts\n- [ ] a task\n- [x] a done one\n- [link](a.md)\n"
            "- relates_to [[Grinding]]\n```markdown\n- [method] an example of the form\n```\n",
            "Empty.md": "---\ntitle: Empty\npermalink: empty\n---\nJust text.\n",
            ".obsidian/Hidden.md": "- [problem] never read\n",
        },
    )
    return folder


MADE: dict[str, tuple[Make, str, str]] = {
    "ChatGPT": (
        lambda world: listed(world, [chatgpt(number) for number in range(3)]),
        "3 conversations and 0 lessons of an export of ChatGPT",
        "Package manager 2",
    ),
    "ChatGPT, zipped": (
        lambda world: zipped(world, [chatgpt(1)]),
        "1 conversation and 0 lessons of an export of ChatGPT",
        "Package manager 1",
    ),
    "Claude, unpacked": (
        lambda world: listed(world, [claude(number) for number in range(2)]).parent,
        "2 conversations and 0 lessons of an export of Claude",
        "Package manager 1",
    ),
    "Claude, zipped": (
        lambda world: zipped(world, [claude(1)]),
        "1 conversation and 0 lessons of an export of Claude",
        "Package manager 1",
    ),
    "claude-mem 13": (
        claude_mem,
        "2 conversations and 4 lessons of a database of claude-mem",
        "A bugfix of part 0",
    ),
    "claude-mem 5": (
        lambda world: claude_mem(world, ("sdk_session_id", "claude_session_id")),
        "2 conversations and 4 lessons of a database of claude-mem",
        "Fix the importer of part 1",
    ),
    "basic-memory": (
        basic_memory,
        "0 conversations and 2 lessons of a folder of basic-memory",
        "Boiling water burns light roasts",
    ),
}


@pytest.mark.parametrize("kind", MADE)
def test_it_is_previewed_imported_once_and_taken_back(world: World, kind: str) -> None:
    make, counts, name = MADE[kind]
    path = make(world)
    write(world.project, {"notes.md": "the user's own"})
    before = tree(world.folder)
    preview = hardwon(world, "import", str(path), "--dry-run")
    assert (preview.code, preview.stdout.splitlines()[0]) == (0, f"Would import {counts}")
    assert f"  {name}" in preview.stdout.splitlines()
    assert tree(world.folder) == before

    done = hardwon(world, "import", str(path), "--yes")
    ids = {item["id"] for item in hardwon(world, "list", "--json", "--limit", "99").items}
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Imported {counts.split(' of ')[0]}, 0 known already; ")
    assert ids

    second = hardwon(world, "import", str(path), "--yes", "--json").document["imported"]
    assert (second["conversations"], second["lessons"]) == (0, 0)
    assert ids == {item["id"] for item in hardwon(world, "list", "--json", "--limit", "99").items}

    path = path.rename(path) if path.is_file() else path
    undone = hardwon(world, "import", str(path), "--undo", "--yes")
    assert (undone.code, undone.stdout) == (
        0,
        f"Removed: {len(ids)} {'entry' if len(ids) == 1 else 'entries'}\n",
    )
    assert hardwon(world, "list", "--json").items == []
    kept = [
        name
        for name in tree(world.project)
        if not name.endswith(("memory", "conversations", "decisions"))
    ]
    assert kept == [str(world.project / "notes.md")]

    assert hardwon(world, "import", str(path), "--yes").stdout.startswith(
        f"Imported {counts.split(' of ')[0]}, 0 "
    )


def test_the_branch_that_was_seen_last_is_kept_without_secrets(world: World) -> None:
    hardwon(world, "import", str(listed(world, [chatgpt()])), "--yes")
    [text] = (file.read_text() for file in (world.project / "memory/conversations").rglob("*.md"))

    assert "Which package manager do we use in project 0?" in text
    assert DECIDED in text
    for unwanted in (KEY, "Left branch", "search()", "hidden"):
        assert unwanted not in text
    everything = b"".join(
        data or b"" for name, data in tree(world.folder).items() if "/export" not in name
    )
    assert KEY.encode() not in everything


def test_lessons_stay_at_home_unless_they_are_wanted_everywhere(world: World) -> None:
    path = str(claude_mem(world))
    hardwon(world, "import", path, "--yes")
    lessons = hardwon(world, "list", "--in", "learnings", "--json").items
    assert {item["reach"] for item in lessons} == {"home"}
    [lesson] = (item for item in lessons if item["name"] == "A bugfix of part 0")
    assert (lesson["category"], lesson["keywords"], lesson["references"]) == (
        "anti-patterns",
        ["locking"],
        ["src/importer.py"],
    )

    done = hardwon(world, "import", path, "--everywhere", "--yes", "--json").document["imported"]
    assert (done["conversations"], done["lessons"]) == (1, 2)


def test_the_memory_of_other_projects_is_named(world: World) -> None:
    path = claude_mem(world)
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in ("sdk_sessions", "observations"):
            connection.execute(f"UPDATE {table} SET project = 'elsewhere'")
    done = hardwon(world, "import", str(path), "--yes")

    assert (done.code, done.stdout) == (1, "")
    assert (
        f"nothing in it is of '{world.project.name}', but of elsewhere: run it there, or give --everywhere"
        in done.stderr
    )


def test_a_deleted_lesson_is_not_imported_a_second_time(world: World) -> None:
    path = str(basic_memory(world))
    hardwon(world, "import", path, "--yes")
    [first, _] = hardwon(world, "list", "--json").items
    hardwon(world, "delete", first["id"], "--yes")

    second = hardwon(world, "import", path, "--yes").stdout
    assert second.startswith("Imported 0 conversations and 0 lessons, 2 known already")
    assert "--undo" not in second


def test_a_newer_export_brings_what_was_said_since(world: World) -> None:
    hardwon(world, "import", str(listed(world, [claude(0)])), "--yes")
    longer = claude(0)
    longer["chat_messages"] += [
        {
            "sender": "human",
            "text": "And who may publish the packages?",
            "created_at": "2026-01-01T10:05:00Z",
        },
        {
            "sender": "assistant",
            "text": "Only the release job may.",
            "created_at": "2026-01-01T10:05:01Z",
        },
    ]
    newer = listed(world, [longer, claude(1)], "conversations-2.json")
    hardwon(world, "import", str(newer), "--yes")
    kept = hardwon(world, "list", "--in", "conversations", "--type", "conversation", "--json").items

    assert sorted("Only the release job may." in item["description"] for item in kept) == [
        False,
        True,
    ]


def cut(world: World) -> Path:
    path = listed(world, [claude(number) for number in range(3)])
    path.write_text(path.read_text()[:-200])
    return path


def cut_zip(world: World) -> Path:
    path = zipped(world, [chatgpt()])
    path.write_bytes(path.read_bytes()[:-100])
    return path


def cut_database(world: World) -> Path:
    path = claude_mem(world)
    path.write_bytes(path.read_bytes()[:9_000])
    return path


BAD: dict[str, tuple[Make, str]] = {
    "cut off": (cut, "it is cut off or damaged after 2 conversations: export it again"),
    "a zip file cut off": (cut_zip, "zip file"),
    "a database cut off": (cut_database, ""),
    "another list": (
        lambda world: listed(world, [{"a": 1}]),
        "ChatGPT, Claude, claude-mem, basic-memory",
    ),
    "an empty list": (lambda world: listed(world, []), "ChatGPT, Claude, claude-mem, basic-memory"),
    "another folder": (lambda world: world.project, "ChatGPT, Claude, claude-mem, basic-memory"),
    "nothing there": (lambda world: world.folder / "nowhere.json", "nowhere.json"),
    "empty conversations": (
        lambda world: listed(world, [{"mapping": {}}, {"mapping": 7}]),
        "it is an export of ChatGPT, and nothing in it can be imported",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_another_file_is_refused_in_one_line_and_nothing_is_written(
    world: World, case: str
) -> None:
    make, problem = BAD[case]
    path = make(world)
    before = tree(world.folder)
    done = hardwon(world, "import", str(path), "--yes")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert problem in done.stderr
    assert tree(world.folder) == before


def test_without_an_answer_nothing_is_imported(world: World) -> None:
    path = str(listed(world, [claude()]))
    before = tree(world.folder)
    assert "give --yes" in hardwon(world, "import", path).stderr
    talk = answer(world, b"n\n", "import", path)

    assert "Import 1 conversation and 0 lessons of an export of Claude?" in talk.shown
    assert talk.shown.rstrip().endswith("Nothing was changed")
    assert tree(world.folder) == before


@pytest.mark.parametrize("option", ["--dry-run", "--everywhere", "--undo"])
def test_options_of_other_programs_need_a_file_of_one(world: World, option: str) -> None:
    done = hardwon(world, "import", option)

    assert (done.code, done.stdout) == (1, "")
    assert "goes with the file of another program" in done.stderr
