"""A knowledge bank with conflict markers of git at a session start: left out with a line in the log, then read again."""

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank
from tests.texts import conflict

CONFLICTED = bank("Pattern: Both") + conflict(bank("Pattern: Ours"), bank("Pattern: Theirs"))
REASON = "is left out: git left conflict markers in it: solve the conflict, then it is read again"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors, with a bank of patterns and one of heuristics."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_bank("patterns", bank("Pattern: Ours"))
    empty_world.write_bank("heuristics", bank("Of all projects"), of_all_projects=True)
    return empty_world


def test_a_session_start_keeps_what_the_store_held_and_reads_the_solved_bank(world: World) -> None:
    before = world.hook()
    world.write_bank("patterns", CONFLICTED)
    during = world.hook()
    world.write_bank("patterns", bank("Pattern: Both", "Pattern: Ours", "Pattern: Theirs"))
    after = world.hook()

    path = world.project / "docs" / "knowledge-bank" / "patterns.md"
    assert [line.partition(" ")[2] for line in during.log] == [f"{str(path)!r} {REASON}"]
    assert before.log == after.log == ()
    assert [run.stdout.count("About Pattern: ") for run in (before, during, after)] == [1, 1, 3]
    assert "<<<<<<<" not in during.stdout
    assert world.query(
        "SELECT count(*) FROM entry_text WHERE description LIKE '%<<<%' OR notes LIKE '%<<<%'"
    ) == [(0,)]


@pytest.mark.parametrize("of_all_projects", [True, False])
def test_without_a_store_the_other_banks_are_printed(
    world: World, *, of_all_projects: bool
) -> None:
    world.configure(semantic_enabled="false")
    category = "heuristics" if of_all_projects else "patterns"
    world.write_bank(category, CONFLICTED, of_all_projects=of_all_projects)
    run = world.hook()

    assert [line.endswith(f"{category}.md' {REASON}") for line in run.log] == [True]
    assert ("About Pattern: Ours." in run.stdout, "About Of all projects." in run.stdout) == (
        of_all_projects,
        not of_all_projects,
    )
    assert "<<<<<<<" not in run.stdout
    assert not world.database.exists()
