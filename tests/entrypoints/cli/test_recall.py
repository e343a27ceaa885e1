"""`hardwon recall` over everything: usage, JSON, the list, its explanation, its sameness."""

import contextlib
import datetime as dt
import math
import re
from collections.abc import Iterator

import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.ranking.adaptive import FORMULA as RELEVANCE
from hardwon.entrypoints.presenters.answers import FORMULAS
from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.cli.test_entries import ODD_NAMES
from tests.entrypoints.cli.test_main import on_a_terminal
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import QUESTION, WORKSPACE, Planted, memory
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene, scene_with

POLICIES = ["adaptive", "hybrid", "cosine", "affinity"]
LONG = (
    "Nothing of interest. " * 20
    + "Here the lock of the store is explained. "
    + "And more of it. " * 30
)


def lesson(name: str, text: str, cosine: float | None) -> Planted:
    now = dt.datetime.now(dt.UTC)
    entry = Entry(
        name=name, description=text, category="heuristics", created_at=now, updated_at=now
    )
    return Planted(entry, cosine)


def shelf() -> list[Planted]:
    return [
        lesson("Lock order", "Take the locks in one order.", 0.7),
        memory("document", "Long", LONG, 0.8, file_path="/docs/long.md", workspace=WORKSPACE),
        memory("document", "Other project", "Store locks.", 0.75, source_project="other"),
        memory("session", "Session", "Locked the store for a day.", 0.6, tags=("x",)),
        memory("decision", "Decision", "Use one lock.", 0.5, permanent=True, workspace=WORKSPACE),
        memory("gotcha", "No vector", "The store hangs.", None),
    ]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_stub() as stub, contextlib.ExitStack() as cleanup:
        scene = scene_with(
            World(tmp_path_factory.mktemp("all") / WORKSPACE, cleanup), stub, *shelf()
        )
        yield scene


@pytest.mark.parametrize("words", [(), ("",), ("  ", "\t")])
def test_without_a_question_it_prints_its_usage(scene: Scene, words: tuple[str, ...]) -> None:
    done = hardwon(scene.world, "recall", *words)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: hardwon recall ")
    for example in (
        "hardwon recall kubernetes network debugging",
        'hardwon recall "when did I work on authentication?"',
        "hardwon recall helm chart configuration issues",
    ):
        assert f"    {example}\n" in done.stdout + "\n"
    done = hardwon(scene.world, "recall", "--json", *words)
    assert (done.code, done.document, done.stderr) == (0, {"items": []}, "")


def test_each_answer_is_an_object_of_a_list(scene: Scene) -> None:
    answers = {answer["title"]: answer for answer in scene.answers()}

    assert answers.keys() == {item.entry.name for item in shelf()}
    decision = answers["Decision"]
    assert decision.keys() == {
        *(
            "id",
            "kind",
            "name",
            "type",
            "title",
            "text",
            "score",
            "source",
            "date",
            "permanent",
            "project",
            "workspace",
        ),
        *("tags", "category", "origin"),
    }
    assert decision["id"] == shelf()[4].entry.entry_id
    assert (decision["type"], decision["text"], decision["permanent"]) == (
        "decision",
        "Use one lock.",
        True,
    )
    assert (decision["source"], decision["category"]) == ("/memories/decision/decision.md", None)
    assert (decision["project"], decision["workspace"], decision["tags"]) == (
        "project",
        scene.world.workspace,
        [],
    )
    assert (answers["Lock order"]["source"], answers["Lock order"]["category"]) == (
        None,
        "heuristics",
    )


@pytest.mark.parametrize("collection", ["all", "learnings"])
def test_an_explanation_has_the_searches_and_results(scene: Scene, collection: str) -> None:
    plain = scene.ask("--in", collection, "--json").document
    document = scene.ask("--in", collection, "--json", "--explain").document

    assert plain.keys() == {"items"}
    counts = [document[name] for name in ("vector_candidate_count", "fts5_candidate_count")]
    assert counts == ([5, 6] if collection == "all" else [1, 1])
    assert document["context_query"] == QUESTION
    answers = {item["title"]: item for item in document["items"]}
    if collection == "learnings":
        assert all(item["final_score"] == item["score"] for item in document["items"])
    assert answers["Lock order"]["vector_score"] == pytest.approx(0.7, abs=1e-5)
    assert answers["Lock order"]["bm25_score"] > 0
    if collection == "all":
        assert answers["No vector"]["vector_score"] is None
        assert answers["No vector"]["bm25_score"] > 0


@pytest.mark.parametrize("policy", [*POLICIES, "context", "fused"])
def test_words_alone_are_never_a_hundred_percent(scene: Scene, policy: str) -> None:
    with scene.without_answers("off"):
        shown = [
            scene.ask("--in", name, "--policy", policy).stdout
            for name in ("all", "sessions", "documents")
        ]
        items = scene.answers("--policy", policy, "--explain")

    assert not [text for text in shown if "100%" in text or "[1.00]" in text]
    assert items
    assert all(item["vector_score"] is None for item in items)
    assert all(item["parts"].get("similarity", 0) <= 0.9 for item in items)


@pytest.mark.parametrize("policy", POLICIES)
def test_each_score_is_what_its_formula_makes_of_the_parts(scene: Scene, policy: str) -> None:
    answers = scene.answers("--policy", policy, "--explain")

    assert len(answers) >= 4
    for answer in answers:
        assert answer["policy"] == policy
        names = {"log": math.log, "exp": math.exp, "max": max, "min": min, **answer["parts"]}
        expected = eval(FORMULAS[answer["policy"]], {"__builtins__": {}}, names)  # noqa: S307  # a formula of ours
        assert answer["final_score"] == pytest.approx(expected, abs=1e-6)
        if policy == "adaptive":
            expected = eval(RELEVANCE, {"__builtins__": {}}, names)  # noqa: S307  # a formula of ours
        assert answer["score"] == pytest.approx(expected, abs=1e-6)
    scores = [answer["final_score"] for answer in answers]
    assert scores == sorted(scores, reverse=True)


def test_the_signals_of_a_hybrid_score_are_shares_of_the_best(scene: Scene) -> None:
    answers = {
        answer["title"]: answer for answer in scene.answers("--policy", "hybrid", "--explain")
    }
    parts = {title: answer["parts"] for title, answer in answers.items()}

    for signal in ("vector", "keyword"):
        assert max(value[signal] for value in parts.values()) == pytest.approx(1, abs=1e-6)
        assert all(0 <= value[signal] <= 1 for value in parts.values())
    assert parts["No vector"]["vector"] == 0 < parts["No vector"]["keyword"]
    for title, item in parts.items():
        weighted = 0.5 * item["vector"] + 0.2 * item["keyword"] + 0.3 * item["prominence"]
        assert answers[title]["score"] == pytest.approx(weighted, abs=1e-6)


def test_a_person_reads_score_place_passage_and_tags_of_each_answer(scene: Scene) -> None:
    done = scene.ask("--policy", "cosine")

    assert (done.code, done.stderr) == (0, "(1 without embeddings)\n")
    first, *lines, last = done.stdout.splitlines()
    assert (first, last) == (
        "Searching 6 memories...",
        "Found 5 relevant memories (threshold: none)",
    )
    without_ids, ids = re.subn(r"(?m)^(\d\. .*) \[[0-9a-f]{8}\]$", r"\1", "\n".join(lines))
    answers = without_ids.split("\n\n")
    assert len(answers) == ids == 5
    place, passage, label = answers[0].splitlines()
    assert label == "   From: project"
    assert place == "1. [0.80] docs/long.md"
    assert passage.startswith('   "...')
    assert passage.endswith('..."')
    assert "Here the lock of the store is explained." in passage
    assert len(passage) <= 200
    assert answers[1].splitlines()[::2] == ["2. [0.75] document/other-project.md", "   From: other"]
    assert answers[2].splitlines()[0] == "3. [0.70] Lock order"
    tagged = [answer.splitlines()[2:] for answer in answers if "Tags:" in answer]
    assert tagged == [["   Tags: x", "   From: project"]]


def test_each_explanation_has_the_formula_and_the_parts(scene: Scene) -> None:
    shown = scene.ask("--explain", "--limit", "1").stdout.splitlines()

    assert f" = {RELEVANCE}" in shown[-4]
    assert f" = {FORMULAS['adaptive']}" in shown[-3]
    assert shown[-2].startswith("   with cosine = ")


def test_documents_are_those_of_all_projects_unless_less_is_wanted(scene: Scene) -> None:
    assert set(scene.names("--in", "documents")) == {"Long", "Other project"}
    assert scene.names("--in", "documents", "--scope", "workspace") == ["Long"]


def test_the_filters_work_over_everything(scene: Scene) -> None:
    assert scene.names("--permanent") == ["Decision"]
    assert scene.names("--tag", "x") == ["Session"]
    assert set(scene.names("--type", "gotcha", "--type", "session")) == {"No vector", "Session"}
    assert len(scene.answers("--limit", "3")) == 3


def test_learnings_are_rendered_as_at_session_start_and_nothing_is_counted(
    scene: Scene,
) -> None:
    done = scene.ask("--in", "learnings", "--explain")

    assert done.code == 0
    assert done.stdout.startswith(
        "## Engineering Memory (from knowledge bank)\n\n"
        "*Memory: 1 entries from 1 | semantic: active (vector=1, fts5=1) "
        '| context: "how do we lock the store..." | model: text-embedding-3-small*\n\n'
        "### Heuristics\n### Lock order\nTake the locks in one order.\n"
        "- Observation count: 1\n- Confidence: medium\n\n---\n"
    )
    assert "1. Lock order\n" in done.stdout
    assert FORMULAS["hybrid"] in done.stdout
    assert scene.world.query("SELECT count(*) FROM recall") == [(0,)]
    assert scene.ask("--in", "learnings", "--tag", "none").stdout == "No entry answers that\n"


def test_the_order_in_which_memories_came_makes_no_difference(
    scene: Scene, tmp_path_factory: pytest.TempPathFactory
) -> None:
    backwards = scene_with(
        World(tmp_path_factory.mktemp("backwards") / WORKSPACE, contextlib.ExitStack()),
        scene.stub,
    )
    rows = shelf()
    backwards.plant(*reversed(rows))
    forwards = scene_with(
        World(tmp_path_factory.mktemp("forwards") / WORKSPACE, contextlib.ExitStack()), scene.stub
    )
    forwards.plant(*rows)

    for options in (("--policy", "hybrid"), ("--policy", "cosine", "--json"), ("--json",)):
        there, here = (
            scene.ask(*options).stdout.replace(scene.world.workspace, "")
            for scene in (backwards, forwards)
        )
        assert there == here != ""


def test_a_terminal_shows_the_words_in_colour_and_a_pipe_gets_none(scene: Scene) -> None:
    world = scene.world
    before = dict(world.variables)
    shown = on_a_terminal(world, 60, "recall", "--type", "document", "--scope", "global", QUESTION)
    world.variables["NO_COLOR"] = "1"
    plain = on_a_terminal(world, 60, "recall", "--type", "document", "--scope", "global", QUESTION)
    world.variables.clear()
    world.variables.update(before)

    assert "\x1b[1;33mlock\x1b[0m" in shown
    assert "\x1b" not in plain
    first = plain.split("\r\n\r\n")[0].splitlines()[1:]
    assert first[0].split()[0] == "1."
    assert len(first) > 2
    assert all(line.startswith("   ") for line in first[1:])
    assert max(map(len, plain.splitlines())) <= 60
    assert "\x1b" not in scene.ask().stdout


def test_stored_text_is_data_on_a_terminal_too(
    tmp_path_factory: pytest.TempPathFactory, scene: Scene
) -> None:
    odd = scene_with(
        World(tmp_path_factory.mktemp("odd") / WORKSPACE, contextlib.ExitStack()), scene.stub
    )
    odd.plant(*(memory("session", f"{name} {at}", f"{name} store", 0.9, file_path=f"/a\nb/{at}{name}.md", tags=(name,))
                for at, name in enumerate([*ODD_NAMES, "\x1b[2Jcleared\x07"])))  # fmt: skip

    for options in ((), ("--in", "sessions", "--limit", "9"), ("--policy", "cosine", "--explain")):
        piped = odd.ask(*options).stdout
        for name in [*ODD_NAMES, r"\x1b[2Jcleared\x07"]:
            assert name in piped
        assert "\x1b" not in piped
    shown = on_a_terminal(odd.world, 100, "recall", QUESTION)
    assert r"\x1b[2Jcleared\x07" in shown
    assert "\x1b[2J" not in shown
    assert "[red]x[/red]" in shown


def test_json_stays_json_when_the_terminal_knows_ascii_only(scene: Scene) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    scene.world.variables |= ascii_only
    done = scene.ask("--json")
    for name in ascii_only:
        del scene.world.variables[name]

    assert done.stdout.isascii()
    assert len(done.items) == 6
