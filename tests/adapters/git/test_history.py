"""Authors of repositories that the real git made. `tests/contracts/test_repository_history.py` has what holds for any."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hardwon.adapters.git.history import GitRepositoryHistory, has_object
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import ENVIRONMENT, fake_git, git, output_of, repository

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="some programs here are for a POSIX shell"
)

ME = "me@x.org"
OTHER = "other@x.org"
HISTORY = GitRepositoryHistory()
LIMITLESS = Deadline(time.monotonic)


def authorship(root: Path, seconds: float = 30.0) -> str:
    return HISTORY.authorship(str(root), Deadline.after(seconds, time.monotonic))


def first_commit(root: Path) -> str:
    return HISTORY.first_commit(str(root), LIMITLESS)


def commit(root: Path, author: str, name: str = "A") -> None:
    git(
        root,
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "one",
        GIT_AUTHOR_EMAIL=author,
        GIT_AUTHOR_NAME=name,
    )


def write_commit(root: Path, author: str) -> str:
    """Store a commit after the last one whose line of the author is *author*, as no git would write it; return its hash."""
    tree, parent = output_of(root, "write-tree"), output_of(root, "rev-parse", "HEAD")
    lines = (
        f"tree {tree}",
        f"parent {parent}",
        f"author {author} 1700000000 +0000",
        "committer A <a@b> 1700000000 +0000",
    )
    text = "\n".join((*lines, "", "one", ""))
    command = [
        "git",
        "-C",
        str(root),
        "hash-object",
        "--literally",
        "-t",
        "commit",
        "-w",
        "--stdin",
    ]
    done = subprocess.run(
        command, input=text.encode(), capture_output=True, check=True, env=os.environ | ENVIRONMENT
    )
    return done.stdout.decode().strip()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's home, whose configuration has an address and includes others."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    configure(folder, f"[user]\nemail = {ME}\n")
    return folder


def configure(home: Path, text: str) -> None:
    (home / ".gitconfig").write_text(text, "utf-8")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    root = repository(tmp_path / "app")
    commit(root, OTHER)
    return root


@pytest.fixture(params=["new", "old"])
def any_git(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let git be as it is, and one before 2.26, which does not know `--show-scope`."""
    if request.param == "old":
        real = output_of(tmp_path, "--exec-path") + "/git"
        fake_git(
            tmp_path / "bin",
            f'case "$*" in *--show-scope*) exit 129;; esac; exec {real} "$@"',
            monkeypatch,
        )
    return str(request.param)


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("me@x.org", "own"),
        ("ME@X.Org", "own"),
        ("some@x.org", "foreign"),
        ("me@x.org.example", "foreign"),
        ("me@xyorg", "foreign"),
        ("", "foreign"),
    ],
)
def test_an_address_is_compared_whole_and_without_case(
    app: Path, author: str, expected: str
) -> None:
    commit(app, author)
    commit(app, OTHER)

    assert authorship(app) == expected


@pytest.mark.parametrize(
    "address", ["m.e+x[1]*@x.org", "me\\d@x.org", "^me@x.org$", "(me|you)@x.org", "naïve@x.org"]
)
def test_an_address_is_no_pattern(app: Path, home: Path, address: str) -> None:
    configure(home, '[user]\nemail = "{}"\n'.format(address.replace("\\", "\\\\")))
    for other in ("mme+xx1@x.org", "me1@x.org", "you@x.org", "naive@x.org"):
        commit(app, other)
    assert authorship(app) == "foreign"

    commit(app, address)
    assert authorship(app) == "own"


def test_an_address_in_the_name_or_message_of_others_does_not_count(app: Path) -> None:
    commit(app, OTHER, name=f"{ME} <{ME}>")
    git(app, "commit", "--quiet", "--allow-empty", "-m", f"author A <{ME}>", GIT_COMMITTER_EMAIL=ME)
    for _ in range(3):
        git(app, "reset", "--quiet", "--hard", write_commit(app, f"A <{OTHER}> <{ME}>"))
    assert authorship(app) == "foreign"

    commit(app, ME)
    git(app, "reset", "--quiet", "--hard", write_commit(app, f"A <{OTHER}> <{ME}>"))
    assert authorship(app) == "own"


def test_an_address_is_cleaned_as_git_cleans_it(app: Path, home: Path) -> None:
    configure(home, f'[user]\nemail = " <{ME}>, "\n')
    commit(app, f" <{ME}>, ")

    assert output_of(app, "log", "-1", "--format=%ae") == ME
    assert authorship(app) == "own"


@pytest.mark.parametrize("place", ["branch", "tag", "remote", "detached head"])
def test_commits_that_any_reference_reaches_count(app: Path, place: str) -> None:
    start = output_of(app, "symbolic-ref", "--short", "HEAD")
    git(app, "checkout", "--quiet", "--detach")
    commit(app, ME)
    mine = output_of(app, "rev-parse", "HEAD")
    if place != "detached head":
        folder = {"branch": "heads", "tag": "tags", "remote": "remotes/origin"}[place]
        git(app, "switch", "--quiet", start)
        assert authorship(app) == "foreign"
        git(app, "update-ref", f"refs/{folder}/mine", mine)

    assert authorship(app) == "own"


def test_a_commit_in_another_work_tree_counts(app: Path, tmp_path: Path) -> None:
    git(app, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    commit(tmp_path / "tree", ME)

    assert (authorship(app), authorship(tmp_path / "tree")) == ("own", "own")


def test_a_bare_repository_is_asked(app: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(app), "bare.git")
    assert authorship(tmp_path / "bare.git") == "foreign"

    commit(app, ME)
    git(app, "push", "--quiet", str(tmp_path / "bare.git"), "HEAD:refs/heads/other")
    assert authorship(tmp_path / "bare.git") == "own"
    assert first_commit(tmp_path / "bare.git") == first_commit(app) != ""


def test_a_repository_can_t_rename_its_authors(app: Path) -> None:
    (app / ".mailmap").write_text(f"Me <{ME}> <{OTHER}>\n", "utf-8")
    for name, value in {"log.mailmap": "true", "mailmap.file": str(app / ".mailmap")}.items():
        git(app, "config", name, value)
    git(app, "add", ".mailmap")
    commit(app, OTHER)

    assert output_of(app, "log", "-1", "--format=%aE") == ME
    assert authorship(app) == "foreign"


def test_a_repository_can_t_replace_its_commits(app: Path) -> None:
    first = first_commit(app)
    commit(app, OTHER)
    head, mine = output_of(app, "rev-parse", "HEAD"), write_commit(app, f"A <{ME}>")
    replacements = app / ".git" / "refs" / "replace"
    replacements.mkdir()
    (replacements / head).write_text(f"{mine}\n", "utf-8")
    assert output_of(app, "log", "-1", "--format=%ae") == ME
    # The commit that replaces is reached by its own reference: only the first commit can tell.
    assert first_commit(app) == first

    (replacements / head).unlink()
    (app / ".git" / "info" / "grafts").write_text(f"{head}\n", "utf-8")
    assert output_of(app, "rev-list", "--max-parents=0", "HEAD") == head
    assert (first_commit(app), authorship(app)) == (first, "foreign")


@pytest.mark.usefixtures("any_git")
def test_an_address_that_the_repository_configures_does_not_count(
    app: Path, tmp_path: Path
) -> None:
    (tmp_path / "included").write_text(
        f"[user]\nemail = {OTHER}\n[author]\nemail = {OTHER}\n", "utf-8"
    )
    git(app, "config", "user.email", OTHER)
    git(app, "config", "include.path", str(tmp_path / "included"))
    git(app, "config", "extensions.worktreeConfig", "true")
    git(app, "config", "--worktree", "author.email", OTHER)

    assert authorship(app) == "foreign"


@pytest.mark.usefixtures("any_git")
def test_without_an_address_every_repository_is_own(app: Path, home: Path) -> None:
    git(app, "config", "user.email", ME)
    for text in (
        "",
        "[user]\nname = A\n",
        "[user]\nemail\n",
        '[user]\nemail = ""\n',
        '[user]\nemail = " <>"\n',
    ):
        configure(home, text)
        assert authorship(app) == "own", text
    (home / ".gitconfig").unlink()
    assert authorship(app) == "own"


@pytest.mark.usefixtures("any_git")
@pytest.mark.parametrize(
    "condition", ["include", 'includeIf "gitdir:{app}/"', 'includeIf "gitdir:{app}/**"']
)
def test_an_address_that_the_user_includes_for_the_folder_counts(
    app: Path, home: Path, condition: str
) -> None:
    (home / "work").write_text(f"[user]\nemail = {OTHER}\n", "utf-8")
    configure(home, f"[{condition.format(app=app)}]\npath = work\n[user]\nemail = {ME}\n")
    assert authorship(app) == "own"

    configure(home, f'[includeIf "gitdir:{app}-2/"]\npath = work\n[user]\nemail = {ME}\n')
    assert authorship(app) == "foreign"


def test_an_address_that_the_user_includes_by_remote_counts(app: Path, home: Path) -> None:
    version = output_of(app, "--version").split()[2].split(".")
    if tuple(map(int, version[:2])) < (2, 36):
        pytest.skip("a git that has no such condition")
    (home / "work").write_text(f"[user]\nemail = {OTHER}\n", "utf-8")
    configure(
        home,
        f'[user]\nemail = {ME}\n[includeIf "hasconfig:remote.*.url:https://x.org/**"]\npath = work\n',
    )
    assert authorship(app) == "foreign"

    git(app, "config", "remote.origin.url", "https://x.org/app")
    assert authorship(app) == "own"


@pytest.mark.usefixtures("any_git")
@pytest.mark.parametrize("place", ["second file of the user", "machine", "author", "second value"])
def test_addresses_of_all_the_users_files_count(
    app: Path, home: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = f"[user]\nemail = {OTHER}\n"
    if place == "second file of the user":
        (home / "git").mkdir()
        (home / "git" / "config").write_text(setting, "utf-8")
    elif place == "machine":
        (home / "system").write_text(setting, "utf-8")
        monkeypatch.delenv("GIT_CONFIG_NOSYSTEM")
        monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(home / "system"))
    elif place == "author":
        configure(home, f"[user]\nemail = {ME}\n[author]\nemail = {OTHER}\n")
    else:
        configure(home, f"[user]\nemail = {ME}\nemail = {OTHER}\n")

    assert authorship(app) == "own"


def test_variables_of_git_change_nothing(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository(tmp_path / "mine"), ME)
    variables = {
        "GIT_DIR": str(tmp_path / "mine" / ".git"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.email",
        "GIT_CONFIG_VALUE_0": OTHER,
        "GIT_AUTHOR_EMAIL": OTHER,
    }
    first = first_commit(app)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert (authorship(app), first_commit(app)) == ("foreign", first)


def test_a_plain_folder_below_a_repository_of_the_home_folder_is_own(home: Path) -> None:
    repository(home)
    commit(home, OTHER)
    (home / "plain").mkdir()

    assert (authorship(home), authorship(home / "plain")) == ("foreign", "own")
    assert first_commit(home / "plain") == ""


def test_a_git_folder_elsewhere_is_asked_for_its_authors_only(tmp_path: Path) -> None:
    top = tmp_path / "top"
    git(tmp_path, "init", "--quiet", f"--separate-git-dir={tmp_path / 'separate'}", str(top))
    git(top, "config", "remote.origin.url", "https://x.org/app")
    (top / "commondir").write_text("a file like others", "utf-8")
    commit(top, OTHER)
    assert authorship(top) == "foreign"
    assert (first_commit(top), HISTORY.remote(str(top))) == ("", "")

    commit(top, ME)
    assert authorship(top) == "own"


@pytest.mark.parametrize("kind", ["whole", "hollow"])
def test_a_git_folder_that_borrows_from_another_repository_is_foreign(
    app: Path, tmp_path: Path, kind: str
) -> None:
    commit(app, ME)
    forged = repository(tmp_path / "forged") if kind == "whole" else tmp_path / "forged"
    (forged / ".git").mkdir(parents=True, exist_ok=True)
    (forged / ".git" / "HEAD").write_bytes((app / ".git" / "HEAD").read_bytes())
    (forged / ".git" / "commondir").write_text(f"{app}/.git\n", "utf-8")

    assert output_of(forged, "log", "-1", "--format=%ae") == ME
    assert (authorship(forged), first_commit(forged)) == ("foreign", "")
    (app / "commondir").write_text("a file like others", "utf-8")
    assert (authorship(app), first_commit(app) != "") == ("own", True)


@pytest.mark.parametrize("content", ["gitdir: /nowhere", "", "gitdir: a\0b"])
def test_a_git_file_that_leads_nowhere_leaves_the_authors_unknown(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / ".git").write_text(content, "utf-8")

    assert authorship(tmp_path) == "unknown"
    assert first_commit(tmp_path) == ""


def test_of_several_first_commits_the_smallest_is_named(app: Path) -> None:
    start = output_of(app, "symbolic-ref", "--short", "HEAD")
    for number in range(4):
        git(app, "checkout", "--quiet", "--orphan", f"orphan-{number}")
        git(app, "commit", "--quiet", "--allow-empty", "-m", f"orphan {number}")
        git(app, "switch", "--quiet", start)
        git(
            app,
            "merge",
            "--quiet",
            "--allow-unrelated-histories",
            "-m",
            "merge",
            f"orphan-{number}",
        )
    firsts = output_of(app, "rev-list", "--max-parents=0", "HEAD").split()

    assert len(firsts) == 5
    assert first_commit(app) == min(firsts)


def test_a_clone_and_a_work_tree_have_the_first_commit_of_the_original(
    app: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", str(app), "clone")
    git(app, "worktree", "add", "--quiet", str(tmp_path / "tree"))

    assert {first_commit(folder) for folder in (app, tmp_path / "clone", tmp_path / "tree")} == {
        output_of(app, "rev-list", "--max-parents=0", "HEAD")
    }
    assert HISTORY.remote(str(tmp_path / "clone")) == str(app)
    assert HISTORY.remote(str(tmp_path / "tree")) == ""


@pytest.mark.parametrize("script", ["exec sleep 1000", "printf 'x'; exec sleep 1000"])
def test_a_git_that_hangs_is_left_at_the_deadline(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    fake_git(tmp_path / "bin", script, monkeypatch)

    assert authorship(app, seconds=0.2) == "unknown"
    with pytest.raises(TimeoutError):
        HISTORY.first_commit(str(app), Deadline.after(0.2, time.monotonic))


def test_without_git_nothing_is_known(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert authorship(app) == "unknown"
    with pytest.raises(FileNotFoundError):
        first_commit(app)


def test_damaged_settings_leave_the_authors_unknown(app: Path, home: Path) -> None:
    configure(home, "[user\n")

    assert authorship(app) == "unknown"


@pytest.mark.parametrize("root", ["a\0b", "\ud800"])
def test_a_root_that_is_no_path_is_no_repository(root: str) -> None:
    assert (HISTORY.authorship(root, LIMITLESS), HISTORY.first_commit(root, LIMITLESS)) == (
        "own",
        "",
    )
    assert HISTORY.remote(root) == ""


def test_the_search_ends_at_the_first_commit_that_matches(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(app, ME)
    real, record = output_of(tmp_path, "--exec-path") + "/git", tmp_path / "asked"
    # The output after the first match would never end.
    script = f'echo "$*" >>{record}; case "$*" in *--author*) {real} "$@"; exec sleep 30;; esac; exec {real} "$@"'
    fake_git(tmp_path / "bin", script, monkeypatch)

    assert authorship(app, seconds=10) == "own"
    assert [line.count("rev-list") for line in record.read_text("utf-8").splitlines()] == [0, 1]


def test_no_program_that_the_repository_names_is_run(app: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/run\n", "utf-8")
    program.chmod(0o755)
    settings = (
        "core.fsmonitor",
        "core.pager",
        "gpg.program",
        "core.sshCommand",
        "alias.rev-list",
        "pager.rev-list",
    )
    for setting in settings:
        git(app, "config", setting, f"!{program}" if setting.startswith("alias") else str(program))
    git(app, "config", "log.showSignature", "true")
    git(app, "config", "remote.origin.url", f"ext::{program}")

    assert authorship(app) == "foreign"
    assert first_commit(app)
    assert HISTORY.remote(str(app)) == f"ext::{program}"
    assert not (tmp_path / "run").exists()


MANY = 300


def commit_in(folder: Path) -> str:
    return output_of(folder, "rev-list", "--max-parents=0", "HEAD").strip()


@pytest.fixture
def commits_only(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    git(tmp_path, "init", "--quiet", str(folder))
    for number in range(3):
        git(folder, "commit", "--quiet", "--allow-empty", "-m", str(number))
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_a_commit_is_found_loose_and_in_a_pack(commits_only: Path, packed: bool) -> None:  # noqa: FBT001
    commits = output_of(commits_only, "rev-list", "HEAD").split()
    if packed:
        git(commits_only, "gc", "--quiet", "--prune=now")
        assert not (commits_only / ".git/objects" / commits[0][:2]).exists()

    assert [has_object(str(commits_only / ".git"), commit) for commit in commits] == [True] * 3
    assert not has_object(str(commits_only / ".git"), "0" * 40)
    assert not has_object(str(commits_only / ".git"), "f" * 40)


def test_every_object_of_a_pack_is_found_and_no_neighbour_of_one(commits_only: Path) -> None:
    for number in range(MANY):
        (commits_only / str(number)).write_text(str(number))
    git(commits_only, "add", "--all")
    git(commits_only, "commit", "--quiet", "-m", "many")
    git(commits_only, "gc", "--quiet", "--prune=now")
    names = output_of(
        commits_only, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"
    ).split()

    assert len(names) > MANY
    assert all(has_object(str(commits_only / ".git"), name) for name in names)
    neighbours = {f"{(int(name, 16) + 1) % (1 << 160):040x}" for name in names} - {*names}
    assert not any(has_object(str(commits_only / ".git"), name) for name in neighbours)


def test_a_repository_with_longer_names_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "x")
    git(tmp_path, "gc", "--quiet", "--prune=now")
    name = commit_in(tmp_path)

    assert len(name) == 64
    assert has_object(str(tmp_path / ".git"), name)


@pytest.mark.parametrize("name", ["", "not hexadecimal", "ab", "../config"])
def test_a_name_of_another_form_is_not_found(commits_only: Path, name: str) -> None:
    assert not has_object(str(commits_only / ".git"), name)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xfftOc", b"\xfftOc\0\0\0\2" + b"\xff" * 1024, b"\xfftOc\0\0\0\2" + b"\0" * 3],
)
def test_a_damaged_index_has_nothing(commits_only: Path, content: bytes) -> None:
    pack = commits_only / ".git/objects/pack"
    (pack / "pack-x.idx").write_bytes(content)
    os.mkfifo(pack / "pack-y.idx")

    assert not has_object(str(commits_only / ".git"), "f" * 40)
    assert has_object(str(commits_only / ".git"), commit_in(commits_only))
