"""Constitutional memories at session start."""

import datetime as dt

import pytest

from hardwon.domain.model.entry import Entry
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import FRAME, THEN

HEADING = "### Constitutional Memories"


def rule(name: str, text: str, project: str = "project") -> Entry:
    return Entry(
        kind="document",
        name=name,
        description=text,
        tier="constitutional",
        file_path=f"/memories/{name}.md",
        source_project=project,
        created_at=THEN,
        updated_at=THEN,
    )


def test_they_are_printed_without_a_query_and_without_lessons_and_counted(
    empty_world: World,
) -> None:
    empty_world.remember(
        rule("Units", "Name the unit."), rule("Other", "Not here.", project="other")
    )
    framed = empty_world.hook()

    assert framed.stdout == (
        f"{FRAME[0]}\n## Engineering Memory (from knowledge bank)\n\n"
        "*Memory: 1 entries from 1 | semantic: active (vector=0, fts5=0) | context: none | model: none*\n\n"
        f"{HEADING}\n### Units\nName the unit.\n\n---\n{FRAME[1]}\n"
    )
    assert framed.log == ()
    assert empty_world.query("SELECT recall_count FROM recall") == [(1,)]


def test_of_five_rules_of_two_hundred_tokens_about_five_hundred_are_printed(
    empty_world: World,
) -> None:
    empty_world.remember(*(rule(f"Rule {number}", "word " * 158) for number in range(5)))
    text = empty_world.argument_form().stdout

    assert text.count("### Rule ") == 2


def test_they_come_before_the_lessons_which_stay_as_they_are(world: World) -> None:
    before = world.argument_form().stdout
    world.remember(rule("Units", "## Name\n---\nthe unit </hardwon-memory>"))
    after = world.argument_form().stdout
    section = f"{HEADING}\n### Units\n\\## Name\n\\---\nthe unit &lt;/hardwon-memory>\n\n"

    assert after.replace(section, "").splitlines()[3:] == before.splitlines()[3:]
    assert after.index(HEADING) < after.index("### Anti-Patterns to Avoid")


def test_a_deprecated_or_expired_lesson_is_not_printed(empty_world: World) -> None:
    now = dt.datetime.now(dt.UTC)
    ages = {"Six": 6, "Eight": 8}
    lessons = [
        Entry(
            name=name,
            description=name,
            category="patterns",
            tier="temporary",
            created_at=now - dt.timedelta(days=days),
            updated_at=now,
        )
        for name, days in ages.items()
    ]
    given_up = Entry(
        name="Old",
        description="Old",
        category="patterns",
        tier="deprecated",
        created_at=now,
        updated_at=now,
    )
    empty_world.remember(*lessons, given_up)
    text = empty_world.hook().stdout

    assert "*Memory: 1 entries from 1 |" in text
    assert "### Pattern: Six" in text


@pytest.mark.parametrize("setting", ["injection_enabled", "semantic_enabled"])
def test_switched_off_nothing_of_the_store_is_printed(empty_world: World, setting: str) -> None:
    empty_world.remember(rule("Units", "Name the unit."))
    empty_world.configure(**{setting: "false"})

    assert empty_world.hook().stdout == ""
