"""`hardwon init` imports the facts Claude Code remembers of a project, when the user agrees."""

import contextlib
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.entrypoints.folders import home, init, write
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import LONGEST_RUN

FACT = "---\nname: prefers-tabs\ndescription: The user prefers tabs\nmetadata:\n  type: user\n---\nTabs in {}, never spaces.\n"


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


@pytest.fixture
def facts(world: World) -> Path:
    name = "".join(letter if letter.isalnum() else "-" for letter in str(world.project.resolve()))
    folder = home(world) / ".claude/projects" / name / "memory"
    key = "sk-" + "ant-api03-" + "Ab1" * 20
    write(folder, {"tabs.md": FACT.format(key), "MEMORY.md": "- [tabs](tabs.md)"})
    return folder


def test_facts_of_claude_code_are_imported_after_a_yes_once_and_without_secrets(
    world: World, facts: Path
) -> None:
    silent = init(world, "--agent", "claude-code", "--yes")
    assert "Claude Code remembers 1 fact of this project: hardwon init --import" in silent.stdout
    assert world.query("SELECT count(*) FROM entry") == [(0,)]

    first = init(world, "--agent", "claude-code", "--import", "--json").document["facts"]
    second = init(world, "--agent", "claude-code", "--import", "--json").document["facts"]

    assert (first["new"], second["new"], second["unchanged"]) == (
        [str(facts.resolve() / "tabs.md")],
        [],
        1,
    )
    output = world.query("SELECT name, kind, source FROM entry JOIN entry_text ON entry_seq = seq")
    assert output == [("prefers tabs", "preference", "import")]
    assert "ant-api03" not in world.database.read_bytes().decode("latin-1")


def test_a_terminal_confirms_before_files_are_written_and_facts_are_imported(
    world: World, facts: Path
) -> None:
    ours, theirs = pty.openpty()
    command = [str(BIN / "hardwon"), "init", "--agent", "codex"]
    process = subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    choice = b"Keep conversations shared by git, private, or off (not at all)?: "
    for question, answer in (
        (b"Write 9 files? [y/N]: ", b"y\n"),
        (choice, b"maybe\n"),
        (choice, b"Shared\n"),
        (b"Bring in the 1 fact that Claude Code remembers of this project? [y/N]: ", b"y\n"),
    ):
        while not shown.endswith(question):
            shown += os.read(ours, 4_096).replace(b"\r\n", b"\n")
        os.write(ours, answer)
        shown += os.read(ours, 2)
    with contextlib.suppress(OSError):  # Linux says so at the end
        while os.read(ours, 4_096):
            pass
    os.close(ours)

    assert process.wait(LONGEST_RUN) == 0
    assert facts.is_dir()
    assert world.query("SELECT conversations FROM project") == [("shared",)]
    assert (home(world) / ".codex/hooks.json").exists()
    assert world.query("SELECT count(*) FROM entry") == [(1,)]
