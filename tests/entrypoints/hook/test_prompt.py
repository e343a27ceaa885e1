"""Injection beside a prompt: the hook as a real process, on a store that is searched by word."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.instructions import folder_name
from hardwon.domain.model.injection.neutral_text import FRAME_END, FRAME_START
from hardwon.domain.model.injection.receipt import text_digest
from tests.entrypoints.hook.test_imports import EXPENSIVE
from tests.entrypoints.hook_process import Launched, Run, World
from tests.entrypoints.sessions import entry, rest, statuses

ASKED = "how do I rename the column safely?"
LESSON = "Rename a column safely: over two releases."
SILENT = (0, "", "")


def payload(world: World, prompt: object = ASKED, session_id: str = "one") -> dict[str, object]:
    return {
        "session_id": session_id,
        "cwd": str(world.project),
        "source": "user",
        "prompt_id": "5cf65781",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }


def ask(world: World, prompt: object = ASKED, session_id: str = "one") -> Run:
    return world.hook(payload=payload(world, prompt, session_id))


def launch(world: World, utterance: object) -> Launched:
    """Run the hook as if this machine had nothing else to do."""
    return world.launch(payload=utterance)


def outcome(run: Run) -> tuple[int, str, str]:
    return run.code, run.stdout, run.stderr


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that knows one lesson on columns, and sixty on nothing."""
    world = World(tmp_path_factory.mktemp("prompt"), contextlib.ExitStack())
    world.remember(
        entry("Columns", LESSON), *(entry(f"Filler {n}", f"filler number {n}") for n in range(60))
    )
    return world.store


@pytest.fixture
def world(empty_world: World, filled: Path) -> World:
    """Return a world with a copy of that store, searched by word."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    shutil.copytree(filled, empty_world.store)
    return empty_world


def test_an_entry_near_the_prompt_is_printed_once_a_session_and_counted(world: World) -> None:
    first, second, other = ask(world), ask(world), ask(world, session_id="two")
    text = f"{FRAME_START}### Pattern: Columns\n{LESSON}\n- Observation count: 1\n- Confidence: medium\n\n{FRAME_END}"

    assert outcome(first) == outcome(other) == (0, text, "")
    assert outcome(second) == SILENT
    receipts = world.query(
        "SELECT session_id, event, policy, (SELECT label FROM project WHERE id = receipt.project), query, digest, frame FROM receipt"
    )
    row = (
        "prompt",
        "adaptive",
        world.project.name,
        ASKED,
        text_digest(text),
        json.dumps([FRAME_START, FRAME_END]),
    )
    assert receipts == [("one", *row), ("two", *row)]
    assert world.query("SELECT recall_count FROM recall") == [(2,)]


@pytest.mark.parametrize("setting", ["PROMPT_ENABLED", "INJECTION_ENABLED"])
def test_one_setting_switches_it_off(world: World, setting: str) -> None:
    world.variables[f"HARDWON_{setting}"] = "false"

    assert outcome(ask(world)) == SILENT


def test_text_of_the_projects_instructions_or_the_hosts_memory_is_not_repeated(
    world: World,
) -> None:
    instructions = world.project / "CLAUDE.md"
    instructions.write_text(
        f"# Rules\n\n* **Rename** a column\n  {LESSON.partition('column ')[2]}\n"
    )
    assert outcome(ask(world)) == SILENT

    instructions.unlink()
    os.mkfifo(instructions)  # whatever is broken there says nothing
    home, name = world.variables["HOME"], folder_name(str(world.project.resolve()))
    folder = Path(home) / ".claude" / "projects" / name / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(LESSON.upper())
    assert outcome(ask(world)) == SILENT


@pytest.mark.parametrize(
    "prompt",
    [7, ["rename"], "rename \ud800 half", "rename column " + "weather spam eggs paris " * 150_000],
    ids=["number", "list", "surrogate", "huge"],
)
def test_no_prompt_is_ever_held_up(world: World, prompt: object) -> None:
    assert outcome(ask(world, prompt)) == SILENT


def test_messages_of_the_host_are_no_prompts_of_the_user(world: World) -> None:
    assert outcome(world.hook(payload={**payload(world), "source": "system"})) == SILENT


def test_a_broken_store_is_one_line_and_the_prompt_goes_on(world: World) -> None:
    world.database.write_bytes(b"garbage" * 10_000)
    run = ask(world)

    assert (run.code, run.stdout, len(run.log)) == (0, "", 1)
    assert "nothing is said beside the prompt" in run.log[0]


def test_without_a_store_nothing_is_printed_and_none_is_made(empty_world: World) -> None:
    assert outcome(ask(empty_world)) == SILENT
    assert not empty_world.store.exists()


def test_a_busy_store_loses_the_count_and_not_the_text(world: World) -> None:
    world.connect().execute("BEGIN IMMEDIATE")
    run = ask(world)

    assert LESSON in run.stdout
    assert (run.code, len(run.log)) == (0, 1)
    assert "recall not counted" in run.log[0]


@pytest.mark.parametrize("fault", ["embedder_hangs", "database_hangs", "counting_hangs"])
def test_a_hanging_component_does_not_delay_the_prompt_and_is_noted(
    embedded_world: World, fault: str
) -> None:
    embedded_world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    embedded_world.reached = ("PROMPT_SECONDS",)
    embedded_world.faults.append(fault)
    run, _ = embedded_world.launch(payload=payload(embedded_world))

    assert run.code == 0
    assert statuses(embedded_world)["one"].waiting == 1
    rest(embedded_world)


def test_meaning_is_searched_too(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    world.embed()
    run, modules = launch(world, payload(world))

    assert LESSON in run.stdout
    assert "numpy" in modules
    assert not (EXPENSIVE - {"numpy"}) & (modules - bare())
    assert world.query("SELECT space FROM receipt") == [("all-MiniLM-L6-v2",)]


def test_without_time_to_compare_vectors_words_answer(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    world.embed()
    world.faults.append("comparing_takes_ages")
    run = ask(world)

    assert LESSON in run.stdout
    assert "no vector search: comparing needs" in run.stderr


def test_a_prompt_that_says_too_little_opens_nothing(world: World) -> None:
    run, modules = world.launch(payload=payload(world, "yes, go on"))
    imported = modules - bare()

    assert outcome(run) == SILENT
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"hardwon"}
    assert not imported & {*EXPENSIVE, "logging", "dataclasses", "sqlite3"}


def test_searching_by_word_imports_no_library_and_no_patterns_of_failures(world: World) -> None:
    run, modules = launch(world, payload(world))

    assert LESSON in run.stdout
    assert not (EXPENSIVE | {"hardwon.domain.model.failure"}) & (modules - bare())


def test_a_search_without_an_answer_looks_for_no_files_of_the_agent(world: World) -> None:
    run, modules = launch(world, payload(world, "how do I repair the filler of a harbour crane?"))

    assert outcome(run) == SILENT
    assert "hardwon.adapters.sqlite.scoring" in modules
    assert not {"hardwon.adapters.markdown.instructions", "hardwon.adapters.agents.table"} & modules


def bare() -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, check=True
    )
    return set(done.stdout.decode().split())
