"""`hardwon context`: what a session that starts now would get to read."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.domain.model.context_query import ContextQuery, Feature
from tests.adapters.providers.stub_server import StubProviders, running_stub
from tests.entrypoints import library as planting
from tests.entrypoints.hook_process import World
from tests.entrypoints.library import NEIGHBOUR, WORKSPACE, Library, memory
from tests.entrypoints.programs import bank, hardwon

OURS = ("context", "--in", "conversations")
NO_SIGNAL = "No signal of what you are working on: no active feature, no changed files\n"


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProviders]:
    with running_stub() as stub:
        yield stub


@pytest.fixture
def library(
    tmp_path: Path, cleanup: contextlib.ExitStack, stub: StubProviders, monkeypatch: pytest.MonkeyPatch
) -> Library:
    """Return a library in which cosines are those with what the user works on."""
    world = World(tmp_path / WORKSPACE, cleanup)
    world.write_feature("7-lock", {"slug": "lock", "status": "active", "lastCompletedPhase": "design"}, spec="# Lock\n")
    monkeypatch.setattr(planting, "QUESTION", ContextQuery(Feature("lock", "Lock", "design")).compose())
    return Library(world, stub)


def names(library: Library, *options: str) -> list[str]:
    done = hardwon(library.world, *OURS, *options, "--json")
    assert (done.code, done.stderr) == (0, "")
    return [answer["title"] for answer in done.document]


def neighbours() -> list[planting.Planted]:
    return [
        memory("decision", "Next door", "Theirs.", 0.9, source_project=NEIGHBOUR, workspace=WORKSPACE),
        memory("gotcha", "Of all", "Everybody's.", 0.8, source_project=None, workspace=WORKSPACE),
        memory("gotcha", "Far away", "Nobody's.", 1.0, source_project="x", workspace="y"),
    ]


def ours(count: int) -> list[planting.Planted]:
    return [memory("decision", f"Ours {at}", f"Number {at}.", 0.5 - at / 100) for at in range(count)]


def test_the_workspace_is_asked_where_the_project_has_little_to_say(library: Library) -> None:
    library.plant(*ours(1), *neighbours())

    assert names(library) == ["Next door", "Ours 0", "Of all"]
    assert names(library, "--limit", "1") == ["Ours 0"]


def test_a_project_with_enough_to_say_is_asked_alone(library: Library) -> None:
    library.plant(*ours(7), *neighbours())

    assert names(library) == [f"Ours {at}" for at in range(5)]
    assert names(library, "--limit", "2") == ["Ours 0", "Ours 1"]
    shown = hardwon(library.world, *OURS, "--limit", "1").stdout
    assert shown.startswith("1. Ours 0\n   ")
    assert "%  decision  " in shown


def test_what_is_about_touched_files_comes_first_among_equals(library: Library) -> None:
    library.world.commit("one.py")
    library.world.commit("two.py")
    query = ContextQuery(Feature("lock", "Lock", "design"), ("two.py",)).compose()
    assert query
    planting.QUESTION = query
    plain = memory("decision", "A plain one", "One.", 0.5)
    moment = plain.entry.updated_at
    touched = memory("decision", "Touched", "Two.", 0.5, references=("two.py",), updated_at=moment)
    library.plant(plain, touched)

    assert names(library) == ["Touched", "A plain one"]


def test_without_a_signal_it_says_so(empty_world: World) -> None:
    empty_world.remember(memory("decision", "D", "Text.", None).entry)

    assert hardwon(empty_world, *OURS) == (0, NO_SIGNAL, "")
    assert hardwon(empty_world, *OURS, "--json") == (0, "[]\n", "")


def test_nothing_near_is_said(library: Library) -> None:
    done = hardwon(library.world, *OURS)

    assert done == (0, "No conversation that is remembered bears on what you are working on\n", "")
    assert hardwon(library.world, *OURS, "--limit", "0") == (0, "", "")


def test_the_block_of_a_session_start_is_shown_and_nothing_is_counted(empty_world: World) -> None:
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.write_bank("patterns", bank("One", "Two", "Three"))
    world.import_bank()

    done = hardwon(world, "context")

    assert (done.code, done.stderr) == (0, "")
    assert world.query("SELECT count(*) FROM recall") == [(0,)]
    assert len(hardwon(world, "context", "--json", "--limit", "2").document) == 2
    assert hardwon(world, "context", "--limit", "0") == (0, "", "")
    assert done.stdout == world.argument_form().stdout
    assert world.query("SELECT count(*) FROM recall") == [(3,)]


def test_an_empty_store_is_told_what_to_do(empty_world: World) -> None:
    assert hardwon(empty_world, "context") == (0, "Nothing is remembered yet: run hardwon import\n", "")
    assert not empty_world.store.exists()


@pytest.mark.parametrize(
    ("switch", "instead"), [("injection", "prints nothing"), ("semantic", "prints the knowledge-bank files instead")]
)
def test_a_session_start_that_would_print_something_else_is_told(empty_world: World, switch: str, instead: str) -> None:
    empty_world.configure(**{f"{switch}_enabled": "false"})

    done = hardwon(empty_world, "context")

    assert done.code == 0
    assert done.stderr == f"Warning: memory_{switch}_enabled is not true: a session start {instead}\n"
