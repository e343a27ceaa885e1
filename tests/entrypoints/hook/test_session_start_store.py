"""Imports and counts of a session start in the store."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import RELEVANT, TITLE, block_of, lesson


def recalls(world: World) -> dict[str, tuple[int, str]]:
    rows = world.query(
        "SELECT name, recall_count, last_recalled_at FROM entries WHERE recall_count > 0"
    )
    return {name: (count, at) for name, count, at in rows}


def test_the_first_run_imports_all_and_the_second_none(empty_world: World) -> None:
    empty_world.write_bank(
        "anti-patterns",
        "### Anti-Pattern: First\nOne.\n- Observation count: 4\n- Confidence: HIGH\n- Last observed: 2025-03-01\n",
    )
    empty_world.write_bank("heuristics", "### Second\nTwo.\n", of_all_projects=True)
    rows = [
        ("First", "One.", "anti-patterns", 4, "high", "import", "project"),
        ("Second", "Two.", "heuristics", 1, "medium", "import", None),
    ]
    sql = "SELECT name, description, category, observation_count, confidence, source, source_project FROM entries"
    for _ in range(2):
        empty_world.hook()

        assert empty_world.query(f"{sql} ORDER BY name") == rows


def test_a_new_heading_comes_in_and_an_edited_one_does_not(empty_world: World) -> None:
    empty_world.write_bank("patterns", lesson("Pattern: Old", "As it was."))
    empty_world.hook()
    empty_world.write_bank(
        "patterns", lesson("Pattern: Old", "As it was edited.") + lesson("Pattern: New")
    )
    text = empty_world.hook().stdout

    assert set(block_of(text).headings) == {"### Pattern: New", "### Pattern: Old"}
    assert "As it was.\n" in text
    assert "edited" not in text


def test_a_lesson_of_one_project_is_printed_in_another(empty_world: World, tmp_path: Path) -> None:
    empty_world.write_bank(
        "patterns", lesson("Pattern: Learned elsewhere", "Parse feeds by record.")
    )
    empty_world.hook()
    empty_world.project = tmp_path / "another"
    empty_world.project.mkdir()
    empty_world.write_feature(
        "1-x", {"slug": "feeds", "status": "active"}, spec="# T\n\nParse a record.\n"
    )
    run = empty_world.hook()

    assert block_of(run.stdout).headings == ("### Pattern: Learned elsewhere",)
    assert empty_world.query("SELECT source_project FROM entries") == [("project",)]


def test_printed_entries_are_counted_and_nothing_else(world: World) -> None:
    printed = [
        heading.rpartition(": ")[2]
        for heading in block_of(world.argument_form("--limit", "2").stdout).headings
    ]

    assert {name: count for name, (count, _) in recalls(world).items()} == dict.fromkeys(printed, 1)


def test_all_that_was_printed_is_counted_by_one_statement(world: World) -> None:
    world.faults.append("statements_are_noted")
    printed = block_of(world.launch().run.stdout).headings
    counting = [
        statement
        for statement in world.statements()
        if re.match(r"\s*(INSERT INTO|REPLACE INTO|UPDATE) recall\b", statement)
    ]

    assert len(printed) == len(recalls(world)) == RELEVANT
    assert len(counting) == 1


def test_three_sessions_count_three_and_keep_the_latest_timestamp(world: World) -> None:
    timestamps = []
    for _ in range(3):
        world.hook()
        timestamps.append({at for _, at in recalls(world).values()})

    assert {count for count, _ in recalls(world).values()} == {3}
    assert [len(distinct) for distinct in timestamps] == [1, 1, 1]
    assert max(timestamps[0]) < max(timestamps[1]) < max(timestamps[2])


def test_sessions_that_start_together_do_not_disturb_each_other(empty_world: World) -> None:
    names = [f"Pattern: Shared {n}" for n in range(10)]
    empty_world.write_bank("patterns", "".join(map(lesson, names)))
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda _: empty_world.hook(), range(3)))
    log = empty_world.log.read_text() if empty_world.log.exists() else ""
    late = ["markdown only" in run.stderr for run in runs]  # while another made the store
    counted = 3 - sum(late) - log.count("recall not counted")

    assert [run.code for run in runs] == [0, 0, 0]
    assert False in late
    assert [len(block_of(run.stdout).headings) for run in runs] == [10 if it else 5 for it in late]
    assert empty_world.query(
        "SELECT min(recall_count), max(recall_count) FROM entries WHERE recall_count"
    ) == [(counted or None, counted or None)]
    assert empty_world.query("SELECT count(*) FROM receipt") == [(counted,)]
    assert all(TITLE in run.stdout for run in runs)
