"""`hardwon context`: the block that a session starting now would get."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.adapters.markdown.marked_section import BEGIN, END
from hardwon.domain.model.context import ContextQuery, Feature
from tests.adapters.providers.stub_server import StubProviders, running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import NEIGHBOUR, WORKSPACE, Planted, memory
from tests.entrypoints.programs import bank, hardwon, keep
from tests.entrypoints.provider_process import Scene, scene_with
from tests.entrypoints.sessions import FRAME

FEATURE = Feature("lock", "Lock", "design")
OURS = ("context", "--in", "conversations")


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProviders]:
    with running_stub() as stub:
        yield stub


@pytest.fixture
def scene(
    tmp_path: Path,
    cleanup: contextlib.ExitStack,
    stub: StubProviders,
) -> Scene:
    """Return a scene in which cosines are those with what the user works on."""
    world = World(tmp_path / WORKSPACE, cleanup)
    world.write_feature(
        "7-lock",
        {"slug": "lock", "status": "active", "lastCompletedPhase": "design"},
        spec="# Lock\n",
    )
    scene = scene_with(world, stub)
    scene.question = ContextQuery(FEATURE).compose() or ""
    return scene


def names(scene: Scene, *options: str) -> list[str]:
    done = hardwon(scene.world, *OURS, *options, "--json")
    assert (done.code, done.stderr) == (0, "")
    return [answer["title"] for answer in done.items]


def neighbours() -> list[Planted]:
    return [
        memory(
            "decision", "Next door", "Theirs.", 0.9, source_project=NEIGHBOUR, workspace=WORKSPACE
        ),
        memory("gotcha", "Of all", "Everybody's.", 0.8, source_project=None, workspace=WORKSPACE),
        memory("gotcha", "Far away", "Nobody's.", 1.0, source_project="x", workspace="y"),
    ]


def ours(count: int) -> list[Planted]:
    return [
        memory("decision", f"Ours {at}", f"Number {at}.", 0.5 - at / 100) for at in range(count)
    ]


def test_the_workspace_is_asked_where_the_project_has_little_to_say(scene: Scene) -> None:
    scene.plant(*ours(1), *neighbours())

    assert names(scene) == ["Next door", "Of all", "Ours 0"]
    assert names(scene, "--limit", "1") == ["Ours 0"]


def test_a_project_with_enough_to_say_is_asked_alone(scene: Scene) -> None:
    scene.plant(*ours(7), *neighbours())

    assert names(scene) == [f"Ours {at}" for at in range(5)]
    assert names(scene, "--limit", "2") == ["Ours 0", "Ours 1"]
    shown = hardwon(scene.world, *OURS, "--limit", "1").stdout
    assert re.fullmatch(
        r"### Related Conversations\n- Ours 0 \(decision, \d{4}-\d\d-\d\d\): Number 0\.\n", shown
    )


def test_entries_about_touched_files_come_first_among_equals(scene: Scene) -> None:
    scene.world.commit("one.py")
    scene.world.commit("two.py")
    scene.question = ContextQuery(FEATURE, ("two.py",)).compose() or ""
    plain = memory("decision", "A plain one", "One.", 0.5)
    timestamp = plain.entry.updated_at
    touched = memory(
        "decision", "Touched", "Two.", 0.5, references=("two.py",), updated_at=timestamp
    )
    scene.plant(plain, touched)

    assert names(scene) == ["Touched", "A plain one"]


def test_every_part_of_a_score_is_shown_and_the_score_is_its_formula(scene: Scene) -> None:
    scene.plant(*ours(3))
    answers = hardwon(scene.world, *OURS, "--json").items

    for answer in answers:
        parts = answer["parts"]
        assert answer["policy"] == "context"
        found = 0.35 * parts["vector"] + 0.20 * parts["file"] + 0.20 * parts["branch"]
        assert answer["score"] == pytest.approx(
            found + 0.15 * parts["recency"] + 0.10 * parts["keyword"], abs=1e-6
        )
    section, _, explained = hardwon(scene.world, *OURS, "--explain").stdout.partition("\n\n")
    assert section == hardwon(scene.world, *OURS).stdout.removesuffix("\n")
    assert (
        explained.count(
            " = 0.35 * vector + 0.20 * file + 0.20 * branch + 0.15 * recency + 0.10 * keyword\n"
        )
        == 3
    )


def test_the_lessons_of_the_block_are_explained_as_recall_explains_them(scene: Scene) -> None:
    lesson = keep(scene.world, description="Lock the store first.")
    plain = hardwon(scene.world, "context", "--json").document
    done = hardwon(scene.world, "context", "--json", "--explain")

    [item] = done.items
    assert (item["id"], plain.keys(), "parts" in plain["items"][0]) == (
        lesson.entry_id,
        {"items"},
        False,
    )
    parts = item["parts"]
    terms = [parts[f"{name}_weight"] * parts[name] for name in ("vector", "keyword", "prominence")]
    assert (item["policy"], item["final_score"]) == ("hybrid", pytest.approx(sum(terms)))
    assert done.document["context_query"] == "lock. Phase: design"
    assert (done.document["vector_candidate_count"], done.document["fts5_candidate_count"]) == (
        0,
        1,
    )
    assert item["vector_score"] is None
    assert item["bm25_score"] > 0


@pytest.mark.parametrize("budget", [500, 60, 20])
def test_the_section_obeys_its_budget(scene: Scene, budget: int) -> None:
    scene.plant(*(memory("gotcha", f"Trap {at}", f"{at} " + "word " * 60, 0.5) for at in range(9)))

    shown = hardwon(scene.world, *OURS, "--limit", "9", "--token-budget", str(budget)).stdout
    assert 0 < len(shown) <= 4 * budget
    assert hardwon(scene.world, *OURS, "--token-budget", "0") == (0, "", "")


def test_summaries_are_printed_and_no_exchange(scene: Scene) -> None:
    text = "We lock the file.\n\nUser\n\nhow do we lock?\n\nAssistant\n\nassistant words"
    scene.plant(memory("conversation", "Locks", text, 0.9))

    for options in (OURS, ("context",), (*OURS, "--json"), ("context", "--json")):
        shown = hardwon(scene.world, *options).stdout
        assert "We lock the file." in shown
        assert "ssistant" not in shown
        assert "how do we" not in shown


def test_without_vectors_it_is_the_keyword_way_byte_for_byte(scene: Scene) -> None:
    lock = memory("decision", "Lock", "The lock design.", 0.1)
    scene.plant(
        lock, memory("gotcha", "Other", "The lock.", 0.6), memory("gotcha", "No word", "Text.", 1.0)
    )
    by_meaning = hardwon(scene.world, *OURS)
    with scene.without_answers("openai"):
        failing = hardwon(scene.world, *OURS)
    with scene.without_answers("off"):
        words = hardwon(scene.world, *OURS)

    assert failing.stdout == words.stdout != by_meaning.stdout
    assert words.stdout.startswith("### Related Conversations\n- Lock (decision, ")
    assert "No word" not in words.stdout
    assert by_meaning.stdout.startswith("### Related Conversations\n- No word ")
    assert failing.stderr.startswith("Warning: no vector search: ")


def test_the_sections_own_options_go_together_or_are_refused(scene: Scene) -> None:
    for options in (
        ("--write", "x.md", "--json"),
        ("--write", "x.md", "--explain"),
        ("--token-budget", "-1"),
    ):
        done = hardwon(scene.world, *OURS, *options)
        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert not (scene.world.project / "x.md").exists()


def test_the_session_start_block_is_written_into_a_file_and_only_there(scene: Scene) -> None:
    scene.plant(*ours(2))
    path = scene.world.project / "CLAUDE.md"
    path.write_bytes(b"# Mine\r\nno end")
    block = hardwon(scene.world, "context").stdout

    wrote = hardwon(scene.world, "context", "--write", "CLAUDE.md")
    assert wrote == (0, "Wrote CLAUDE.md\n", "")
    content = path.read_bytes()
    text = content.decode().replace("\r\n", "\n")
    assert content.startswith(b"# Mine\r\nno end\r\n")
    assert f"{FRAME[0]}\n{block}{FRAME[1]}\n" == text.partition(f"{BEGIN}\n")[2].partition(END)[0]
    assert "\n### Related Conversations\n- Ours 0 (" in text
    assert (
        hardwon(scene.world, "context", "--write", "CLAUDE.md").stdout
        == "CLAUDE.md needs no change\n"
    )
    hardwon(scene.world, *OURS, "--write", "CLAUDE.md")
    section = path.read_text().partition(f"{BEGIN}\n")[2]
    assert section.startswith(f"{FRAME[0]}\n### Related Conversations\n- Ours 0 (")
    hardwon(scene.world, *OURS, "--token-budget", "0", "--write", "CLAUDE.md")
    assert path.read_bytes() == f"# Mine\r\nno end\r\n\r\n{BEGIN}\r\n{END}\r\n".encode()


@pytest.mark.parametrize("content", [BEGIN.encode(), b"\xff", f"{END}\n{BEGIN}\n".encode()])
def test_a_file_that_can_t_be_used_is_one_clear_line(scene: Scene, content: bytes) -> None:
    scene.plant(*ours(1))
    path = scene.world.project / "CLAUDE.md"
    path.write_bytes(content)
    done = hardwon(scene.world, "context", "--write", "CLAUDE.md")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "CLAUDE.md: " in done.stderr
    assert path.read_bytes() == content


def test_an_empty_block_is_reported_and_makes_no_file(empty_world: World) -> None:
    done = hardwon(empty_world, "context", "--write", "CLAUDE.md")

    assert done == (
        0,
        "There is nothing to show yet: run hardwon import, or hardwon capture\nCLAUDE.md needs no change\n",
        "",
    )
    assert not (empty_world.project / "CLAUDE.md").exists()


def test_the_weights_are_reported(empty_world: World) -> None:
    weights = hardwon(empty_world, "stats", "--json").document["context_weights"]

    assert weights == {"vector": 0.35, "file": 0.2, "branch": 0.2, "recency": 0.15, "keyword": 0.1}
    assert sum(weights.values()) == pytest.approx(1)


def test_without_a_signal_the_newest_are_reported(empty_world: World) -> None:
    empty_world.remember(
        memory("decision", "D", "Text.", None, source_project=empty_world.project.name).entry
    )

    assert "- D (decision, " in hardwon(empty_world, *OURS).stdout
    assert [item["title"] for item in hardwon(empty_world, *OURS, "--json").items] == ["D"]
    assert "- D (decision, " in hardwon(empty_world, "context").stdout
    assert hardwon(empty_world, *OURS, "--explain").code == 0


def test_an_empty_result_is_reported(scene: Scene) -> None:
    done = hardwon(scene.world, *OURS)

    assert done == (0, "No conversation of this project is remembered\n", "")


def test_the_block_of_a_session_start_is_shown_and_nothing_is_counted(empty_world: World) -> None:
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.write_bank("patterns", bank("One", "Two", "Three"))
    world.import_bank()

    done = hardwon(world, "context")

    assert (done.code, done.stderr) == (0, "")
    assert world.query("SELECT count(*) FROM recall") == [(0,)]
    assert len(hardwon(world, "context", "--json", "--limit", "2").items) == 2
    assert done.stdout == world.argument_form().stdout
    assert world.query("SELECT count(*) FROM recall") == [(3,)]


def test_an_empty_store_prints_the_next_step(empty_world: World) -> None:
    assert hardwon(empty_world, "context") == (
        0,
        "There is nothing to show yet: run hardwon import, or hardwon capture\n",
        "",
    )
    assert not empty_world.store.exists()


@pytest.mark.parametrize(
    ("switch", "instead"),
    [("injection", "prints nothing"), ("semantic", "prints the knowledge-bank files instead")],
)
def test_a_session_start_that_would_print_something_else_is_reported(
    empty_world: World, switch: str, instead: str
) -> None:
    empty_world.configure(**{f"{switch}_enabled": "false"})

    done = hardwon(empty_world, "context")

    assert done.code == 0
    assert (
        done.stderr == f"Warning: memory_{switch}_enabled is not true: a session start {instead}\n"
    )
