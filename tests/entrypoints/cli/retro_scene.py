"""A project with a feature branch, and a retrospective of it."""

import json
import re
from pathlib import Path
from typing import Any

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran, run

ANSWER = Path(__file__).with_name("answer.json")
IN_PROSE = Path(__file__).with_name("answer-in-prose.md")
FILES = {"anti-patterns", "patterns", "heuristics"}
BRANCH = "feature/007-csv-reader"
OF_THE_BRANCH = ("quotes.py", "reader.py")
HEADING = "Measure before choosing a parser"


def git(world: World, *arguments: str) -> None:
    """Run git in the project."""
    world._git(*arguments)


def on_a_feature_branch(world: World) -> World:
    """Bring the project onto a feature branch with two commits and an uncommitted change."""
    git(world, "init", "--quiet", "--initial-branch=main")
    world.commit("README.md", "old.py")
    world.commit("other.py")
    git(world, "checkout", "--quiet", "-b", BRANCH)
    world.commit(*OF_THE_BRANCH)
    world.commit("notes.md")
    (world.project / "old.py").write_text("changed", encoding="utf-8")
    return world


def write(world: World, answer: Any = ANSWER, *arguments: str) -> Ran:
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
