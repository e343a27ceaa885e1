"""`hardwon recall --in conversations`: decisions, pitfalls and preferences."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.providers.stub_server import StubProviders, running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import NEIGHBOUR, WORKSPACE, memory
from tests.entrypoints.provider_process import Scene, scene_with

OURS = ("--in", "conversations")
SAME = "We lock the store with BEGIN IMMEDIATE."
PART_KEYS = {"similarity", "recency", "project", "boost"}
KEYS = {"id", "text", "score", "type", "source", "date", "permanent"}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_stub() as stub, contextlib.ExitStack() as cleanup:
        scene = scene_with(
            World(tmp_path_factory.mktemp("conversations") / WORKSPACE, cleanup),
            stub,
            memory("decision", "Immediate", SAME, 0.9, workspace=WORKSPACE),
            memory("decision", "Immediate again", SAME, 0.9, 90, workspace=WORKSPACE),
            memory("gotcha", "Kept", "NFS has no locks.", 0.8, workspace=WORKSPACE, permanent=True),
            memory("gotcha", "Not kept", "SMB has no locks.", 0.8, workspace=WORKSPACE),
            memory(
                "conversation",
                "Of all",
                "About waiting.",
                0.7,
                source_project=None,
                workspace=WORKSPACE,
            ),
            memory(
                "preference",
                "Next door",
                "Short waits.",
                0.6,
                source_project=NEIGHBOUR,
                workspace=WORKSPACE,
            ),
            memory(
                "conversation",
                "Low",
                "Lunch plans, under lock.",
                0.1,
                workspace=WORKSPACE,
                tags=("food",),
            ),
            memory("decision", "Far away", "A lock file.", 0.95, source_project="x", workspace="y"),
            memory("session", "No conversation", "A lock of all sessions.", 1.0),
        )
        yield scene


@pytest.fixture
def empty_scene(tmp_path: Path, stub: StubProviders, cleanup: contextlib.ExitStack) -> Scene:
    return scene_with(World(tmp_path / WORKSPACE, cleanup), stub)


def test_the_best_five_come_in_order_each_once(scene: Scene) -> None:
    answers = scene.answers(*OURS, "--scope", "workspace")

    assert [answer["title"] for answer in answers] == [
        "Kept",
        "Immediate",
        "Not kept",
        "Of all",
        "Next door",
    ]
    assert all(answer.keys() >= KEYS for answer in answers)
    scores = [answer["score"] for answer in answers]
    assert scores == sorted(scores, reverse=True)
    assert [answer["text"] for answer in answers].count(SAME) == 1


def test_every_score_is_the_formula_of_its_parts(scene: Scene) -> None:
    answers = {
        answer["title"]: answer for answer in scene.answers(*OURS, "--explain", "--limit", "9")
    }

    for answer in answers.values():
        parts = answer["parts"]
        assert answer["policy"] == "affinity"
        assert parts.keys() == PART_KEYS
        expected = parts["boost"] * (
            0.5 * parts["similarity"] + 0.25 * parts["recency"] + 0.25 * parts["project"]
        )
        assert answer["score"] == pytest.approx(expected, abs=1e-6)
    assert answers["Kept"]["parts"]["boost"] == 1.2
    assert answers["Immediate"]["parts"]["similarity"] == pytest.approx(0.9, abs=1e-5)
    assert [answers[name]["parts"]["project"] for name in ("Immediate", "Of all", "Next door")] == [
        1.0,
        0.5,
        0.5,
    ]


def test_a_permanent_conversation_scores_a_fifth_more(scene: Scene) -> None:
    scores = {answer["title"]: answer["score"] for answer in scene.answers(*OURS)}

    assert scores["Kept"] / scores["Not kept"] == pytest.approx(1.2, abs=1e-4)
    assert scores["Kept"] > 1


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--scope", "project"), {"Immediate", "Kept", "Not kept", "Low"}),
        (("--scope", "workspace"), {"Immediate", "Kept", "Not kept", "Low", "Of all", "Next door"}),
        (
            ("--scope", "global"),
            {"Immediate", "Kept", "Not kept", "Low", "Of all", "Next door", "Far away"},
        ),
        (("--type", "decision"), {"Immediate", "Far away"}),
        (("--type", "decision", "--type", "preference"), {"Immediate", "Next door", "Far away"}),
        (("--type", "all", "--permanent"), {"Kept"}),
        (("--tag", "food"), {"Low"}),
        (("--tag", "Food"), set()),
        (("--scope", "project", "--type", "gotcha", "--limit", "1"), {"Kept"}),
        (("--min-score", "0.89"), {"Immediate", "Kept", "Not kept"}),
        (
            ("--policy", "cosine", "--min-score", "0.65"),
            {"Immediate", "Kept", "Not kept", "Of all", "Far away"},
        ),
        (("--limit", "2"), {"Kept", "Immediate"}),
    ],
)
def test_the_options_choose_what_may_answer(
    scene: Scene, options: tuple[str, ...], names: set[str]
) -> None:
    answers = scene.names(*OURS, "--limit", "9", *options)

    assert set(answers) == names
    assert len(answers) == len(names)


def test_a_person_reads_title_date_percentage_type_passage_and_path(scene: Scene) -> None:
    done = scene.ask(*OURS, "--limit", "2")

    assert (done.code, done.stderr) == (0, "")
    first, second = done.stdout.split("\n\n")
    assert re.fullmatch(
        r"1\. Kept\n {3}100%  gotcha  \d{4}-\d\d-\d\d  [0-9a-f]{8}  \(permanent\)\n"
        r" {3}NFS has no locks\.\n {3}/memories/gotcha/kept\.md",
        first,
    )
    assert first.split()[4] == scene.answers(*OURS, "--permanent")[0]["date"][:10]
    assert re.match(r"2\. Immediate\n {3}9\d%  decision  ", second)
    assert SAME in second
    assert "(permanent)" not in second


def test_the_path_is_relative_to_the_project(empty_scene: Scene) -> None:
    root = empty_scene.world.project.resolve()
    empty_scene.plant(
        memory(
            "preference",
            "Inside",
            "Tabs.",
            1.0,
            file_path=f"{root}/memory/inside.md",
        )
    )

    assert "\n   memory/inside.md\n" in empty_scene.ask(*OURS).stdout


def test_the_explanation_follows_its_answer(scene: Scene) -> None:
    shown = scene.ask(*OURS, "--explain", "--limit", "2").stdout

    assert shown.count(" = boost * (0.5 * similarity + 0.25 * recency + 0.25 * project)") == 2
    assert re.search(
        r"\n {3}with similarity = 0\.8\d*, recency = [\d.]+, project = 1, boost = 1\.2\n", shown
    )


def test_nothing_found_is_a_message(scene: Scene) -> None:
    done = scene.ask(*OURS, "--tag", "nowhere")

    assert done == (0, "No entry answers that\n", "")


@pytest.mark.parametrize("provider", ["openai", "off"])
def test_words_are_searched_where_meaning_cannot_be(scene: Scene, provider: str) -> None:
    with scene.without_answers(provider):
        done = scene.ask(*OURS)

    assert done.code == 0
    assert done.stdout.startswith("1. Immediate\n")
    assert done.stderr.startswith("Warning: no vector search: ")
    assert done.stderr.count("\n") == 1


def test_without_an_index_of_words_every_text_is_read(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(scene.world.variables, "HARDWON_KEYWORD_SEARCH", "false")

    with scene.without_answers("off"):
        done = scene.ask(*OURS)

    assert (done.code, done.stdout.startswith("1. Immediate\n")) == (0, True)


def test_the_same_branch_and_touched_files_break_ties(empty_scene: Scene) -> None:
    scene, world = empty_scene, empty_scene.world
    world.commit("touched.py")
    world.commit("other.py")
    branch = (world.project / ".git" / "HEAD").read_text().strip().removeprefix("ref: refs/heads/")
    plain = memory("decision", "Plain", "One tie.", 0.5, tags=("tie",))
    timestamp = plain.entry.updated_at
    scene.plant(
        plain,
        memory(
            "decision",
            "Touched",
            "Two tie.",
            0.5,
            tags=("tie",),
            references=("other.py",),
            updated_at=timestamp,
        ),
        memory(
            "decision",
            "Branch",
            "Three tie.",
            0.5,
            tags=("tie",),
            branch=branch,
            updated_at=timestamp,
        ),
    )

    assert scene.names(*OURS, "--tag", "tie") == ["Branch", "Touched", "Plain"]


def test_the_policy_of_a_session_start_can_be_asked_for_and_explains_itself(
    scene: Scene,
) -> None:
    shown = scene.ask(
        *OURS, "--policy", "context", "--explain", "--limit", "1", "--tag", "food"
    ).stdout
    [answer] = scene.answers(*OURS, "--policy", "context", "--explain", "--tag", "food")

    assert (
        " = 0.35 * vector + 0.20 * file + 0.20 * branch + 0.15 * recency + 0.10 * keyword\n   with vector = "
        in shown
    )
    assert answer["parts"].keys() == {"vector", "file", "branch", "recency", "keyword"}
    assert answer["parts"]["vector"] == pytest.approx(0.1, abs=1e-5)
