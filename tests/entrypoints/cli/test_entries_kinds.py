"""`hardwon list`, `show` and `stats` of every kind of memory."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.cli.test_recall import lesson
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import NEIGHBOUR, WORKSPACE, memory
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene, scene_with
from tests.fakes.doors import Ran

TEN_KEYS = {
    *(
        "id",
        "text",
        "embedding",
        "type",
        "project",
        "workspace",
        "branch",
        "timestamp",
        "source_file",
        "permanent",
    ),
}
DECISION = memory(
    "decision",
    "Use WAL",
    "Readers never wait.",
    0.25,
    workspace=WORKSPACE,
    branch="main",
    permanent=True,
    tags=("db",),
)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_stub() as stub, contextlib.ExitStack() as cleanup:
        scene = scene_with(
            World(tmp_path_factory.mktemp("kinds") / WORKSPACE, cleanup),
            stub,
            DECISION,
            memory(
                "gotcha", "NFS", "No locks.", None, 1, source_project=NEIGHBOUR, workspace=WORKSPACE
            ),
            memory("session", "Monday", "Set up WAL.", 0.5, 2, tags=("db", "x")),
            memory("document", "Spec", "How to store.", 0.5, 3, source_project=NEIGHBOUR),
            lesson("Lesson", "Wait, then retry.", 0.5),
            dimensions=384,
        )
        yield scene


def listed(scene: Scene, *options: str) -> set[str]:
    document = hardwon(scene.world, "list", "--json", *options).document
    assert document["total"] == len(document["items"])
    return {entry["name"] for entry in document["items"]}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), {"Use WAL", "Monday", "Lesson"}),
        (("--scope", "project"), {"Use WAL", "Monday"}),
        (("--scope", "workspace"), {"Use WAL", "NFS", "Monday"}),
        (("--scope", "global"), {"Use WAL", "NFS", "Monday", "Spec", "Lesson"}),
        (("--in", "conversations"), {"Use WAL", "NFS"}),
        (("--in", "learnings"), {"Lesson"}),
        (("--in", "conversations", "--type", "gotcha"), {"NFS"}),
        (("--type", "session", "--type", "document"), {"Monday"}),
        (("--tag", "db"), {"Use WAL", "Monday"}),
        (("--project", NEIGHBOUR), {"NFS", "Spec"}),
        (("--permanent",), {"Use WAL"}),
        (("--category", "heuristics"), {"Lesson"}),
        (("--project", "nobody"), set()),
    ],
)
def test_the_list_holds_what_the_options_say(
    scene: Scene, options: tuple[str, ...], names: set[str]
) -> None:
    assert listed(scene, *options) == names


def test_all_of_a_workspace_is_listed(scene: Scene) -> None:
    assert listed(scene, "--workspace", scene.world.workspace) == {"Use WAL", "NFS"}


@pytest.mark.parametrize("place", ["--project", "--workspace"])
def test_a_scope_beside_a_named_place_is_refused(scene: Scene, place: str) -> None:
    done = hardwon(scene.world, "list", place, NEIGHBOUR, "--scope", "project")

    assert (done.code, done.stdout, "without it" in done.stderr) == (1, "", True)


def test_an_empty_list_names_the_scope_that_shows_more(scene: Scene) -> None:
    done = hardwon(scene.world, "list", "--in", "documents")

    assert done.stdout == "Nothing of that is remembered here: --scope global lists all projects\n"


def test_the_table_has_the_kind(scene: Scene) -> None:
    lines = hardwon(scene.world, "list", "--in", "sessions").stdout.splitlines()

    assert lines[0].split() == [
        "id",
        "kind",
        "category",
        "seen",
        "confidence",
        "updated",
        "recalls",
        "name",
    ]
    assert lines[1].split()[1] == "session"
    assert lines[2] == "1 of 1 entry"
    nothing = hardwon(scene.world, "list", "--tag", "none").stdout
    assert nothing == "Nothing that is remembered is of that kind and place\n"


def test_a_decision_is_shown_with_all_that_the_customer_stores(scene: Scene) -> None:
    document = hardwon(scene.world, "show", DECISION.entry.entry_id, "--json").document

    assert document.keys() >= TEN_KEYS
    embedding = document.pop("embedding")
    assert embedding == scene.vector(0.25).tolist()
    assert {key: document[key] for key in TEN_KEYS - {"embedding"}} == {
        "id": DECISION.entry.entry_id,
        "text": "Readers never wait.",
        "type": "decision",
        "project": "project",
        "workspace": scene.world.workspace,
        "branch": "main",
        "timestamp": int(DECISION.entry.updated_at.timestamp()),
        "source_file": "/memories/decision/use-wal.md",
        "permanent": True,
    }
    [gotcha] = hardwon(scene.world, "list", "--type", "gotcha", "--scope", "global", "--json").items
    assert hardwon(scene.world, "show", gotcha["id"], "--json").document["embedding"] is None


def test_a_person_reads_what_fits_the_kind(scene: Scene) -> None:
    shown = hardwon(scene.world, "show", DECISION.entry.entry_id[:6]).stdout

    facts = dict(line.split(maxsplit=1) for line in shown.split("\n\n")[-1].splitlines())
    assert facts["file"] == "/memories/decision/use-wal.md"
    assert (facts["kind"], facts["tags"], facts["branch"]) == ("decision", "db", "main")
    assert facts["workspace"] == scene.world.workspace
    assert facts["permanent"] == "yes"
    assert "category" not in facts


def show(scene: Scene, reference: str) -> Ran:
    return hardwon(scene.world, "show", reference)


def test_a_number_names_an_entry_too(scene: Scene) -> None:
    [(number,)] = scene.world.query(
        "SELECT seq FROM entry WHERE id = ?", (DECISION.entry.entry_id,)
    )

    assert show(scene, f"#{number}") == show(scene, DECISION.entry.entry_id)
    for nobody in ("#999", "#", "#x", "#-1", f"#{'9' * 5000}"):
        done = show(scene, nobody)
        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_the_statistics_count_by_kind_and_filter(scene: Scene) -> None:
    figures = hardwon(scene.world, "stats", "--json").document

    assert figures["entries"] == {"total": 5}
    assert figures["by_kind"] == dict.fromkeys(
        ["decision", "document", "gotcha", "learning", "session"], 1
    )
    assert figures["by_category"] == {"heuristics": 1}
    assert figures["embedding"]["dimensions"] == 384
    assert (figures["embedding"]["embedded"], figures["embedding"]["pending"]) == (4, 1)
    ours = hardwon(
        scene.world, "stats", "--in", "conversations", "--project", NEIGHBOUR, "--json"
    ).document
    assert ours["entries"] == {"total": 1}
    assert ours["by_kind"] == {"gotcha": 1}
    assert ours["by_category"] == {}
    assert ours["embedding"]["pending"] == 1
    assert "  decision              1\n" in hardwon(scene.world, "stats").stdout


def test_vectors_of_the_width_that_is_set_are_searched(scene: Scene) -> None:
    assert scene.names("--in", "sessions", "--min-score", "0.4") == ["Monday"]
