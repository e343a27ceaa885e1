"""A project in which a feature is being worked on."""

import json
import os
import re
import subprocess

from bench.processes import clean_environment
from bench.texts import Writer

COMMITS = 4
SPEC_WORDS = 90
BANK = "docs/knowledge-bank"
FEATURE = "docs/features/007-import-pipeline"


def make_project(root: str, lessons: int = 0) -> str:
    """
    Make a git repository with a history, an active feature and a knowledge bank.

    The bank has *lessons* lessons. Return *root*.
    """
    writer = Writer(seed=len(root))
    _write(
        root, f"{FEATURE}/.meta.json", json.dumps({"slug": "import-pipeline", "status": "active"})
    )
    _write(root, f"{FEATURE}/spec.md", f"# Import pipeline\n\n{writer.text(SPEC_WORDS)}\n")
    for number, name in enumerate(("anti-patterns", "heuristics", "patterns") if lessons else ()):
        share = range(number, lessons, 3)
        _write(
            root, f"{BANK}/{name}.md", "".join(writer.lesson(f"Lesson {place}") for place in share)
        )
    _git(root, "init", "--quiet", "--initial-branch=main")
    for commit in range(COMMITS):
        name = "_".join(re.findall("[a-z]+", writer.text(4).lower()))
        _write(root, f"src/{name}_{commit}.py", writer.text(50))
        _git(root, "add", ".")
        _git(
            root,
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@example.invalid",
            "commit",
            "--quiet",
            "-mx",
        )
    return root


def spec_of(root: str) -> str:
    """Return the path of the active feature's specification, which a session start asks for."""
    return os.path.join(root, FEATURE, "spec.md")


def _write(root: str, name: str, text: str) -> None:
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _git(root: str, *arguments: str) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True, env=clean_environment(root))
