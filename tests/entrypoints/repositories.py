"""Real git repositories in a world, and `hardwon` in any of its folders."""

import os
import subprocess
from pathlib import Path

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran, hardwon

USER, UNTRUSTED = "me@example.invalid", "untrusted@example.invalid"


class Repositories:
    """
    A world whose user has an address, with repositories beside its project.

    Args:
        world: Where `hardwon` runs; its project is used by turns for each folder.

    """

    def __init__(self, world: World) -> None:
        self.world = world
        config = world.folder / "gitconfig"
        config.write_text(f"[user]\n\tname = Me\n\temail = {USER}\n")
        world.variables |= {"GIT_CONFIG_GLOBAL": str(config), "HARDWON_EMBEDDING_PROVIDER": "off"}

    def with_store(self) -> "Repositories":
        """Make the store, which knows the world's project."""
        self.world.remember()
        return self

    def folder(self, name: str) -> Path:
        """Return the folder of a repository."""
        return self.world.folder / name

    def make(self, name: str, author: str = USER, lesson: str = "") -> Path:
        """Make a repository with one commit, and a knowledge bank of one *lesson*."""
        folder = self.folder(name)
        (folder / "docs" / "knowledge-bank").mkdir(parents=True)
        (folder / "README.md").write_text(f"{name} by {author}")
        if lesson:
            text = f"## Heuristics\n\n### {lesson}\n{lesson} is what matters.\n- Observation count: 3\n- Confidence: high\n"
            (folder / "docs" / "knowledge-bank" / "heuristics.md").write_text(text)
        self.git(folder, "init", "--quiet")
        self.git(folder, "add", "--all")
        person = ("-c", "user.name=x", "-c", f"user.email={author}")
        self.git(folder, *person, "commit", "--quiet", "--message=x")
        return folder

    def clone(self, source: Path, name: str) -> Path:
        """Clone a repository."""
        self.git(self.world.folder, "clone", "--quiet", str(source), name)
        return self.folder(name)

    def git(self, folder: Path, *arguments: str) -> None:
        """Run git."""
        subprocess.run(["git", *arguments], cwd=folder, env=self.world.variables, check=True)

    def run(self, folder: Path | str, *arguments: str) -> Ran:
        """Run `hardwon` in a folder."""
        before, self.world.project = self.world.project, Path(folder)
        try:
            return hardwon(self.world, *arguments)
        finally:
            self.world.project = before

    def learn(self, folder: Path, lesson: str) -> None:
        """Import a bank of one lesson as a session start does, without a word of the user."""
        bank = folder / "docs" / "knowledge-bank"
        bank.mkdir(parents=True, exist_ok=True)
        text = f"## Heuristics\n\n### {lesson}\n{lesson} is what matters.\n- Observation count: 3\n- Confidence: high\n"
        (bank / "heuristics.md").write_text(text)
        self.start(folder)

    def start(self, folder: Path) -> str:
        """Start a session in a folder; return the block."""
        before, self.world.project = self.world.project, folder
        try:
            return self.world.hook().stdout
        finally:
            self.world.project = before

    def shows(self, folder: Path, lesson: str) -> bool:
        """Return whether a session start in a folder shows a lesson."""
        return f"### {lesson}\n" in self.start(folder)

    def project(self, folder: Path | str, *name: str) -> dict[str, object]:
        """Return what the store knows of a project."""
        done = self.run(folder, "project", "show", *name, "--json")
        assert done.code == 0, done.stderr
        return dict(done.document)

    def ids(self) -> set[object]:
        """Return the ids of all projects but the world's own."""
        found = self.run(self.world.folder, "project", "list", "--json").items
        return {item["id"] for item in found if item["root"] != os.path.realpath(self.world.folder)}
