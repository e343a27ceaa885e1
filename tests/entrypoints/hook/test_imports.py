"""A session start imports and touches only what it needs."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.sessions import RELEVANT, block_of, rest

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

NOT_FOR_A_WORD = (
    "filters",
    "plain_text",
    "project",
    "prompt_intent",
    "prompt_terms",
    "redaction",
)


@pytest.fixture(scope="module")
def bare() -> set[str]:
    """Return what this interpreter imports for nothing at all."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, check=True
    )
    return set(done.stdout.decode().split())


def test_with_nothing_to_compare_nothing_expensive_is_imported(
    world: World, bare: set[str]
) -> None:
    run, modules = world.launch()

    assert "active (vector=0, fts5=5, pending_embedding=7)" in run.stdout
    assert not EXPENSIVE & (modules - bare)


def test_conversations_cost_no_library_and_nothing_at_all_where_there_are_none(
    world: World, bare: set[str]
) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.remember(
        memory(
            "gotcha", "Elsewhere", "The csv-reader.", None, source_project="x", workspace="y"
        ).entry
    )
    without, modules = world.launch()
    assert "hardwon.domain.use_cases.related_conversations" not in modules

    world.remember(
        memory("gotcha", "Here", "The csv-reader.", None, source_project=world.project.name).entry
    )
    run, modules = world.launch()
    assert "\n### Related Conversations\n- Here (gotcha, " in run.stdout
    assert "Related" not in without.stdout
    assert not EXPENSIVE & (modules - bare)


def test_the_first_import_costs_attrs_and_nothing_more_expensive(
    world: World, bare: set[str]
) -> None:
    shutil.rmtree(world.store)
    run, modules = world.launch()

    assert len(block_of(run.stdout).headings) == RELEVANT
    assert not (EXPENSIVE - {"attrs"}) & (modules - bare)


def test_searching_by_meaning_imports_numpy_and_no_other_library(
    embedded_world: World, bare: set[str]
) -> None:
    run, modules = embedded_world.launch()
    libraries = {name.partition(".")[0] for name in modules - bare} - sys.stdlib_module_names

    assert "vector=7" in run.stdout
    assert libraries == {"hardwon", "numpy"}
    assert not {"argparse", "concurrent.futures", "subprocess"} & (modules - bare)


@pytest.mark.parametrize("value", ["false", "yes", "True", "1"])
def test_switched_off_only_the_standard_library_is_imported(
    world: World, bare: set[str], value: str
) -> None:
    world.variables["HARDWON_SEMANTIC_ENABLED"] = value
    run, modules = world.launch()
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
    assert sorted(path.name for path in world.store.iterdir()) == [
        ".last-injection.json",
        "memory.db",
    ]


def test_a_prompt_of_few_words_reads_no_tables_of_secrets_or_intents(world: World) -> None:
    prompt = {
        **world.session_start(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "yes, go on",
    }
    _, modules = world.launch(payload=prompt)

    assert "hardwon.domain.model.keywords" in modules
    assert not {f"hardwon.domain.model.{name}" for name in NOT_FOR_A_WORD} & modules


def test_an_end_without_a_turn_reads_no_receipts(world: World) -> None:
    fields = {"hook_event_name": "SessionEnd", "transcript_path": ""}
    _, modules = world.launch(payload={**world.session_start(), **fields})

    assert "hardwon.entrypoints.hook.capture" in modules
    assert "hardwon.domain.model.injection.receipt" not in modules


@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
def test_an_event_of_which_nothing_is_kept_opens_nothing(
    world: World, bare: set[str], event: str
) -> None:
    _, modules = world.launch(payload={**world.session_start(), "hook_event_name": event})

    assert {name.partition(".")[0] for name in modules - bare} - sys.stdlib_module_names == {
        "hardwon"
    }
    assert "sqlite3" not in modules


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "SessionEnd"])
def test_capturing_imports_the_standard_library_only(
    empty_world: World, bare: set[str], event: str
) -> None:
    empty_world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    payload = {
        **empty_world.session_start(),
        "hook_event_name": event,
        "prompt": "go",
        "last_assistant_message": "on",
    }
    run, modules = empty_world.launch(payload=payload)
    imported = modules - bare

    assert (run.code, run.stdout, run.stderr) == (0, "", "")
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"hardwon"}
    assert not imported & {*EXPENSIVE, "logging", "dataclasses"}
    assert "hardwon.entrypoints.bootstrap_retrieval" not in imported
    rest(empty_world)


@pytest.mark.parametrize("door", ["hook", "capture", "prepared_start"])
def test_no_annotation_is_compiled(door: str) -> None:
    # The first compilation makes the classes of all syntax trees, which takes a millisecond.
    refuse = (
        "import typing; typing.ForwardRef = None;"
        f"import hardwon.entrypoints.hook.{door}, hardwon.domain.use_cases.track_usage,"
        "hardwon.adapters.sqlite.activity"
    )

    subprocess.run([sys.executable, "-c", refuse], check=True)
