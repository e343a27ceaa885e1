"""What a session start imports and touches: nothing that it does not need."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.hook_texts import block_of

EXPENSIVE = {
    "argparse",
    "attrs",
    "cattrs",
    "concurrent.futures",
    "google",
    "httpx",
    "mcp",
    "numpy",
    "pathlib",
    "rich",
    "subprocess",
    "typer",
}


@pytest.fixture(scope="module")
def bare() -> set[str]:
    """Return what this interpreter imports for nothing at all."""
    done = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, check=True)
    return set(done.stdout.decode().split())


def test_with_nothing_to_compare_nothing_expensive_is_imported(world: World, bare: set[str]) -> None:
    run, _, modules = world.launch()

    assert "active (vector=0, fts5=5, pending_embedding=7)" in run.stdout
    assert not EXPENSIVE & (modules - bare)


def test_the_first_import_costs_attrs_and_nothing_more_expensive(world: World, bare: set[str]) -> None:
    shutil.rmtree(world.store)
    run, _, modules = world.launch()

    assert len(block_of(run.stdout).headings) == 7
    assert not (EXPENSIVE - {"attrs"}) & (modules - bare)


def test_searching_by_meaning_imports_numpy_and_no_other_library(embedded_world: World, bare: set[str]) -> None:
    run, _, modules = embedded_world.launch()
    libraries = {name.partition(".")[0] for name in modules - bare} - sys.stdlib_module_names

    assert "vector=7" in run.stdout
    assert libraries == {"hardwon", "numpy"}
    assert not {"argparse", "concurrent.futures", "subprocess"} & (modules - bare)


@pytest.mark.parametrize("value", ["false", "yes", "True", "1"])
def test_switched_off_only_the_standard_library_is_imported(world: World, bare: set[str], value: str) -> None:
    world.variables["HARDWON_SEMANTIC_ENABLED"] = value
    run, _, modules = world.launch()
    imported = modules - bare

    assert block_of(run.stdout).state == "disabled"
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"hardwon"}
    assert not imported & {*EXPENSIVE, "logging", "dataclasses", "sqlite3"}


def test_switched_off_the_database_is_not_touched(world: World) -> None:
    world.variables["HARDWON_SEMANTIC_ENABLED"] = "false"
    os.utime(world.database, ns=(0, 0))
    before = world.database.read_bytes()
    os.utime(world.database, ns=(0, 0))
    world.hook()
    facts = world.database.stat()

    assert (facts.st_atime_ns, facts.st_mtime_ns) == (0, 0)
    assert world.database.read_bytes() == before
    assert sorted(path.name for path in world.store.iterdir()) == [".last-injection.json", "memory.db"]


def test_an_event_that_gets_no_block_opens_nothing(world: World, bare: set[str]) -> None:
    _, _, modules = world.launch(payload={"hook_event_name": "Stop", "cwd": str(world.project)})

    assert {name.partition(".")[0] for name in modules - bare} - sys.stdlib_module_names == {"hardwon"}
    assert "sqlite3" not in modules
