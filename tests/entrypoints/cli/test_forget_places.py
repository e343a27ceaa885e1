"""`hardwon forget` finds the files that hardwon wrote wherever their folder is now, and never says that nothing is left of one it can't reach."""

import contextlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hardwon.adapters.folders.record import FILE_NAME
from hardwon.adapters.folders.whereabouts import NOT_MOUNTED
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.forget import ErasureRequest
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import build_forget_for_good
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.entrypoints.sessions import Conversation
from tests.fakes.doors import Ran

WORD = "zanthemur"
DECISION = f"We decided on the {WORD} before the canary, since it is safe."


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a repository with one commit, in which nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.commit("README.md")
    return empty_world


def converse(world: World, folder: Path | None = None) -> None:
    """Let a conversation in a folder be captured."""
    project = folder or world.project
    Conversation(world.at(project), f"session of {project.name}").say("What goes first?", DECISION)
    Worker(str(world.store), str(project)).run()
    assert holding(world.folder)


def holding(folder: Path) -> list[str]:
    """Return the markdown files below a folder that hold the word."""
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("memory/**/*.md")
        if WORD in path.read_text()
    ]


def forget(world: World, *arguments: str) -> Ran:
    """Forget in another folder than the project's."""
    world.project = world.folder / "elsewhere"
    world.project.mkdir(exist_ok=True)
    return hardwon(world, "forget", *(arguments or (WORD, "--yes")))


def open_world(world: World) -> contextlib.closing[Memory]:
    return contextlib.closing(
        open_memory(Settings(global_store=str(world.store), embedding_provider="off"), pytest.fail)
    )


def unmount(world: World) -> None:
    """Let the record say that its folders were on a file system that is not there now."""
    record = world.store / FILE_NAME
    lines = [json.loads(line) for line in record.read_text().splitlines() if line]
    record.write_text("".join(json.dumps({**line, "device": 2**40}) + "\n" for line in lines))


@pytest.mark.parametrize("target", ["renamed", "archive/project", "archive/2025/old"])
@pytest.mark.parametrize("kind", ["repository", "folder"])
@pytest.mark.parametrize("place", ["free", "taken"])
def test_a_folder_that_was_moved_without_a_word_is_found(
    world: World, target: str, kind: str, place: str
) -> None:
    if kind == "folder":
        shutil.rmtree(world.project / ".git")
    converse(world)
    (world.folder / target).parent.mkdir(parents=True, exist_ok=True)
    world.project.rename(world.folder / target)
    if place == "taken":
        (world.project / "src").mkdir(parents=True)

    done = forget(world)

    assert (done.code, holding(world.folder)) == (0, [])
    assert "byte by byte: nothing is left" in done.stdout
    assert f"{world.folder / target}/memory" in done.stdout


def test_one_that_an_earlier_version_wrote_in_is_found_by_its_repository(world: World) -> None:
    converse(world)
    (world.store / FILE_NAME).unlink()
    world.project.rename(world.folder / "renamed")

    done = forget(world)
    assert (done.code, holding(world.folder)) == (0, []), done


def test_both_places_of_a_project_that_was_copied_and_moved_are_searched(world: World) -> None:
    converse(world)
    old, kept, new = world.project, world.folder / "kept", world.folder / "new"
    shutil.copytree(old, new)
    old.rename(kept)
    world.project = new
    assert hardwon(world, "project", "move", "project", "--yes").code == 0
    kept.rename(old)

    done = forget(world)
    assert (done.code, holding(world.folder)) == (0, []), done


def test_a_folder_below_the_top_in_which_a_session_was_is_searched(world: World) -> None:
    (world.project / "sub").mkdir()
    converse(world, world.project / "sub")
    assert holding(world.project / "sub")

    done = forget(world)
    assert (done.code, holding(world.folder)) == (0, []), done


def test_a_linked_work_tree_is_searched_and_one_that_was_removed_is_not_asked_for(
    world: World,
) -> None:
    for name in ("kept", "removed"):
        command = ["git", "worktree", "add", "--quiet", "--detach", str(world.folder / name)]
        subprocess.run(command, cwd=world.project, env=world.variables, check=True)
        converse(world, world.folder / name)
    old_style = world.folder / "kept" / "memory" / "sessions"
    old_style.mkdir(parents=True)
    (old_style / "memory-1.md").write_text(DECISION)
    shutil.rmtree(world.folder / "removed")

    done = forget(world)

    assert (done.code, holding(world.folder)) == (0, [])
    assert "removed" not in done.stdout


def test_a_deleted_folder_is_told_and_not_asked_for(world: World) -> None:
    converse(world)
    gone = world.project
    shutil.rmtree(gone)

    done = forget(world)

    assert done.code == 0
    assert "nothing is left" in done.stdout
    assert f"{gone}: this folder is not there any more" in done.stdout
    assert forget(world, "--gone", str(gone)).code == 0
    keep(world, description=DECISION.replace("canary", "staging"))
    assert str(gone) not in forget(world, WORD, "--yes").stdout


@pytest.mark.parametrize("has_entries", [True, False])
def test_a_file_system_that_is_not_there_is_named_and_nothing_is_called_proven(
    world: World, *, has_entries: bool
) -> None:
    converse(world)
    stick = world.project
    stick.rename(world.folder / ".stick")
    unmount(world)
    if not has_entries:
        assert forget(world).code == 2

    done = forget(world)
    as_json = forget(world, WORD, "--yes", "--json")
    secrets = forget(world, "--secrets", "--yes")

    assert (done.code, as_json.code, secrets.code) == (2, 2, 2)
    assert f"{stick}: {NOT_MOUNTED}" in secrets.stderr
    assert f"can't be reached now: {stick}: {NOT_MOUNTED}" in done.stdout
    assert "nothing is left" not in done.stdout
    assert "Nothing that hardwon keeps" not in done.stdout
    assert as_json.document["unreachable"] == [f"{stick}: {NOT_MOUNTED}"]

    (world.folder / ".stick").rename(stick)
    done = forget(world)
    assert (done.code, holding(world.folder)) == (0, []), done


def test_one_that_is_gone_for_good_is_not_asked_for_again_when_a_person_says_so(
    world: World,
) -> None:
    converse(world)
    stick = world.project
    shutil.rmtree(stick)
    unmount(world)
    assert forget(world).code == 2

    done = forget(world, "--gone", str(stick))
    keep(world, description=DECISION.replace("canary", "staging"))

    assert (done.code, done.stdout) == (
        0,
        f"{stick} is not asked for any more, until something is written there\n",
    )
    assert forget(world).code == 0


def test_a_folder_of_another_machine_is_told_and_not_asked_for(world: World) -> None:
    converse(world)
    there = world.project
    shutil.rmtree(there)
    unmount(world)
    assert forget(world).code == 2

    world.variables["HARDWON_MACHINE"] = "another"
    done = forget(world)

    assert done.code == 0, done
    assert (
        f"{there}: this folder is not there any more; if it moved, or is on another machine"
        in done.stdout
    )


def test_a_folder_that_is_there_is_not_gone(world: World) -> None:
    converse(world)
    there = world.project
    done = forget(world, "--gone", str(there))

    assert (done.code, f"{there}' is there" in done.stderr) == (1, True), done


def test_a_folder_that_moved_far_away_tells_what_it_still_holds_when_it_is_indexed(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    converse(world)
    far = tmp_path_factory.mktemp("far") / "a" / "b" / "c" / "d" / "e"
    far.mkdir(parents=True)
    world.project.rename(far / "project")
    assert f"{world.project}: this folder is not there any more" in forget(world).stdout
    assert holding(far)

    world.project = far / "project"
    indexed = hardwon(world, "index")
    anchors = {
        line.rpartition(" ")[2] for line in indexed.stderr.splitlines() if "was forgotten" in line
    }

    assert (indexed.code, len(anchors)) == (0, 2), indexed
    assert hardwon(world, "recall", WORD, "--in", "all").stdout.count(DECISION) == 0
    assert hardwon(world, "forget", *anchors, "--yes").code == 0
    assert holding(far) == []
    assert "forgotten" not in hardwon(world, "index").stderr


def test_a_run_that_was_killed_is_completed_where_the_store_does_not_know_the_folder_any_more(
    world: World,
) -> None:
    converse(world)
    with open_world(world) as memory:
        forgetting = build_forget_for_good(memory, str(world.project))
        begun = forgetting.plan(ErasureRequest(text=WORD)).begun
        forgetting.journal.begin(begun)
        forgetting.places[0].erase(begun.erasure)
    world.query("DELETE FROM project")
    for name in (FILE_NAME, "capture.db"):
        (world.store / name).unlink()

    done = forget(world)
    assert (done.code, holding(world.folder)) == (0, []), done


def test_the_path_of_a_folder_is_forgotten_with_its_files(world: World) -> None:
    world.project = world.project.rename(world.folder / f"the {WORD}")
    converse(world)

    done = forget(world)

    assert (done.code, holding(world.folder)) == (0, [])
    assert not [
        path
        for path in world.store.rglob("*")
        if path.is_file() and WORD.encode() in path.read_bytes()
    ]


def test_a_copy_of_the_store_knows_the_folders(world: World) -> None:
    converse(world)
    copy = world.folder / "copy"
    done = hardwon(world, "store", "copy", str(world.store), str(copy), "--yes")
    assert done.code == 0, done
    assert json.loads((copy / FILE_NAME).read_text())["path"] == str(world.project)
