"""`hardwon capture --all`: earlier sessions of the project, from the transcripts of Claude Code and Codex."""

import json
import os
from pathlib import Path

import pytest

from hardwon.entrypoints.worker import Worker
from tests.adapters.git.repository import git
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon
from tests.entrypoints.sessions import Conversation
from tests.fakes.doors import Ran
from tests.transcripts import HOME, PROJECT_ROOT, SESSION, make_transcript

CODEX = (
    '{{"timestamp": "2026-11-20T09:00:00Z", "type": "session_meta", "payload": {{"id": "codex-1", "cwd": "{folder}"}}}}\n'
    '{{"timestamp": "2026-11-20T09:00:01Z", "type": "response_item", "payload": {{"type": "message", "role": "user",'
    ' "content": [{{"type": "input_text", "text": "Where should the release image be signed?"}}]}}}}\n'
    '{{"timestamp": "2026-11-20T09:00:09Z", "type": "response_item", "payload": {{"type": "message", "role": "assistant",'
    ' "content": [{{"type": "output_text", "text": "We decided: sign the image once, in the build."}}]}}}}\n'
)


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def home(world: World) -> Path:
    return Path(world.variables["HOME"])


def of_claude(world: World, name: str, folder: Path, session: str = SESSION) -> Path:
    path = home(world) / ".claude/projects/-here" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = (
        make_transcript(40).text.replace(PROJECT_ROOT, str(folder)).replace(HOME, str(home(world)))
    )
    path.write_text(text.replace(SESSION, session))
    return path


def of_codex(world: World, folder: Path) -> Path:
    path = home(world) / ".codex/sessions/2026/11/20/rollout-codex-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(CODEX.format(folder=folder))
    return path


def capture(world: World, *arguments: str) -> Ran:
    return hardwon(world, "capture", "--all", *arguments)


def files(world: World) -> list[Path]:
    return sorted((world.project / "memory").rglob("*.md"))


def test_a_preview_names_the_sessions_of_this_project_and_writes_nothing(world: World) -> None:
    paths = {str(of_claude(world, SESSION, world.project)), str(of_codex(world, world.project))}
    of_claude(world, "elsewhere", world.folder, "another")
    of_claude(world, "agent-helper", world.project, "helper")

    shown, listed = capture(world, "--dry-run"), capture(world, "--dry-run", "--json")

    assert {item["path"] for item in listed.items} == paths
    assert shown.stdout.startswith("Would capture: 2 sessions, ")
    assert files(world) == []
    assert not world.store.exists()


def test_a_pipe_among_the_transcripts_is_passed_over(world: World) -> None:
    path = of_claude(world, SESSION, world.project)
    os.mkfifo(path.with_name("pipe.jsonl"))  # no process writes to it

    assert [item["path"] for item in capture(world, "--dry-run", "--json").items] == [str(path)]
    assert hardwon(world, "forget", "a text that no file holds", "--yes").code == 0


def test_all_sessions_are_captured_once(world: World) -> None:
    of_claude(world, SESSION, world.project)
    of_codex(world, world.project)

    done = capture(world, "--yes")
    kept = {file: file.read_text() for file in files(world)}
    second = capture(world, "--yes")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Captured: 2 sessions, ")
    assert any("sign the image once" in text for text in kept.values())
    assert (second.code, {file: file.read_text() for file in files(world)}) == (0, kept)
    assert capture(world, "--dry-run", "--json").items == []
    assert "Where should the release image be signed" in hardwon(world, "list", "--json").stdout


def test_a_session_that_was_captured_while_it_went_on_is_left_alone(world: World) -> None:
    of_codex(world, world.project)
    capture(world, "--yes")
    kept = {file: file.read_text() for file in files(world)}
    for path in world.store.glob("capture*"):
        path.unlink()

    [waiting] = capture(world, "--dry-run", "--json").items
    assert waiting["only_repairs"] is True
    assert (
        capture(world, "--yes").stdout
        == "Captured: 1 session (1 for repairs only), 1 kB, 0 files\n"
    )
    assert {file: file.read_text() for file in files(world)} == kept
    assert capture(world, "--dry-run").stdout == "No session of this project waits to be captured\n"


def test_it_is_asked_first_and_a_no_changes_nothing(world: World) -> None:
    of_codex(world, world.project)

    refused = capture(world)
    asked = answer(world, b"n\n", "capture", "--all")

    assert (refused.code, "give --yes" in refused.stderr) == (1, True)
    assert "Capture 1 session, 1 kB?" in asked.shown
    assert files(world) == []


def test_transcripts_that_can_not_be_read_are_left_out(world: World) -> None:
    folder = home(world) / ".claude/projects/-here"
    folder.mkdir(parents=True)
    line = json.dumps({"cwd": str(world.project), "sessionId": "s"})
    contents = {
        "empty": b"",
        "binary": b"\xff\xfe\0" * 99,
        "list": b"[1]\n",
        "deep": b"[" * 99_999,
        "half": line.encode()[:20],
    }
    for name, content in contents.items():
        (folder / f"{name}.jsonl").write_bytes(content)
    os.symlink("nowhere", folder / "link.jsonl")

    assert capture(world, "--dry-run").stdout == "No session of this project waits to be captured\n"
    assert capture(world, "--from", "x").code == 1


@pytest.mark.parametrize("keeping", ["shared", "private"])
def test_it_is_undone_in_one_command_and_can_be_done_again(world: World, keeping: str) -> None:
    git(world.project, "init", "--quiet")  # private means: private from git
    done = hardwon(world, "init", "--agent", "opencode", "--conversations", keeping, "--yes")
    assert done.code == 0, done.stderr
    of_claude(world, SESSION, world.project)
    of_codex(world, world.project)
    hardwon(world, "remember", "The staging port is 7443.")
    before = {file: file.read_text() for file in files(world)}
    capture(world, "--yes")
    kept = {file: file.read_text() for file in files(world)}

    shown = capture(world, "--undo", "--dry-run")
    undone = capture(world, "--undo", "--yes")

    assert shown.stdout.startswith("Would remove ")
    assert set(shown.stdout.splitlines()[1:]) == {f"  {SESSION}", "  codex-1"}
    assert (undone.code, undone.stdout.startswith("Removed: ")) == (0, True)
    assert {file: file.read_text() for file in files(world)} == before
    assert [item["name"] for item in hardwon(world, "list", "--json").items] == [
        "The staging port is 7443"
    ]
    assert capture(world, "--undo", "--yes").stdout == "Nothing was captured of earlier sessions\n"
    assert len(capture(world, "--dry-run", "--json").items) == len({SESSION, "codex-1"})
    capture(world, "--yes")
    assert {file: file.read_text() for file in files(world)} == kept


def test_undo_leaves_what_hooks_and_people_captured(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    live, resumed = Conversation(world, "live"), Conversation(world, "resumed")
    live.say("Where do the nightly logs go?", "We decided: the nightly logs go to the bucket.")
    work(world)
    named = of_claude(world, SESSION, world.project)
    assert hardwon(world, "capture", "--from", str(named)).code == 0
    kept = {file: file.read_text() for file in files(world)}
    of_codex(world, world.project)
    resumed.transcript = named.with_name("resumed.jsonl")
    resumed.write("Which port has staging?", "We decided: staging listens on port 7443.")
    capture(world, "--yes")
    resumed.say("And production?", "We decided: production listens on port 8443.")
    work(world)

    undone = capture(world, "--undo", "--yes")

    assert undone.stdout.startswith("Removed: ")
    assert undone.stdout.endswith(" of 1 earlier session\n")
    left = {file: file.read_text() for file in files(world)}
    assert kept.items() <= left.items()
    assert any("port 8443" in text for text in left.values())
    assert not any("sign the image once" in text for text in left.values())


def work(world: World) -> None:
    Worker(str(world.store), str(world.project)).run()


def test_undo_leaves_the_words_of_people_and_asks_first(world: World) -> None:
    of_codex(world, world.project)
    capture(world, "--yes")
    [file] = [path for path in files(world) if "sign the image once" in path.read_text()][:1]
    file.write_text(f"{file.read_text()}\n## Mine\n\nMy own note.\n")

    refused = capture(world, "--undo")
    assert (refused.code, "give --yes" in refused.stderr) == (1, True)
    assert "sign the image once" in file.read_text()

    capture(world, "--undo", "--yes")
    assert "My own note." in file.read_text()
    assert "Where should the release image be signed?" not in file.read_text()
