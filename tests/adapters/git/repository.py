"""Git repositories, and programs that tell that they were run."""

import functools
import os
import shutil
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TypeAlias

import pytest

from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.deadline import Deadline

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}
PATIENCE = 30.0

Texts: TypeAlias = tuple[tuple[str, str], ...]
"""The names of the files of a commit, and their texts."""


def git(root: Path, *arguments: str, **variables: str) -> None:
    output_of(root, *arguments, **variables)


def output_of(root: Path, *arguments: str, **variables: str) -> str:
    """Return what git prints, without the last line's end."""
    # Tests may run inside a git hook, whose GIT_DIR must not lead here.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, env=ours | ENVIRONMENT | variables
    )
    return done.stdout.decode().rstrip("\n")


def repository(root: Path, *commits: tuple[str, ...]) -> Path:
    """Make a repository with files of those names in *root*, and return it."""
    texts = (
        tuple((name, f"{number} {name}") for name in names) for number, names in enumerate(commits)
    )
    return copy_of_repository(root, *texts)


def copy_of_repository(root: Path, *commits: Texts, branch: str = "master") -> Path:
    """
    Copy the repository of those commits to *root*, and return it.

    Git runs once for all copies.
    """
    shutil.copytree(_template(commits, branch).name, root, dirs_exist_ok=True)
    return root


@functools.cache
def _template(commits: tuple[Texts, ...], branch: str) -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="repository-")
    root = Path(folder.name)
    git(root, "init", "--quiet", "--initial-branch", branch, "--template=")
    (root / ".git" / "info").mkdir()
    for number, texts in enumerate(commits):
        for name, text in texts:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "-m", str(number))
    return folder


def fake_git(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def ask(root: Path | str, warnings: list[str], seconds: float = PATIENCE) -> tuple[str, ...]:
    probe = GitChangeProbe(str(root), warnings.append)
    return probe.changed_files(Deadline.after(seconds, time.monotonic))


def open_pipes() -> set[int]:
    """Return the numbers of this process's open pipes; what else is open may be of other threads."""
    numbers = (int(path.name) for path in Path("/dev/fd").iterdir())
    return {number for number in numbers if _is_pipe(number)}


def _is_pipe(number: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(number).st_mode)
    except OSError:  # what listed them is closed by now
        return False


NAMES = (
    "fsmonitor",
    "external",
    "textconv",
    "clean",
    "process",
    "pager",
    "transport",
    "alias",
    "hook",
    "submodule",
)
HOOKS = ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman")
QUIET = (
    "-c core.fsmonitor= -c core.hooksPath=/dev/null -c filter.shown.clean= -c filter.spoken.process= "
    "-c filter.spoken.required=false"
).split()


class Canaries:
    """
    Programs in a folder, one a name.

    Args:
        folder: Made; each program that was run leaves a file in it.

    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)

    def program(self, name: str) -> str:
        """Return a program that records its name when it runs."""
        return self.at(self._folder / f"{name}.sh", name)

    def at(self, path: Path, name: str) -> str:
        """Put such a program at *path*."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"#!/bin/sh\necho run >> '{self._folder}/{name}.run'\ncat 2>/dev/null\nexit 0\n",
            "utf-8",
        )
        path.chmod(0o755)
        return str(path)

    def sung(self) -> set[str]:
        """Return the names of those that were run."""
        return {path.stem for path in self._folder.glob("*.run")}

    def silence(self) -> None:
        """Forget what was run."""
        for path in self._folder.glob("*.run"):
            path.unlink()


def hostile_repository(root: Path, canaries: Canaries) -> Path:
    """
    Return a repository whose settings name a program wherever they can.

    It has five commits and two changed files.
    """
    repository(root, *(("notes.txt", "code.c") for _ in range(5)))
    (root / ".gitattributes").write_text(
        "*.txt diff=shown filter=shown\n*.c diff=shown filter=spoken\n", "utf-8"
    )
    _submodule(root, canaries)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "attributes")
    for hook in HOOKS:
        canaries.at(root / ".git" / "hooks" / hook, "hook")
        canaries.at(root / "hooks" / hook, "hook")
    for setting, value in _settings(root, canaries).items():
        git(root, *QUIET, "config", setting, value)
    for name in ("notes.txt", "code.c"):
        (root / name).write_text("changed\n", "utf-8")
    canaries.silence()
    return root


def forge_clean_state(root: Path) -> None:
    """Make the index older than its files, so that git compares contents."""
    git(root, *QUIET, "checkout", "--quiet", "--force", "HEAD", "--", ".")
    for name in ("notes.txt", "code.c"):
        os.utime(root / name, (1_600_000_000, 1_600_000_000))
    git(root, *QUIET, "update-index", "--refresh", "--ignore-submodules", "-q")
    os.utime(root / ".git" / "index", (1_500_000_000, 1_500_000_000))


def lacking_repository(root: Path, canaries: Canaries) -> Path:
    """Return a repository that names a program to fetch a missing object."""
    repository(root, *(("folder/file",) for _ in range(5)))
    asked = ["git", "-C", str(root), "rev-parse", "HEAD^{tree}"]
    tree = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    program = canaries.program("transport")
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.uploadpack": program,
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "core.sshCommand": program,
    }
    for setting, value in settings.items():
        git(root, "config", setting, value)
    canaries.silence()
    return root


def _submodule(root: Path, canaries: Canaries) -> None:
    inner = repository(root / "inner", ("inner.txt",))
    (inner / ".git" / "info").mkdir(exist_ok=True)
    (inner / ".git" / "info" / "attributes").write_text("*.txt filter=shown\n", "utf-8")
    git(inner, "config", "filter.shown.clean", canaries.program("submodule"))
    git(inner, "config", "core.fsmonitor", canaries.program("submodule"))
    (inner / "inner.txt").write_text("changed\n", "utf-8")


def _settings(root: Path, canaries: Canaries) -> dict[str, str]:
    program = {name: canaries.program(name) for name in NAMES}
    return {
        "core.fsmonitor": program["fsmonitor"],
        "core.hooksPath": str(root / "hooks"),
        "core.pager": program["pager"],
        "core.sshCommand": program["transport"],
        "core.gitProxy": program["transport"],
        "credential.helper": f"!{program['transport']}",
        "pager.diff": program["pager"],
        "alias.diff": f"!{program['alias']}",
        "alias.config": f"!{program['alias']}",
        "diff.external": program["external"],
        "diff.submodule": "diff",
        "diff.shown.command": program["external"],
        "diff.shown.textconv": program["textconv"],
        "filter.shown.clean": program["clean"],
        "filter.spoken.process": program["process"],
        "filter.spoken.required": "true",
    }
