"""Git repositories, and programs that pass for git."""

import os
import stat
import subprocess
import time
from pathlib import Path

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
    root.mkdir(exist_ok=True)
    git(root, "init", "--quiet")
    for number, names in enumerate(commits):
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"{number} {name}", "utf-8")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "-m", str(number))
    return root


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
