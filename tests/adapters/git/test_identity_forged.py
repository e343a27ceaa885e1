"""Folders whose `.git` claims what the named repository does not confirm, and files that are none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.git.identity import common_folder, identify, main_work_tree
from hardwon.domain.model.project import Identity
from tests.adapters.git.repository import git, output_of, repository
from tests.machine import LONGEST_WAIT


def looks_like_a_repository(folder: Path) -> Path:
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    return folder


def is_alone(folder: Path, *, inside: Path | None = None) -> bool:
    """Return whether *folder* is a project of its own that is no repository."""
    found = identify(str(inside or folder))
    return (found.key, found.root, found.is_repository) == (str(folder), str(folder), False)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a repository with a linked work tree `tree` beside it."""
    folder = repository(tmp_path / "mine", ("a",))
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    return folder


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    folder = tmp_path / "forged"
    (folder / "src").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "target",
    [
        "{mine}/.git",
        "{mine}",
        "{mine}/.git/worktrees/tree",
        "../mine/.git/worktrees/tree",
        "{mine}/.git/worktrees/../worktrees/tree",
        "{mine}/.git/worktrees",
        "{mine}/.git/refs",
        "{mine}/.git/worktrees/none",
        "/",
        "",
    ],
)
def test_a_file_that_names_a_repository_which_does_not_know_the_folder(
    mine: Path, forged: Path, target: str
) -> None:
    (forged / ".git").write_text(f"gitdir: {target.format(mine=mine)}\n", "utf-8")

    assert is_alone(forged)
    assert is_alone(forged, inside=forged / "src")
    assert main_work_tree(str(forged / "src")) == str(forged)


@pytest.mark.parametrize("target", ["mine/.git", "mine/.git/worktrees/tree", "tree/.git", "mine"])
def test_a_link_to_another_repository_is_not_followed(
    mine: Path, forged: Path, target: str
) -> None:
    (forged / ".git").symlink_to(mine.parent / target)

    assert is_alone(forged)


def test_a_link_to_a_folder_that_knows_the_work_tree_or_lies_in_it_is_followed(
    mine: Path, forged: Path
) -> None:
    inside = looks_like_a_repository(forged / ".real")
    (forged / ".git").symlink_to(".real")
    outside = mine.parent / "outside"
    (mine / ".git").rename(outside)
    (mine / ".git").symlink_to(outside)

    assert identify(str(forged)).key == str(inside)
    assert is_alone(mine)
    git(mine, "config", "core.worktree", str(mine))
    assert identify(str(mine)).key == str(outside)


@pytest.mark.parametrize("common", ["{mine}/.git", "../../mine/.git", "../..", ""])
def test_a_common_folder_that_a_plain_git_folder_names_is_ignored(
    mine: Path, forged: Path, common: str
) -> None:
    looks_like_a_repository(forged / ".git")
    (forged / ".git" / "commondir").write_text(common.format(mine=mine), "utf-8")
    (forged / ".git" / "gitdir").write_text(f"{forged}/.git\n", "utf-8")

    assert identify(str(forged)).key == str(forged / ".git")


def test_a_git_folder_that_lacks_something_is_no_repository(forged: Path, mine: Path) -> None:
    (forged / ".git").mkdir()
    (forged / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (forged / ".git" / "commondir").write_text(f"{mine}/.git\n", "utf-8")

    assert output_of(forged, "rev-parse", "--git-common-dir") == str(mine / ".git")
    assert is_alone(forged, inside=forged / "src")


@pytest.mark.parametrize("place", ["{forged}/.git", "../../../../forged/.git"])
def test_an_entry_of_a_work_tree_counts_in_the_common_folder_only(
    mine: Path, forged: Path, place: str
) -> None:
    entry = forged / "hidden" / "worktrees" / "tree"
    entry.mkdir(parents=True)
    (forged / ".git").write_text("gitdir: hidden/worktrees/tree\n", "utf-8")
    (entry / "gitdir").write_text(place.format(forged=forged), "utf-8")
    (entry / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (entry / "commondir").write_text(f"{mine}/.git\n", "utf-8")

    assert output_of(forged, "rev-parse", "--git-common-dir") == str(mine / ".git")
    assert is_alone(forged)
    (entry / "commondir").write_text("../..\n", "utf-8")
    assert is_alone(forged)
    looks_like_a_repository(forged / "hidden")
    (entry / "gitdir").write_text(f"{forged}/.git\n", "utf-8")
    assert identify(str(forged)).key == str(forged / "hidden")


def test_a_link_among_the_entries_of_work_trees_leads_nowhere_else(
    mine: Path, forged: Path
) -> None:
    common = looks_like_a_repository(forged / "hidden")
    (common / "worktrees").symlink_to(mine / ".git" / "worktrees")
    (forged / ".git").write_text("gitdir: hidden/worktrees/tree\n", "utf-8")

    assert is_alone(forged)


def test_an_entry_that_names_another_file_or_folder_does_not_count(mine: Path) -> None:
    tree, entry = mine.parent / "tree", mine / ".git" / "worktrees" / "tree"
    for named in (
        f"{tree}/other",
        f"{tree}",
        f"{mine}/.git",
        "",
        f"{tree}/.git/.git",
        f"{tree}\0/.git",
    ):
        (entry / "gitdir").write_text(named, "utf-8")
        assert is_alone(tree), named

    (entry / "gitdir").write_text(f"{tree}/.git\n", "utf-8")
    assert identify(str(tree)).key == str(mine / ".git")
    (entry / "commondir").unlink()
    assert is_alone(tree)


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_link_to_the_file_of_another_work_tree_does_not_count(
    mine: Path, forged: Path, link: Callable[[Path, Path], None]
) -> None:
    link(mine.parent / "tree" / ".git", forged / ".git")

    assert identify(str(mine.parent / "tree")).key == str(mine / ".git")
    assert is_alone(forged)


def test_settings_that_name_another_work_tree_or_none_do_not_count(
    mine: Path, forged: Path
) -> None:
    (forged / ".git").write_text(f"gitdir: {mine}/.git\n", "utf-8")
    for setting in (str(mine), str(forged / "src"), "", f"{forged}\0"):
        (mine / ".git" / "config").write_text(f"[core]\nworktree = {setting}\n", "utf-8")
        assert is_alone(forged), setting

    git(
        mine,
        "config",
        "--file",
        f"{mine}/.git/config",
        "--replace-all",
        "core.worktree",
        str(forged),
    )
    assert identify(str(forged)).key == str(mine / ".git")


def test_the_work_tree_that_a_plain_git_folder_names_is_ignored(mine: Path) -> None:
    git(mine, "config", "core.worktree", str(mine.parent / "tree"))

    assert identify(str(mine)) == identify(str(mine / "src"))
    assert identify(str(mine)).root == str(mine)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "name", ["tree/.git", "entry/gitdir", "entry/commondir", "mine/.git/config"]
)
@pytest.mark.parametrize("kind", ["pipe", "folder", "nothing", "endless", "large", "closed"])
def test_a_pipe_or_an_odd_file_does_not_block(mine: Path, name: str, kind: str) -> None:
    tree, entry = mine.parent / "tree", mine / ".git" / "worktrees" / "tree"
    path = entry / name.removeprefix("entry/") if name.startswith("entry") else mine.parent / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind != "nothing":
        path.write_bytes(b"gitdir: " + b"x" * 10_000_000)
        path.chmod(0o600 if kind == "large" else 0)

    ask = f"from hardwon.adapters.git.identity import identify; print(identify({str(tree)!r}).key)"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST_WAIT,
    )
    gone = (name, kind) == ("tree/.git", "nothing")
    expected = str(mine / ".git") if name == "mine/.git/config" else str(tree)
    assert done.stdout.strip() == expected
    assert gone is not os.path.lexists(tree / ".git")


PIECES = (
    b"gitdir: ",
    b"../",
    b"mine",
    b"/.git",
    b"/worktrees/",
    b"tree",
    b"forged",
    b"{root}/",
    b"\n",
    b"\0",
    b"\xff",
    b".",
    b"hidden",
)
CONFIGS = (
    b"[core]\n",
    b"worktree",
    b" = ",
    b'"',
    b"\\",
    b"../forged",
    b"../../forged",
    b"{root}/forged",
    b"\n",
    b"\0",
    b"\xff",
)
contents = st.one_of(
    st.binary(max_size=40), st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join)
)
configs = st.one_of(
    st.binary(max_size=40), st.lists(st.sampled_from(CONFIGS), max_size=8).map(b"".join)
)


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a repository `mine`, its work tree `tree`, and a folder `forged` beside them."""
    folder = tmp_path_factory.mktemp("playground")
    git(repository(folder / "mine", ("a",)), "worktree", "add", "--quiet", str(folder / "tree"))
    return folder


class Claims(NamedTuple):
    """Contents of the files in a folder."""

    git_file: bytes
    common: bytes
    entry: bytes
    config: bytes


@given(
    claims=st.builds(Claims, contents, contents, contents, configs),
    name=st.sampled_from([".git", "hidden"]),
)
@example(
    claims=Claims(b"gitdir: ../mine/.git/worktrees/tree", b"../..", b"{root}/forged/.git", b""),
    name="hidden",
)
@example(
    claims=Claims(b"gitdir: ../mine/.git", b"", b"", b"[core]\nworktree = ../../mine"),
    name="hidden",
)
@example(
    claims=Claims(
        b"gitdir: hidden/worktrees/tree", b"{root}/mine/.git", b"{root}/forged/.git", b""
    ),
    name="hidden",
)
@example(
    claims=Claims(
        b"", b"{root}/mine/.git", b"{root}/forged/.git", b"[core]\nworktree = ../../mine"
    ),
    name=".git",
)
@settings(deadline=None)
def test_no_content_of_a_folder_makes_a_repository_outside_its_own(
    playground: Path, claims: Claims, name: str
) -> None:
    forged = playground / "forged"
    shutil.rmtree(forged, ignore_errors=True)
    hidden = looks_like_a_repository(forged / name)
    if name != ".git":
        fill(forged / ".git", claims.git_file, playground)
    for folder in (hidden, hidden / "worktrees" / "tree"):
        folder.mkdir(parents=True, exist_ok=True)
        fill(folder / "commondir", claims.common, playground)
        fill(folder / "gitdir", claims.entry, playground)
        fill(folder / "config", claims.config, playground)
    found = identify(str(forged))

    assert found.root == str(forged)
    assert found.key in {str(forged), str(hidden)}
    assert found.is_repository == (found.key == str(hidden))


@given(git_file=contents, common=contents, entry=contents)
@settings(deadline=None)
def test_no_content_of_a_repository_gives_a_key_that_is_not_named_back(
    tmp_path_factory: pytest.TempPathFactory,
    playground: Path,
    git_file: bytes,
    common: bytes,
    entry: bytes,
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    shutil.copytree(playground / "mine", folder / "mine", symlinks=True)
    own = folder / "mine" / ".git" / "worktrees" / "tree"
    (folder / "forged").mkdir()
    fill(folder / "forged" / ".git", git_file, folder)
    fill(own / "commondir", common, folder)
    fill(own / "gitdir", entry, folder)
    found = common_folder(str(folder / "forged"))
    named = os.path.join(own, os.fsdecode((own / "gitdir").read_bytes().rstrip(b"\r\n")))
    shutil.rmtree(folder)

    assert found is None or os.path.normpath(named) == str(folder / "forged" / ".git")


def fill(file: Path, content: bytes, root: Path) -> None:
    file.write_bytes(content.replace(b"{root}", os.fsencode(root)))


def test_an_unreadable_place_is_known_by_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> os.stat_result:
        raise PermissionError(path)

    monkeypatch.setattr(os, "stat", refused)
    assert identify("/") == Identity("/", "/")
