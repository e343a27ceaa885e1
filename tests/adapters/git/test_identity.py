"""The identity of folders in repositories that the real git made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.adapters.git.identity import identify
from hardwon.domain.model.project import Identity
from tests.adapters.git.repository import git, output_of, repository
from tests.adapters.test_imports import FORBIDDEN, modules_after

MODULES = ("-c", "protocol.file.allow=always", "submodule", "--quiet")


def key(folder: Path) -> str:
    return identify(str(folder)).key


def project(key: Path, root: Path, *, is_repository: bool = True) -> Identity:
    place = key.stat()
    return Identity(str(key), str(root), is_repository, place.st_dev, place.st_ino)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's home."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return repository(tmp_path / "app", ("src/a",))


@pytest.fixture
def bare(tmp_path: Path, app: Path) -> Path:
    git(tmp_path, "clone", "--quiet", "--bare", str(app), "bare.git")
    return tmp_path / "bare.git"


def test_a_folder_in_no_repository_is_known_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "plain" / "inner").mkdir(parents=True)
    inner = tmp_path / "plain" / "inner"

    assert identify(str(inner)) == project(inner, inner, is_repository=False)


def test_a_folder_that_is_not_there_is_known_by_its_path(tmp_path: Path) -> None:
    assert identify(str(tmp_path / "gone")) == Identity(
        str(tmp_path / "gone"), str(tmp_path / "gone")
    )


def test_all_folders_of_a_repository_are_one_project(app: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(app / "src")

    for place in (
        app,
        app / "src",
        app / ".git" / "refs",
        app / "not" / "there",
        tmp_path / "link",
    ):
        assert identify(str(place)) == project(app / ".git", app)


def test_two_folders_of_one_name_are_two_projects(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "globex").mkdir()

    assert key(repository(tmp_path / "acme" / "app")) != key(
        repository(tmp_path / "globex" / "app")
    )


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_all_work_trees_of_a_repository_are_one_project(
    app: Path, tmp_path: Path, place: str
) -> None:
    trees = [(app if place == "inside" else tmp_path) / name for name in ("one", "two")]
    for tree in trees:
        git(app, "worktree", "add", "--quiet", str(tree))

    for tree in trees:
        assert identify(str(tree / "src")) == project(app / ".git", tree)


def test_relative_paths_between_work_trees_are_followed(app: Path, tmp_path: Path) -> None:
    git(app, "worktree", "add", "--quiet", str(tmp_path / "one"))
    linked = app / ".git" / "worktrees" / "one"
    (tmp_path / "one" / ".git").write_text("gitdir: ../app/.git/worktrees/one\n", "utf-8")
    (linked / "gitdir").write_text("../../../../one/.git\n", "utf-8")

    assert output_of(tmp_path / "one", "rev-parse", "HEAD")
    assert key(tmp_path / "one") == str(app / ".git")


def test_a_removed_work_tree_leaves_the_project_as_it_was(app: Path, tmp_path: Path) -> None:
    before = identify(str(app))
    git(app, "worktree", "add", "--quiet", str(tmp_path / "one"))
    git(app, "worktree", "remove", str(tmp_path / "one"))
    (tmp_path / "one").mkdir()

    assert identify(str(app)) == before
    assert key(tmp_path / "one") == str(tmp_path / "one")


def test_a_submodule_is_a_project_of_its_own(app: Path, tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", ("a",))
    git(outer, *MODULES, "add", str(app), "libs/app")
    module = outer / ".git" / "modules" / "libs" / "app"

    assert identify(str(outer / "libs" / "app" / "src")) == project(module, outer / "libs" / "app")
    assert key(outer / "libs") == str(outer / ".git")


def test_a_submodule_in_a_work_tree_and_one_in_a_submodule_are_found(
    app: Path, tmp_path: Path
) -> None:
    middle = repository(tmp_path / "middle", ("a",))
    git(middle, *MODULES, "add", str(app), "app")
    git(middle, "commit", "--quiet", "-m", "module")
    outer = repository(tmp_path / "outer", ("a",))
    git(outer, *MODULES, "add", str(middle), "middle")
    git(outer, *MODULES, "update", "--init", "--recursive")
    git(middle, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    git(tmp_path / "tree", *MODULES, "update", "--init")

    assert key(outer / "middle" / "app") == str(
        outer / ".git" / "modules" / "middle" / "modules" / "app"
    )
    assert key(tmp_path / "tree" / "app") == str(
        middle / ".git" / "worktrees" / "tree" / "modules" / "app"
    )


def test_a_sparse_submodule_is_found(app: Path, tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", ("a",))
    git(outer, *MODULES, "add", str(app), "app")
    module = outer / ".git" / "modules" / "app"
    tree = output_of(outer / "app", "config", "core.worktree")
    git(outer / "app", "config", "--file", str(module / "config.worktree"), "core.worktree", tree)
    git(outer / "app", "config", "--file", str(module / "config"), "--unset", "core.worktree")

    assert identify(str(outer / "app")) == project(module, outer / "app")


def test_a_bare_repository_and_its_work_trees_are_one_project(bare: Path, tmp_path: Path) -> None:
    for tree in (tmp_path / "beside", bare / "inside"):
        git(bare, "worktree", "add", "--quiet", str(tree))
        assert identify(str(tree / "src")) == project(bare, tree)

    assert identify(str(bare)) == identify(str(bare / "hooks")) == project(bare, bare)


def test_a_bare_repository_beside_its_pointer_is_that_folders(bare: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    bare.rename(top / ".bare")
    (top / ".git").write_text("gitdir: ./.bare\n", "utf-8")
    git(top, "worktree", "add", "--quiet", "tree")

    assert identify(str(top)) == project(top / ".bare", top)
    assert identify(str(top / "tree")) == project(top / ".bare", top / "tree")


def test_a_folder_of_a_clone_that_looks_like_a_repository_is_none(app: Path, bare: Path) -> None:
    bare.rename(app / "docs")

    assert identify(str(app / "docs")) == project(app / ".git", app)


def test_a_git_folder_elsewhere_that_does_not_know_the_folder_makes_it_a_project_of_its_own(
    tmp_path: Path,
) -> None:
    top = tmp_path / "top"
    git(tmp_path, "init", "--quiet", f"--separate-git-dir={tmp_path / 'separate'}", str(top))
    (top / "src").mkdir()

    assert identify(str(top / "src")) == project(top, top, is_repository=False)
    git(top, "config", "core.worktree", str(top))
    assert identify(str(top / "src")) == project(tmp_path / "separate", top)


def test_a_moved_repository_has_another_key_and_the_same_number(app: Path, tmp_path: Path) -> None:
    before = identify(str(app))
    app.rename(tmp_path / "renamed")
    after = identify(str(tmp_path / "renamed"))

    assert (before.key, after.key) == (str(app / ".git"), str(tmp_path / "renamed" / ".git"))
    assert (before.device, before.inode) == (after.device, after.inode)
    assert before.inode > 0


def test_clones_and_copies_are_projects_of_their_own(app: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(app), "clone")
    shutil.copytree(app, tmp_path / "copy")
    found = [identify(str(folder)) for folder in (app, tmp_path / "clone", tmp_path / "copy")]

    assert [identity.key for identity in found] == [f"{identity.root}/.git" for identity in found]
    assert len({identity.inode for identity in found}) == len(found)


def test_a_copied_work_tree_is_a_project_of_its_own(app: Path, tmp_path: Path) -> None:
    git(app, "worktree", "add", "--quiet", str(tmp_path / "one"))
    shutil.copytree(tmp_path / "one", tmp_path / "copy")

    assert key(tmp_path / "one") == str(app / ".git")
    assert identify(str(tmp_path / "copy")) == project(
        tmp_path / "copy", tmp_path / "copy", is_repository=False
    )


def test_a_repository_of_the_home_folder_makes_no_project_of_the_folders_below(
    home: Path, app: Path
) -> None:
    repository(home, (".bashrc",))
    (home / "plain" / "inner").mkdir(parents=True)
    app.rename(home / "app")

    assert identify(str(home)) == project(home / ".git", home)
    for plain in (home / "plain", home / "plain" / "inner"):
        assert identify(str(plain)) == project(plain, plain, is_repository=False)
    assert identify(str(home / "app" / "src")) == project(home / "app" / ".git", home / "app")


def test_a_bare_repository_below_a_repository_of_the_home_folder_is_found(
    home: Path, bare: Path
) -> None:
    repository(home)
    bare.rename(home / "bare.git")

    assert identify(str(home / "bare.git" / "hooks")) == project(
        home / "bare.git", home / "bare.git"
    )


def test_the_home_folder_is_in_no_bare_repository_around_it(
    home: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.rename(bare / "home")
    (bare / "home" / "plain").mkdir()
    assert key(bare / "home" / "plain") == str(bare)

    monkeypatch.setenv("HOME", str(bare / "home"))
    for plain in (bare / "home", bare / "home" / "plain"):
        assert identify(str(plain)) == project(plain, plain, is_repository=False)


def test_the_home_folder_is_known_through_a_link(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(home)
    (home / "plain").mkdir()
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))

    assert key(tmp_path / "link" / "plain") == str(home / "plain")


def test_variables_of_git_change_nothing(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(app))

    assert identify(str(app / "src")) == project(app / ".git", app)
    assert key(tmp_path) == str(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
@pytest.mark.parametrize("name", [b"\xff\xfe", b"a\nb", b" a ", "naïve".encode(), b"\x01"])
def test_odd_names_of_folders_are_kept(app: Path, tmp_path: Path, name: bytes) -> None:
    place = Path(os.fsdecode(os.fsencode(tmp_path / "odd-") + name))
    repository(place, ("a",))
    assert identify(str(place)) == project(place / ".git", place)

    tree = place.with_name(f"{place.name}-tree")
    subprocess.run(
        ["git", "-C", place, "worktree", "add", "--quiet", "--detach", tree],
        check=True,
        capture_output=True,
    )
    assert identify(str(tree)) == project(place / ".git", tree)
    assert key(app) == str(app / ".git")


@pytest.mark.parametrize("folder", ["a\0b", "\ud800", "/" + "x" * 5000])
def test_a_name_that_is_no_path_is_returned_as_it_is(folder: str) -> None:
    assert identify(folder) == Identity(folder, folder)


def test_the_hook_imports_nothing_slow_for_it() -> None:
    imported = modules_after("import hardwon.adapters.git.identity") - modules_after("")

    assert not imported & {*FORBIDDEN, "json", "select", "hashlib"}
