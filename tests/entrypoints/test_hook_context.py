"""What the hook takes the user to be working on, as far as the diagnostic line tells."""

import re

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.hook_texts import block_of, entry


def context(world: World) -> str:
    found = re.search(r"context: (.*) \| model", block_of(world.hook().stdout).diagnostic)
    assert found
    return found[1]


def test_without_any_signal_nothing_is_searched_for(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))

    assert "active (vector=0, fts5=0, pending_embedding=1) | context: none | model: none*" in empty_world.hook().stdout


def test_a_feature_is_named_described_and_placed(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature(
        "1-x", {"slug": "x", "status": "active", "lastCompletedPhase": "design"}, spec="# T\n\ny\n"
    )
    empty_world.commit("a")
    empty_world.commit("b")

    assert context(empty_world) == '"x: y. Phase: design. Files: b..."'


def test_without_a_specification_the_requirements_describe_the_feature(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("1-x", {"slug": "x", "status": "active"}, prd="# T\n\nfrom the prd\n")

    assert context(empty_world) == '"x: from the prd. Phase: unknow..."'


@pytest.mark.parametrize("phase", [{}, {"lastCompletedPhase": None}])
def test_a_missing_phase_is_unknown(empty_world: World, phase: dict[str, object]) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("1-x", {"slug": "x", "status": "active", **phase})

    assert context(empty_world) == '"x. Phase: unknown..."'


def test_without_a_feature_the_changed_files_are_the_context(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.commit("zero")
    for name in "abc":
        empty_world.commit(f"{name}.py")

    assert context(empty_world) == '"Files: a.py b.py c.py..."'


def test_the_active_feature_of_the_highest_number_wins_and_broken_ones_are_named(empty_world: World) -> None:
    empty_world.remember(entry("Alone"))
    empty_world.write_feature("012-a", {"slug": "a", "status": "active"})
    empty_world.write_feature("003-b", {"slug": "b", "status": "active"})
    empty_world.write_feature("020-c", {"slug": "c", "status": "completed"})
    empty_world.write_feature("030-d", "{")
    run = empty_world.hook()

    assert 'context: "a. Phase: unknown..."' in run.stdout
    assert len(run.log) == 1
    assert "'030-d'" in run.stderr
