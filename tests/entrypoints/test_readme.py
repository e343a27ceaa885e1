"""Every command in the README and in the pages for users works as printed."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from hardwon.examples.make_sample import make_sample
from tests.fakes.doors import Ran, can_run_here, run_here

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (
    *("getting-started", "everyday", "moments", "conversations", "forgetting", "trust", "mcp"),
    *("export", "guides"),
)
MANUAL = "\n".join(
    [README, *((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in PAGES)]
)
COMMANDS = [
    *dict.fromkeys(
        line
        for block in re.findall(r"```sh\n(.*?)```", MANUAL, re.DOTALL)
        for line in block.splitlines()
        if line.strip()
    )
]
"""Each once, in the order in which they are read."""

MAX_README_BYTES = 7 * 1024
VERBS = [command.split()[1] for command in COMMANDS if command.startswith("make ")]
OF_OTHERS = ("make ", "claude ", "git ")
"""Programs that are not ours to run: what their commands name is checked instead."""

LESSON = {
    "name": "Name the unit",
    "description": "A number without its unit is misread.",
    "category": "heuristics",
}


def run(
    command: list[str],
    project: Path,
    home: Path,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Ran:
    environment = {
        **variables,
        "HOME": str(home),
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "OLLAMA_HOST": "127.0.0.1:9",  # no server listens there
    }
    if can_run_here(command[0], environment):
        return run_here(command[0], command[1:], stdin=b"", env=environment, folder=project)
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_every_command_for_a_user_runs_in_the_order_of_the_readme(tmp_path: Path) -> None:
    project = tmp_path / "project"
    make_sample(project)
    shorten_bank(project)
    (project / "lesson.json").write_text(json.dumps(LESSON), encoding="utf-8")
    shutil.copy(ROOT / "tests/entrypoints/answer.json", project)

    variables: dict[str, str] = {}
    for command in COMMANDS:
        if command.startswith(OF_OTHERS):
            continue
        words = shlex.split(command.replace("$PWD", str(project)))
        if words[0] == "export":
            variables |= dict(word.split("=", 1) for word in words[1:])
            continue
        words = ["sh", "-c", command] if "|" in words else words
        if "ID" in words:
            listed = json.loads(run(["hardwon", "list", "--json"], project, tmp_path).stdout)
            words[words.index("ID")] = listed["items"][0]["id"]
        done = run(words, project, tmp_path, variables)

        assert done.code == 0, (command, done.stderr)
        assert (done.stdout + done.stderr).strip() or words[0] == "sh", command
        assert "Traceback" not in done.stderr


def test_the_plugin_of_the_readme_is_in_the_marketplace_of_the_clone() -> None:
    marketplace = json.loads((ROOT / ".claude-plugin/marketplace.json").read_bytes())
    [plugin] = marketplace["plugins"]

    assert f"claude plugin install {plugin['name']}@{marketplace['name']}" in COMMANDS
    assert (ROOT / plugin["source"] / ".claude-plugin/plugin.json").is_file()


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= MAX_README_BYTES


def test_the_readme_names_its_two_commands() -> None:
    assert {"demo", "test"} <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_make_verb_of_the_readme_is_there(verb: str) -> None:
    planned = subprocess.run(
        ["make", "--dry-run", verb], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert planned.returncode == 0, planned.stderr


def test_the_lesson_and_the_answers_in_the_readme_are_real_output(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown
    project = tmp_path / "project"
    make_sample(project)
    store = tmp_path / ".claude/iflow/memory"
    store.mkdir(parents=True)
    heuristics = (ROOT / "examples/global-memory/heuristics.md").read_text(encoding="utf-8")
    (store / "heuristics.md").write_text(heuristics, encoding="utf-8")
    run(["hardwon", "import"], project, tmp_path)

    failure, lesson = shown[1].split("\n\n")
    command, error = failure.removeprefix("$ ").splitlines()
    output = run(
        ["hardwon", "moment", "--failed", command, "--text", error], project, tmp_path
    ).stdout

    head, *text = lesson.split("…")[0].splitlines()
    assert output.startswith(head.partition(", kept ")[0])
    assert " ".join(" ".join(text).split()) in " ".join(output.split())
    assert_answers_are_real(project, tmp_path)


def assert_answers_are_real(project: Path, home: Path) -> None:
    [shown] = [
        block
        for block in re.findall(r"```text\n(.*?)```", MANUAL, re.DOTALL)
        if block.startswith("Searching ")
    ]
    question = next(command for command in COMMANDS if command.startswith("hardwon recall"))
    run(["hardwon", "index"], project, home)

    output = without_ids(run(shlex.split(question), project, home).stdout)

    assert all(part in output for part in without_ids(shown).replace("…", "").splitlines())


def shorten_bank(project: Path, entries: int = 4) -> None:
    """Leave the first *entries* of each category: vectors take long to make."""
    for file in (project / "docs/knowledge-bank").glob("*.md"):
        parts = file.read_text(encoding="utf-8").split("\n### ")
        file.write_text("\n### ".join(parts[: entries + 1]), encoding="utf-8")


def without_ids(text: str) -> str:
    """Return *text* without the ids of files, which come from where they lie."""
    return re.sub(r" \[[0-9a-f]{8}\]$|\s+$", "", text, flags=re.MULTILINE)
