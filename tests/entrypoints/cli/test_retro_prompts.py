"""The texts of the agent, the skill and the command for a retrospective."""

import json
import re
from pathlib import Path

import pytest

from hardwon.domain.model.keyword_labels import GENERIC_LABELS, is_complete
from hardwon.entrypoints.cli.commands import COMMANDS, Group
from hardwon.entrypoints.cli.retro_json import FIELDS, GROUPS, answer_from_text

PLUGIN = Path(__file__).parents[3] / "plugin"
AGENT = PLUGIN / "agents" / "retro-facilitator.md"
SKILL = PLUGIN / "skills" / "retrospecting" / "SKILL.md"
COMMAND = PLUGIN / "commands" / "retro.md"


def prose(path: Path) -> str:
    """Return what a text says, on one line."""
    return " ".join(path.read_text(encoding="utf-8").split())


def front_matter(path: Path) -> dict[str, str]:
    """Return the values between the first two lines of dashes."""
    _, matter, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in matter.splitlines())


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (AGENT, {"name", "description", "tools"}),
        (SKILL, {"name", "description"}),
        (COMMAND, {"description", "argument-hint", "allowed-tools"}),
    ],
)
def test_front_matter_is_whole(path: Path, names: set[str]) -> None:
    matter = front_matter(path)

    assert set(matter) == names
    assert all(matter.values())
    assert matter.get("name", path.parent.name) in {path.stem, path.parent.name}


def test_the_agent_may_change_nothing() -> None:
    tools = front_matter(AGENT)["tools"].split(", ")

    assert {tool.partition("(")[0] for tool in tools} == {"Read", "Grep", "Glob", "Bash"}
    assert all(
        re.fullmatch(r"Bash\(git (diff|log|merge-base|status):\*\)", tool)
        for tool in tools
        if tool[:4] == "Bash"
    )


def test_the_agent_is_asked_for_keywords_and_reasoning() -> None:
    text = prose(AGENT)

    assert "3 to 10 labels" in text
    assert "At least three of them must appear in `text` or `reasoning`" in text
    assert "lowercase, hyphenated" in text
    assert "1-2 sentences: why it matters, and how it was discovered" in text
    assert re.search(r"Return ONLY this JSON object", text)
    assert all(f"`{name}`" in text for name in FIELDS)
    generic = text.split("Never use one of these, which fit anything: ")[1].split(". ")[0]
    assert {*generic.split(", ")} == {*GENERIC_LABELS}


def test_the_agents_example_is_a_complete_answer() -> None:
    text = AGENT.read_text(encoding="utf-8")
    [item] = answer_from_text(text).items

    assert is_complete(item.keywords, f"{item.text}\n{item.reasoning}")
    assert {*json.loads(text.split("```json\n")[1].split("```")[0])["act"]} == {*GROUPS}
    assert item.provenance
    assert item.reasoning


def test_the_skill_writes_to_both_places_and_asks() -> None:
    text = prose(SKILL)

    assert '"${CLAUDE_PLUGIN_ROOT}/launch" hardwon retro write ANSWER.json' in text
    assert (
        "hardwon-writer --action upsert --global-store ~/.claude/iflow/memory --entry-file FILE"
        in text
    )
    assert "docs/knowledge-bank/{anti-patterns,patterns,heuristics}.md" in text
    assert "ask before you keep, update or retire one" in text
    assert "`memory_semantic_enabled` is not true" in text
    headings = re.findall(r"^##+ (\d\S*)", SKILL.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["1.", "2.", "3.", "4.", "4b.", "4c.", "5."]


@pytest.mark.parametrize("path", [SKILL, COMMAND])
def test_every_command_that_is_named_exists(path: Path) -> None:
    group = COMMANDS["retro"]
    assert isinstance(group, Group)
    named = re.findall(r"hardwon(?:\"?) (\w+)(?: (\w+))?", path.read_text(encoding="utf-8"))

    assert named
    for command, sub in named:
        assert command in COMMANDS
        assert command != "retro" or sub in group.commands or not sub


def test_the_command_takes_its_words_as_they_are() -> None:
    text = COMMAND.read_text(encoding="utf-8")

    assert "$ARGUMENTS" in text
    assert not re.search(r"\$\d", text)
