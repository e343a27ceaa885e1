"""`hardwon recall --in sessions`: the customer's `/recall`, to the letter."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import NEIGHBOUR, QUESTION, WORKSPACE, memory
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.provider_process import Scene, scene_with

OURS = ("--in", "sessions")
NO_VECTORS = "Run `/save` to build embeddings, or `hardwon index --embed`\n"
OF_ALL: dict[str, Any] = {"source_project": None, "workspace": WORKSPACE}
NEXT_DOOR: dict[str, Any] = {"source_project": NEIGHBOUR, "workspace": WORKSPACE}
LONG = "Planned where the lock file lives and who may take it away. " * 9


def memories_of(service: str, name: str) -> str:
    return f"/home/user/{service}/memory-{name}.md"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_stub() as stub, contextlib.ExitStack() as cleanup:
        scene = scene_with(
            World(tmp_path_factory.mktemp("sessions") / "world", cleanup),
            stub,
            memory(
                "session", "A", LONG, 0.891, file_path=memories_of("a", "1"), tags=("lock", "x y")
            ),
            memory(
                "session", "B", "Two.", 0.8, file_path=memories_of("config-service", "2"), **OF_ALL
            ),
            memory("session", "C", "Three.", 0.7, file_path=memories_of("a", "3")),
            memory("session", "D", "Four.", 0.6, file_path=memories_of("a", "4"), **NEXT_DOOR),
            memory("session", "E", "Five.", 0.55, file_path=memories_of("a", "5")),
            memory("session", "F", "Six.", 0.51, file_path=memories_of("a", "6")),
            memory("session", "Low", "Of the lock store.", 0.49, file_path=memories_of("a", "7")),
            memory("session", "Against", "Opposite.", -0.5, file_path=memories_of("a", "8")),
            memory(
                "session",
                "Without",
                "How we lock the store.",
                None,
                file_path=memories_of("a", "9"),
            ),
            memory("decision", "None", "No session.", 0.99),
        )
        yield scene


def test_the_answers_are_rendered_as_specified(scene: Scene) -> None:
    done = scene.ask(*OURS)

    first, *lines, last = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "(1 without embeddings)\n")
    assert first == "Searching 9 memories..."
    assert last == "Found 5 relevant memories (threshold: 0.5)"
    assert lines[0] == "1. [0.89] project/memory-1.md"
    assert re.fullmatch(r' {3}"Planned where the lock file lives .*[a-z.]\.\.\."', lines[1])
    assert len(lines[1]) <= 105
    assert lines[2] == "   Tags: lock, x y"
    assert lines[3:5] == ["2. [0.80] config-service/memory-2.md", '   "Two."']
    scores = [
        float(found[1]) for line in lines if (found := re.match(r"\d\. \[(\d\.\d\d)\] ", line))
    ]
    assert scores == [0.89, 0.8, 0.7, 0.6, 0.55]
    assert done.stdout.count("Tags:") == 1


def test_at_most_five_of_at_least_a_half_come_as_json(scene: Scene) -> None:
    answers = scene.answers(*OURS)

    assert [answer["title"] for answer in answers] == ["A", "B", "C", "D", "E"]
    assert all(answer["score"] >= 0.5 for answer in answers)


def test_a_session_of_051_answers_and_one_of_049_does_not(scene: Scene) -> None:
    names = scene.names(*OURS, "--limit", "20")

    assert names == ["A", "B", "C", "D", "E", "F"]


def test_an_entry_without_a_vector_is_skipped(scene: Scene) -> None:
    names = scene.names(*OURS, "--limit", "20", "--min-score", "0")

    assert names == ["A", "B", "C", "D", "E", "F", "Low", "Against"]


def test_a_similarity_is_never_negative(scene: Scene) -> None:
    assert scene.answers(*OURS, "--limit", "20", "--min-score", "0")[-1]["score"] == 0


def test_the_reported_threshold_is_the_one_in_force(scene: Scene) -> None:
    assert scene.ask(*OURS, "--min-score", "0.65").stdout.endswith(
        "\nFound 3 relevant memories (threshold: 0.65)\n"
    )
    by_another = scene.ask(*OURS, "--policy", "hybrid").stdout
    assert by_another.endswith("\nFound 5 relevant memories (threshold: none)\n")


def test_results_all_below_the_threshold_are_reported(scene: Scene) -> None:
    done = scene.ask(*OURS, "--min-score", "0.9")

    assert done.stdout == "Searching 9 memories...\nNo relevant memories found for query\n"
    assert done.code == 0


def test_a_session_just_below_the_threshold_is_no_match_and_one_just_above_it_is(
    scene: Scene, tmp_path: Path
) -> None:
    few = scene_with(World(tmp_path / "world", contextlib.ExitStack()), scene.stub)
    few.plant(memory("session", "Below", "Just below.", 0.49))
    below = few.ask(*OURS)
    few.plant(memory("session", "Above", "Just above.", 0.51))
    above = few.ask(*OURS)

    assert below == (0, "Searching 1 memories...\nNo relevant memories found for query\n", "")
    assert above.stdout.startswith("Searching 2 memories...\n1. [0.51] ")
    assert above.stdout.endswith("\nFound 1 relevant memories (threshold: 0.5)\n")


def test_quotes_around_the_question_change_nothing(scene: Scene) -> None:
    unquoted = scene.ask(*OURS)

    assert hardwon(scene.world, "recall", *OURS, "how do we lock the store") == unquoted


def test_a_question_by_standard_input_is_the_same_question(scene: Scene) -> None:
    typed = f'\n "{QUESTION.replace(" ", chr(10), 1)}" \n'.encode()

    assert run(scene.world, "hardwon", "recall", "-", *OURS, stdin=typed) == scene.ask(*OURS)


def test_the_scope_may_be_narrowed(scene: Scene) -> None:
    assert scene.names(*OURS, "--scope", "project") == ["A", "C", "E", "F"]


def test_without_any_vector_it_says_how_to_make_them(scene: Scene, tmp_path: Path) -> None:
    empty = scene_with(World(tmp_path / "world", contextlib.ExitStack()), scene.stub)
    nothing = empty.ask(*OURS)
    empty.plant(memory("session", "A", "We lock the store.", None))

    done = empty.ask(*OURS)

    assert nothing == (0, "Searching 0 memories...\nNo relevant memories found for query\n", "")
    assert (done.code, done.stdout) == (0, f"Searching 1 memories...\n{NO_VECTORS}")


def test_with_embeddings_off_words_are_searched(scene: Scene) -> None:
    with scene.without_answers("off"):
        done = scene.ask(*OURS)

    assert done.stdout.startswith("Searching 9 memories...\n1. [0.90] project/memory-7.md\n")
    assert "2. [0.87] project/memory-9.md" in done.stdout
    assert "no vector search" in done.stderr
