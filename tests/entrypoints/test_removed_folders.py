"""Conversations of folders that are gone by the time of the capture get to where the project is now."""

import shutil
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.hook_events import has_events
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.folders import Repositories
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, statuses, written

ASKED = "Where does the okapi exporter keep its offsets?"


@pytest.fixture
def repositories(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> Repositories:
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    return Repositories(empty_world)


def talk_in(repositories: Repositories, folder: Path, session_id: str = "first") -> Conversation:
    repositories.world.project = folder
    conversation = Conversation(repositories.world, session_id, has_transcript=False)
    conversation.exchange(ASKED, "In a file beside the socket.")
    return conversation


def work(world: World) -> None:
    Worker(str(world.store), "/").run()


def is_captured_in(repositories: Repositories, folder: Path) -> bool:
    repositories.world.project = folder
    return (
        ASKED in written(repositories.world) and statuses(repositories.world)["first"].waiting == 0
    )


@pytest.mark.parametrize("place", ["../tree", ".claude/worktrees/tree", "../tree/src"])
def test_a_conversation_of_a_removed_work_tree_is_captured_in_the_main_one(
    repositories: Repositories, place: str
) -> None:
    main = repositories.make("main")
    tree = main / place.removesuffix("/src")
    repositories.git(main, "worktree", "add", "--quiet", str(tree))
    (main / place).mkdir(exist_ok=True)
    talk_in(repositories, (main / place).resolve())
    repositories.git(main, "worktree", "remove", "--force", str(tree))

    assert has_events(str(repositories.world.store))
    work(repositories.world)
    assert is_captured_in(repositories, main)


def test_a_folder_of_a_removed_work_tree_gets_its_conversations_in_the_same_folder_of_the_main_one(
    repositories: Repositories,
) -> None:
    main = repositories.make("main")
    tree = repositories.folder("tree")
    repositories.git(main, "worktree", "add", "--quiet", str(tree))
    (tree / "docs").mkdir()
    talk_in(repositories, tree / "docs")
    shutil.rmtree(tree)
    work(repositories.world)

    assert is_captured_in(repositories, main / "docs")


def test_a_work_tree_of_a_bare_repository_leaves_its_conversations_to_another_one(
    repositories: Repositories,
) -> None:
    source, bare = repositories.make("source"), repositories.folder("bare.git")
    repositories.git(source, "clone", "--quiet", "--bare", str(source), str(bare))
    one, other = repositories.folder("one"), repositories.folder("other")
    for tree in (one, other):
        repositories.git(bare, "worktree", "add", "--quiet", str(tree))
    talk_in(repositories, one)
    repositories.git(bare, "worktree", "remove", "--force", str(one))
    work(repositories.world)

    assert is_captured_in(repositories, other)


def test_a_conversation_of_a_removed_folder_of_a_repository_is_captured_at_its_top(
    repositories: Repositories,
) -> None:
    main = repositories.make("main")
    (main / "sub").mkdir()
    talk_in(repositories, main / "sub")
    (main / "sub").rmdir()
    work(repositories.world)

    assert is_captured_in(repositories, main)


def test_a_session_that_goes_on_after_its_work_tree_was_removed_loses_nothing(
    repositories: Repositories,
) -> None:
    main, tree = repositories.make("main"), repositories.folder("tree")
    repositories.git(main, "worktree", "add", "--quiet", str(tree))
    conversation = talk_in(repositories, tree)
    work(repositories.world)
    repositories.git(main, "worktree", "remove", "--force", str(tree))
    repositories.world.project = main
    conversation.exchange("And the gnu importer?", "Beside it.")
    work(repositories.world)

    assert is_captured_in(repositories, main)
    assert "And the gnu importer?" in written(repositories.world)


def test_a_conversation_of_a_project_that_moved_is_captured_in_its_new_place(
    repositories: Repositories,
) -> None:
    repositories.with_store()
    clone, new = repositories.make("clone"), repositories.folder("new")
    assert repositories.run(clone, "context").code == 0
    talk_in(repositories, clone)
    clone.rename(new)
    work(repositories.world)
    assert statuses(repositories.world)["first"].waiting == 2

    assert repositories.run(new, "project", "move", str(clone), "--yes").code == 0
    work(repositories.world)
    assert is_captured_in(repositories, new)


def test_a_conversation_of_a_deleted_folder_gets_into_no_other_and_waits(
    repositories: Repositories,
) -> None:
    around = repositories.make("around")
    plain, clone = around / "plain", around / "clone"
    plain.mkdir()
    repositories.git(around, "clone", "--quiet", str(around), str(clone))
    repositories.world.project = plain
    talk_in(repositories, clone)
    repositories.world.project = repositories.folder("elsewhere")
    repositories.world.project.mkdir()
    talk_in(repositories, repositories.world.project, "second")
    repositories.world.project.rmdir()
    shutil.rmtree(clone)
    work(repositories.world)

    assert {name: status.waiting for name, status in statuses(repositories.world).items()} == {
        "first": 2,
        "second": 2,
    }
    assert not (around / "memory").exists()
    assert "hardwon capture --discard 'first' drops them" in repositories.world.log.read_text()


def test_another_repository_in_the_place_of_the_main_one_gets_nothing(
    repositories: Repositories,
) -> None:
    main, tree = repositories.make("main"), repositories.folder("tree")
    repositories.git(main, "worktree", "add", "--quiet", str(tree))
    talk_in(repositories, tree)
    main.rename(repositories.folder("elsewhere"))
    shutil.rmtree(tree)
    repositories.make("main", author="somebody@example.invalid")
    work(repositories.world)

    assert statuses(repositories.world)["first"].waiting == 2
    assert not (main / "memory").exists()


def test_remember_finds_the_session_of_a_removed_work_tree(repositories: Repositories) -> None:
    repositories.with_store()
    main, tree = repositories.make("main"), repositories.folder("tree")
    repositories.git(main, "worktree", "add", "--quiet", str(tree))
    talk_in(repositories, tree)
    shutil.rmtree(tree)
    repositories.world.project = main
    repositories.world.variables["CLAUDE_CODE_SESSION_ID"] = "first"
    assert hardwon(repositories.world, "remember").code == 0
    assert is_captured_in(repositories, main)
