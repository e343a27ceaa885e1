"""`hardwon init` looks at earlier sessions of the project, and offers to read them."""

import json
import re

import pytest

from tests.entrypoints.cli.test_conversations_capture_all import files, of_claude, of_codex
from tests.entrypoints.folders import home
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon

HERE = ("init", "--agent", "claude-code", "--conversations", "private")
YES = b"y\ny\n"
NO = b"y\nn\n"


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def test_it_shows_examples_and_reads_all_after_a_yes(world: World) -> None:
    of_claude(world, "one", world.project)
    of_codex(world, world.project)

    talk = answer(world, YES, *HERE)

    assert talk.code == 0, talk.shown
    assert "Found 2 earlier sessions of Claude Code and Codex in this project" in talk.shown
    assert "  We decided: sign the image once, in the build" in talk.shown
    assert re.search(
        r"Read them, in about \d+ s\? hardwon capture --all --undo takes it back", talk.shown
    )
    assert "Captured: 2 sessions, " in talk.shown
    assert any("sign the image once" in file.read_text() for file in files(world))


def test_a_no_keeps_nothing_of_them(world: World) -> None:
    of_codex(world, world.project)

    assert answer(world, NO, *HERE).code == 0
    assert files(world) == []


def test_a_yes_in_advance_reads_no_transcript_and_says_how(world: World) -> None:
    of_codex(world, world.project)

    done = hardwon(world, *HERE, "--yes")

    assert done.code == 0
    assert done.stdout.splitlines()[-2:] == [
        "Found 1 earlier session of Claude Code and Codex in this project, 1 kB",
        "They are not read yet: hardwon capture --all shows and keeps what is in them",
    ]
    assert files(world) == []


@pytest.mark.parametrize("more", [("--conversations", "off"), ("--json",), ("--dry-run",)])
def test_nothing_is_offered_where_nothing_is_kept_or_asked(
    world: World, more: tuple[str, ...]
) -> None:
    of_codex(world, world.project)

    done = hardwon(world, "init", "--agent", "claude-code", "--yes", *more)

    assert (done.code, "of Claude Code and Codex in this project" in done.stdout) == (0, False)


def test_the_look_ends_in_time_however_many_sessions_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(world) / ".claude/projects/-here"
    folder.mkdir(parents=True)
    for number in range(60):
        line = json.dumps({"cwd": str(world.project), "sessionId": f"s{number}"})
        (folder / f"{number}.jsonl").write_text(f"{line}\n")
    monkeypatch.setattr("hardwon.entrypoints.cli.past_sessions.LOOK_SECONDS", 0.0)

    done = hardwon(world, *HERE, "--yes")

    assert "Found at least 1 earlier session of Claude Code and Codex" in done.stdout
