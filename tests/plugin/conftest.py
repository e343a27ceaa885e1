"""The plugin's launcher as a real process, in a home of its own."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.machine import LONGEST_WAIT

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
LAUNCH = PLUGIN / "launch"
SYSTEM = "/usr/bin:/bin"
PROGRAMS = ("hardwon", "hardwon-hook", "hardwon-mcp", "hardwon-writer")


class Desk:
    """
    A home, a project and the plugin's data folder, and the environment a host gives its hooks.

    Attributes:
        home: Of the user.
        project: Where the user works, a repository.
        data: The plugin's own folder.
        variables: The whole environment of the launcher.

    """

    def __init__(self, folder: Path) -> None:
        self.home, self.project, self.data = (
            folder / "home",
            folder / "project",
            folder / "home" / "data",
        )
        for item in (self.data, self.project / ".git"):
            item.mkdir(parents=True)
        self.variables = {
            "HOME": str(self.home),
            "PATH": SYSTEM,
            "CLAUDE_PLUGIN_ROOT": str(PLUGIN),
            "CLAUDE_PLUGIN_DATA": str(self.data),
            "CLAUDE_PROJECT_DIR": str(self.project),
        }

    def install(self, folder: Path, program: str = "hardwon-hook", script: str = "") -> Path:
        """Put a program into *folder* that tells where it is, or runs *script*; return the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / program
        path.write_text(
            f"#!/bin/sh\n{script or 'printf %s $0'}\n".replace("$0", '"$0"'), encoding="utf-8"
        )
        path.chmod(0o755)
        return folder

    def launch(
        self,
        *arguments: str,
        stdin: bytes = b"",
        cwd: Path | None = None,
        without: Mapping[str, str] | tuple[str, ...] = (),
    ) -> "subprocess.CompletedProcess[str]":
        """Run the launcher in the project, or in *cwd*, without some variables."""
        environment = {name: value for name, value in self.variables.items() if name not in without}
        return subprocess.run(
            [LAUNCH, *arguments],
            cwd=cwd or self.project,
            env=environment,
            input=stdin.decode("latin-1"),
            capture_output=True,
            encoding="latin-1",
            timeout=LONGEST_WAIT,
            check=False,
        )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
