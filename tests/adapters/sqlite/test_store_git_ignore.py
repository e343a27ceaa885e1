"""The store's vectors stay out of the repositories it may lie in."""

import subprocess
from pathlib import Path

import pytest

from hardwon.adapters import hook_log
from hardwon.adapters.agents import user_files
from hardwon.adapters.markdown.knowledge_bank import RECORD_NAME
from hardwon.adapters.sqlite import capture_journal, database, hook_events, snapshots
from hardwon.adapters.sqlite.capture_journal import CaptureLock
from hardwon.adapters.sqlite.hook_events import note
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.conversation.hook_event import HookEvent
from tests.adapters.git.repository import git

OURS = (
    *(
        database.FILE_NAME,
        f"{database.FILE_NAME}-wal",
        hook_events.FILE_NAME,
        f"{hook_events.FILE_NAME}{hook_events.ASIDE}",
    ),
    *(
        capture_journal.LOCK_FILE,
        hook_log.FILE_NAME,
        f"{hook_log.FILE_NAME}.1",
        RECORD_NAME,
        user_files.RECORD,
        f"{snapshots.FOLDER}/1.db",
    ),
)


def store_in(folder: Path) -> Path:
    open_store(str(folder)).close()
    return folder / ".gitignore"


def is_ignored(folder: Path, name: str) -> bool:
    try:
        git(folder, "check-ignore", name)
    except subprocess.CalledProcessError:
        return False
    return True


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


def test_a_store_made_inside_a_work_tree_is_ignored_by_git(tree: Path) -> None:
    assert store_in(tree / "a" / "store").read_text() == "*\n"
    git(tree, "check-ignore", "a/store/memory.db", "a/store/hook.log", "a/store/.gitignore")


def test_a_work_tree_of_git_worktree_is_one_too(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere")

    assert store_in(tmp_path / "store").exists()


def test_a_folder_in_use_keeps_its_other_files_in_the_repository(tree: Path) -> None:
    (tree / "patterns.md").write_text("# Mine")

    store_in(tree)

    assert [
        name for name in (*OURS, "patterns.md", "captures.md") if not is_ignored(tree, name)
    ] == [
        "patterns.md",
        "captures.md",
    ]


def test_captured_files_are_ignored_whichever_file_is_made_first(tree: Path) -> None:
    store = tree / "store"
    CaptureLock(str(store)).acquire(0.0)
    note(str(store), HookEvent("one", "reply", "2026-11-20T10:00:00+00:00", "/project"))

    assert store_in(store).read_text() == "*\n"
    assert all(is_ignored(store, name) for name in OURS)


def test_a_log_that_was_there_first_leaves_the_folder_ours(tree: Path) -> None:
    (tree / "store").mkdir()
    (tree / "store" / hook_log.FILE_NAME).touch()

    assert store_in(tree / "store").read_text() == "*\n"


def test_the_users_own_git_ignore_is_kept(tree: Path) -> None:
    (tree / ".gitignore").write_text("mine")
    assert store_in(tree).read_text() == "mine"


def test_it_is_written_once_and_only_inside_a_work_tree(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ignore = store_in(tree / "store")
    ignore.unlink()

    assert not store_in(tree / "store").exists()
    assert not store_in(tmp_path_factory.mktemp("outside")).exists()
