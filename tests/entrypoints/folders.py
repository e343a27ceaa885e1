"""Repositories, a home with agents, and a feature branch, in a world."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hardwon.entrypoints.bootstrap_agents import build_agents
from hardwon.ports.agents import Agent
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run
from tests.fakes.doors import Ran

USER, UNTRUSTED = "me@example.invalid", "untrusted@example.invalid"


class Repositories:
    """
    A world whose user has an address, with repositories beside its project.

    Args:
        world: Where `hardwon` runs; its project is used by turns for each folder.

    """

    def __init__(self, world: World) -> None:
        self.world = world
        world.give_address(USER)
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"

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
        self.world.at(folder).commit_all(author)
        return folder

    def clone(self, source: Path, name: str) -> Path:
        """Clone a repository."""
        self.git(self.world.folder, "clone", "--quiet", str(source), name)
        return self.folder(name)

    def git(self, folder: Path, *arguments: str) -> None:
        """Run git."""
        self.world.at(folder).git(*arguments)

    def run(self, folder: Path | str, *arguments: str) -> Ran:
        """Run `hardwon` in a folder."""
        return hardwon(self.world.at(Path(folder)), *arguments)

    def learn(self, folder: Path, lesson: str) -> None:
        """Import a bank of one lesson as a session start does, without a word of the user."""
        bank = folder / "docs" / "knowledge-bank"
        bank.mkdir(parents=True, exist_ok=True)
        text = f"## Heuristics\n\n### {lesson}\n{lesson} is what matters.\n- Observation count: 3\n- Confidence: high\n"
        (bank / "heuristics.md").write_text(text)
        self.start(folder)

    def start(self, folder: Path) -> str:
        """Start a session in a folder; return the block."""
        return self.world.at(folder).hook().stdout

    def block(self, folder: Path) -> str:
        """Return the block of the argument form, which has all that may speak in a folder."""
        return self.world.at(folder).argument_form().stdout

    def shows(self, folder: Path, lesson: str) -> bool:
        """Return whether a lesson may speak in a folder."""
        return f"### {lesson}\n" in self.block(folder)

    def project(self, folder: Path | str, *name: str) -> dict[str, object]:
        """Return what the store knows of a project."""
        done = self.run(folder, "project", "show", *name, "--json")
        assert done.code == 0, done.stderr
        return dict(done.document)

    def ids(self) -> set[object]:
        """Return the ids of all projects but the world's own."""
        found = self.run(self.world.folder, "project", "list", "--json").items
        return {item["id"] for item in found if item["root"] != os.path.realpath(self.world.folder)}


ALL = [
    word
    for name in ("claude-code", "codex", "gemini-cli", "opencode")
    for word in ("--agent", name)
]


def home(world: World) -> Path:
    return Path(world.variables["HOME"])


def tree(*folders: Path) -> dict[str, bytes | None]:
    """Return every file's bytes and every folder."""
    paths = sorted(path for folder in folders for path in folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def init(world: World, *arguments: str) -> Ran:
    return hardwon(world, "init", *arguments)


def agents_of(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Agent]:
    """Return every agent of the world's user, in this process."""
    monkeypatch.setenv("HOME", str(home(world)))
    return build_agents(world.variables)


ANSWER = Path(__file__).with_name("answer.json")
IN_PROSE = Path(__file__).with_name("answer-in-prose.md")
FILES = {"anti-patterns", "patterns", "heuristics"}
BRANCH = "feature/007-csv-reader"
OF_THE_BRANCH = ("quotes.py", "reader.py")
HEADING = "Measure before choosing a parser"


def on_a_feature_branch(world: World) -> World:
    """Bring the project onto a feature branch with two commits and an uncommitted change."""
    world.git("init", "--quiet", "--initial-branch=main")
    world.commit("README.md", "old.py")
    world.commit("other.py")
    world.git("checkout", "--quiet", "-b", BRANCH)
    world.commit(*OF_THE_BRANCH)
    world.commit("notes.md")
    (world.project / "old.py").write_text("changed", encoding="utf-8")
    return world


def write_retro(world: World, answer: Any = ANSWER, *arguments: str) -> Ran:
    """Run `hardwon retro write` on the answer of a file, or on a document."""
    if isinstance(answer, Path):
        return run(world, "hardwon", "retro", "write", str(answer), *arguments)
    text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return run(world, "hardwon", "retro", "write", "-", *arguments, stdin=text)


def items() -> list[tuple[str, dict[str, Any]]]:
    """Return the items of the recorded answer, each with its list."""
    act = json.loads(ANSWER.read_text(encoding="utf-8"))["act"]
    return [(name, item) for name, row in act.items() for item in row]


def one(text: str, **fields: object) -> dict[str, object]:
    """Return an answer with one pattern."""
    return {"act": {"patterns": [{"text": text, **fields}]}}


def banks(world: World) -> dict[str, str]:
    """Return the text of every knowledge-bank file, by its name below the world's folder."""
    folders = (world.project / "docs" / "knowledge-bank", world.store)
    paths = (path for folder in folders for path in folder.glob("*.md"))
    return {str(path.relative_to(world.folder)): path.read_text(encoding="utf-8") for path in paths}


def undated(text: str) -> str:
    """Return a file's text with the day on which a test runs spelt `TODAY`; none of them writes such a day itself."""
    return re.sub(
        r"Last observed: (?!2024-)\d{4}-\d\d-\d\d$",
        "Last observed: TODAY",
        text,
        flags=re.MULTILINE,
    )


def rows(world: World) -> list[tuple[Any, ...]]:
    """Return id, name, count and project of every learning."""
    return world.query(
        "SELECT id, name, observation_count, source_project FROM entries ORDER BY id"
    )
