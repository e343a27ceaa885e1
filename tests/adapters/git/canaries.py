"""Programs that tell that they were run, and repositories that name them wherever git lets them."""

import os
import subprocess
from pathlib import Path

from tests.adapters.git.repository import git, repository

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
    """Return a repository with five commits and two changed files, whose settings name a program wherever they can."""
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
    """Let the index look older than the files it lists, so that git compares their content."""
    git(root, *QUIET, "checkout", "--quiet", "--force", "HEAD", "--", ".")
    for name in ("notes.txt", "code.c"):
        os.utime(root / name, (1_600_000_000, 1_600_000_000))
    git(root, *QUIET, "update-index", "--refresh", "--ignore-submodules", "-q")
    os.utime(root / ".git" / "index", (1_500_000_000, 1_500_000_000))


def lacking_repository(root: Path, canaries: Canaries) -> Path:
    """Return a repository that lacks an object and names a program to fetch it with."""
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
