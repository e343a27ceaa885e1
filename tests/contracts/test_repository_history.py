"""The contract of `RepositoryHistory`, on the in-memory twin and on the real git."""

import hashlib
import os
import time
from pathlib import Path
from typing import Protocol

import pytest

from hardwon.adapters.git.history import GitRepositoryHistory
from hardwon.domain.model.deadline import Deadline
from hardwon.ports.repository import RepositoryHistory
from tests.adapters.git.repository import fake_git, git, output_of
from tests.fakes.projects import InMemoryRepositoryHistory, Past

ME = "me@example.invalid"
OTHER = "other@example.invalid"
LIMITLESS = Deadline(time.monotonic)
OVER = Deadline(time.monotonic, at=0.0)


class World(Protocol):
    history: RepositoryHistory

    def repository(self, *authors: str, remote: str = "") -> str: ...

    def shallow_clone(self, root: str) -> str: ...

    def first_commit(self, root: str) -> str: ...

    def break_git(self) -> None: ...


class InMemory:
    def __init__(self) -> None:
        self._fake = InMemoryRepositoryHistory(ME)
        self.history: RepositoryHistory = self._fake

    def repository(self, *authors: str, remote: str = "") -> str:
        root = f"/projects/{len(self._fake.pasts)}"
        firsts = (hashlib.sha256(root.encode()).hexdigest(),) if authors else ()
        self._fake.pasts[root] = Past(authors, firsts, remote)
        return root

    def shallow_clone(self, root: str) -> str:
        self._fake.pasts[f"{root}-clone"] = self._fake.pasts[root]._replace(is_shallow=True)
        return f"{root}-clone"

    def first_commit(self, root: str) -> str:
        return self._fake.pasts[root].first_commits[0]

    def break_git(self) -> None:
        self._fake.can_answer = False


class RealGit:
    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.history: RepositoryHistory = GitRepositoryHistory()
        self._folder, self._patch = folder, patch
        settings = folder / "gitconfig"
        settings.write_text(f"[user]\nemail = {ME}\n", "utf-8")
        patch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def repository(self, *authors: str, remote: str = "") -> str:
        root = self._folder / str(len(os.listdir(self._folder)))
        root.mkdir()
        git(root, "init", "--quiet")
        for author in authors:
            git(root, "commit", "--quiet", "--allow-empty", "-m", "one", f"--author=A <{author}>")
        if remote:
            git(root, "config", "remote.origin.url", remote)
        return str(root)

    def shallow_clone(self, root: str) -> str:
        clone = f"{root}-clone"
        git(self._folder, "clone", "--quiet", "--depth=1", f"file://{root}", clone)
        return clone

    def first_commit(self, root: str) -> str:
        return output_of(Path(root), "rev-list", "--max-parents=0", "HEAD")

    def break_git(self) -> None:
        fake_git(self._folder / "bin", "exit 3", self._patch)


@pytest.fixture(params=["in memory", "git"])
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return InMemory() if request.param == "in memory" else RealGit(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ((OTHER, OTHER), "foreign"),
        ((OTHER, ME.upper(), OTHER), "own"),
        ((f"x{ME}",), "foreign"),
        ((), "own"),
    ],
)
def test_a_repository_is_own_where_the_user_is_an_author_or_there_is_none(
    world: World, authors: tuple[str, ...], expected: str
) -> None:
    assert world.history.authorship(world.repository(*authors), LIMITLESS) == expected


def test_a_folder_that_is_no_repository_is_own_and_has_no_past(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    root = str(tmp_path / "plain")

    assert world.history.authorship(root, LIMITLESS) == "own"
    assert (world.history.first_commit(root, LIMITLESS), world.history.remote(root)) == ("", "")


def test_the_first_commit_stays_when_others_follow(world: World) -> None:
    root = world.repository(OTHER, ME, OTHER)

    assert world.history.first_commit(root, LIMITLESS) == world.first_commit(root)
    assert world.history.first_commit(world.repository(), LIMITLESS) == ""


def test_a_clone_in_part_has_no_first_commit(world: World) -> None:
    clone = world.shallow_clone(world.repository(OTHER, OTHER))

    assert world.history.first_commit(clone, LIMITLESS) == ""
    assert world.history.authorship(clone, LIMITLESS) == "foreign"


def test_a_repository_has_its_first_commit_and_no_other(world: World) -> None:
    root, other = world.repository(ME), world.repository(OTHER)

    assert world.history.has_commit(root, world.first_commit(root))
    assert not world.history.has_commit(root, world.first_commit(other))
    assert not world.history.has_commit("/nowhere", world.first_commit(root))


def test_a_commit_is_found_without_git(world: World) -> None:
    root = world.repository(ME)
    first = world.first_commit(root)
    world.break_git()

    assert world.history.has_commit(root, first)


def test_when_the_deadline_passed_nothing_is_known(world: World) -> None:
    root = world.repository(ME)

    assert world.history.authorship(root, OVER) == "unknown"
    with pytest.raises(TimeoutError):
        world.history.first_commit(root, OVER)


def test_when_git_fails_nothing_is_known(world: World) -> None:
    root = world.repository(ME, remote="https://example.org/app")
    world.break_git()

    assert world.history.authorship(root, LIMITLESS) == "unknown"
    assert world.history.remote(root) == "https://example.org/app"
    with pytest.raises(OSError, match="git"):
        world.history.first_commit(root, LIMITLESS)


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ("https://me:secret@example.org/acme/app.git", "https://example.org/acme/app.git"),
        ("https://me:se@cret@example.org/acme/app.git", "https://example.org/acme/app.git"),
        ("https://token@example.org?x=a@b", "https://example.org?x=a@b"),
        ("ssh://git@example.org:22/app", "ssh://example.org:22/app"),
        ("git@example.org:acme/app.git", "example.org:acme/app.git"),
        ("https://example.org/@acme/app", "https://example.org/@acme/app"),
        ("/srv/git/app@home.git", "/srv/git/app@home.git"),
        ("../app@home", "../app@home"),
        ("app@home", "app@home"),
        ("https://example.org/\x1b[2J", ""),
        ("", ""),
    ],
)
def test_the_remote_has_no_user_name_and_no_password(
    world: World, configured: str, expected: str
) -> None:
    assert world.history.remote(world.repository(remote=configured)) == expected
