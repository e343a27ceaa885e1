"""Texts of the plugin for a model: commands and skills."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.entrypoints.cli.commands import COMMANDS
from hardwon.entrypoints.mcp.prompts import INSTRUCTIONS
from tests.plugin.conftest import PLUGIN, Desk

START = '"${CLAUDE_PLUGIN_ROOT}/launch" hardwon'
"""How a command begins; `hardwon init` leaves `hardwon` of it."""

VERBS = {
    "recall": {"recall"},
    "conversations": {"recall"},
    "remember": {"remember"},
    "save": {"save"},
    "pause": {"pause"},
    "resume": {"resume"},
    "memory": {"stats", "doctor", "why"},
}
"""The commands of this part of the plugin, and what each may run."""

TYPED = 'it\'s "quoted" $(touch gone) `touch gone` $HOME \\n !! *\n-- second; line & <<X'
FILES = [
    *sorted((PLUGIN / "commands").glob("*.md")),
    *sorted((PLUGIN / "skills").glob("*/SKILL.md")),
]


def parts(path: Path) -> tuple[dict[str, str], str]:
    """Return a text's front matter and its body."""
    found = re.fullmatch(r"---\n(.*?)\n---\n\n?(.+)", path.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"{path} has no front matter"
    return dict(line.split(": ", 1) for line in found[1].splitlines()), found[2]


def command(name: str) -> tuple[dict[str, str], str]:
    return parts(PLUGIN / "commands" / f"{name}.md")


def scripts(name: str) -> list[str]:
    """Return what a command has the model run."""
    return re.findall(r"^```sh\n(.*?)^```$", command(name)[1], re.DOTALL | re.MULTILINE)


def run(desk: Desk, script: str, typed: str = "") -> str:
    """Run a script as the host hands it on, with `hardwon` telling what reaches it."""
    desk.install(desk.home / ".local" / "bin", "hardwon", r'printf "<%s>" "$@"; cat')
    script = script.replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)).replace("$ARGUMENTS", typed)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=desk.project,
        env=desk.variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_text_describes_itself_and_never_counts_words(path: Path) -> None:
    front_matter, body = parts(path)

    assert 0 < len(front_matter["description"]) <= 1_024
    assert body.strip()
    assert not re.search(r"\$\d", path.read_text(encoding="utf-8")), (
        "$1 is the second word here: use $ARGUMENTS"
    )


def test_recall_remember_and_save_are_commands_of_their_own() -> None:
    assert {path.stem for path in FILES} >= VERBS.keys()
    assert COMMANDS.keys() >= {"recall", "remember", "save"}


@pytest.mark.parametrize("name", VERBS)
def test_a_command_allows_exactly_the_programs_its_text_runs(name: str) -> None:
    front_matter, body = command(name)
    allowed = front_matter["allowed-tools"].split(", ")

    assert set(allowed) == {f"Bash({START} {verb}:*)" for verb in VERBS[name]}
    assert set(re.findall(re.escape(START) + r" (\S+)", body)) == VERBS[name]
    assert all(
        script.startswith(f"{START} ") and script.count(START) == 1 for script in scripts(name)
    )
    assert re.fullmatch(r'"[^"]+"|\[[^\[\]]+\]|[^\["].+', front_matter["argument-hint"]), "no YAML"
    assert "$ARGUMENTS" in body


@pytest.mark.parametrize("name", VERBS)
def test_one_replacement_makes_it_a_command_without_the_plugin(name: str) -> None:
    text = (
        (PLUGIN / "commands" / f"{name}.md").read_text(encoding="utf-8").replace(START, "hardwon")
    )

    assert "CLAUDE_PLUGIN" not in text
    assert "launch" not in text
    assert f"Bash(hardwon {min(VERBS[name])}:*)" in text


def test_a_session_is_saved_with_its_description_and_its_vector(desk: Desk) -> None:
    [script] = scripts("save")
    given = run(desk, script.replace("TEXT", TYPED))
    body = command("save")[1]

    assert given.startswith('<save><->---\ndescription: "THE DESCRIPTION"\ntags: [')
    assert given.endswith(f"{TYPED}\n")
    assert (
        body.index("writes the file")
        < body.index("adds it to the index")
        < body.index("embeds the description")
    )
    assert "hardwon embed" in body


def test_the_skill_teaches_what_the_servers_instructions_say() -> None:
    front_matter, body = parts(PLUGIN / "skills" / "remembering" / "SKILL.md")

    assert front_matter["name"] == "remembering"
    for word in ("memory_search", "store_memory", "memory_validate", "ToolSearch", *CATEGORIES):
        assert word in body
        assert word in INSTRUCTIONS or word == "ToolSearch"
    for field in ("name", "description", "reasoning", "category", "references"):
        assert f"| `{field}` |" in body


def test_the_skills_good_example_keeps_its_own_rules() -> None:
    _, body = parts(PLUGIN / "skills" / "remembering" / "SKILL.md")
    example = json.loads(re.findall(r"^```json\n(.*?)^```$", body, re.DOTALL | re.MULTILINE)[0])

    assert len(example["name"].split()) <= 8
    assert 1 <= example["description"].count(". ") + 1 <= 4
    assert example["category"] in CATEGORIES
    assert example.keys() == {
        "name",
        "description",
        "reasoning",
        "category",
        "references",
        "keywords",
    }
