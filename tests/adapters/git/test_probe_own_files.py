"""Files that hardwon writes itself are no change."""

import time
from pathlib import Path

import pytest

from hardwon.adapters.agents.plugin import COMMANDS
from hardwon.adapters.agents.table import AGENTS
from hardwon.adapters.git.probe import OWN_FILES, GitChangeProbe
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import ask, git, repository

OWN = (
    "memory/note.md",
    "memory/conversations/2026-01-01-a.md",
    "memory/sessions/deep/er.md",
    "memory-20260101-000000.md",
    "specs/004-a/memory/note.md",
    "docs/knowledge-bank/patterns.md",
    ".claude/commands/recall.md",
    ".claude/commands/tlc/recall.md",
    ".codex/skills/tlc-recall/SKILL.md",
)
OTHERS = (
    "docs/memory.md",
    "memory/pool.c",
    "src/memory/note.md",
    "docs/knowledge-bank.md",
    ".claude/commands/deploy.md",
    "src/docs/knowledge-bank/patterns.md",
    "specs/004-a/spec.md",
)


@pytest.mark.parametrize("root", ["", "packages/one"], ids=["at the top", "below it"])
def test_they_are_left_out_wherever_the_project_stands(
    tmp_path: Path, warnings: list[str], root: str
) -> None:
    names = [str(Path(root) / name) for name in (*OWN, *OTHERS)]
    project = repository(tmp_path, ("first",), tuple(names)) / root
    others = {str(Path(root) / name) for name in OTHERS}
    probe = GitChangeProbe(str(project), warnings.append)

    assert {*ask(project, warnings)} == others
    assert {*probe.feature_files(None, Deadline(time.monotonic))} == others
    for name in (*OWN, *OTHERS):
        (project / name).write_text("changed", "utf-8")
    assert {*probe.uncommitted_files(Deadline(time.monotonic))} == others
    assert {*probe.present_files(Deadline(time.monotonic))} == others
    assert warnings == []


def test_new_files_of_hardwon_are_left_out(tmp_path: Path, warnings: list[str]) -> None:
    root = repository(tmp_path, ("first",))
    for name in OWN:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("new", "utf-8")

    assert GitChangeProbe(str(root), warnings.append).present_files(Deadline(time.monotonic)) == ()


def test_they_crowd_out_no_other_file(tmp_path: Path, warnings: list[str]) -> None:
    many = tuple(f"memory/conversations/{number:04}.md" for number in range(2_000))
    root = repository(tmp_path, ("first",), (*many, "src/parser.py"))

    assert ask(root, warnings) == ("src/parser.py",)
    for name in (*many, "src/parser.py"):
        (root / name).write_text("changed", "utf-8")
    assert GitChangeProbe(str(root), warnings.append).uncommitted_files(
        Deadline(time.monotonic)
    ) == ("src/parser.py",)


def test_a_commit_of_nothing_else_is_no_signal(tmp_path: Path, warnings: list[str]) -> None:
    root = repository(tmp_path, ("src/parser.py",), OWN)

    assert ask(root, warnings) == ()
    git(root, "mv", "memory/note.md", "src/note.md")
    git(root, "commit", "--quiet", "-m", "moved out")
    assert ask(root, warnings) == ("src/note.md",)


def test_every_command_file_of_an_agent_is_among_them() -> None:
    forms = [facts.commands for facts in AGENTS if facts.commands]
    written = {
        form.path.format(name=name.replace("/", form.separator))
        for form in forms
        for name in COMMANDS
    }

    assert written
    assert written == {pattern for pattern in OWN_FILES if pattern.startswith(".")}
