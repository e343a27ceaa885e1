"""`hardwon export --format memory-index` and `hardwon import FILE`."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.providers.stub_server import running_stub, vector_of
from tests.entrypoints.folders import UNTRUSTED, Repositories
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene
from tests.fakes.doors import Ran

OLD: dict[str, Any] = {
    "tags": ["k8s"],
    "descriptionKeywords": ["pod", "restart"],
    "mtime": 1_770_000_000,
    "basename": "config-service",
    "filename": "memory-20260212-134206.md",
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def export(world: World) -> dict[str, dict[str, Any]]:
    done = hardwon(world, "export", "--format", "memory-index")
    assert (done.code, done.stderr) == (0, "")
    document: dict[str, dict[str, Any]] = done.document
    return document


def bring_in(world: World, index: object, *arguments: str) -> Ran:
    path = world.folder / "memory-index.json"
    path.write_bytes(index if isinstance(index, bytes) else json.dumps(index).encode())
    return hardwon(world, "import", str(path), *arguments)


def test_a_saved_session_is_exported_with_its_vector_and_comes_back_the_same(
    empty_world: World,
) -> None:
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    saved = hardwon(
        world, "save", "--description", "Café: k8s pods.", "--tag", "a", "--keyword", "k", "--json"
    ).document
    first = export(world)

    [(path, entry)] = first.items()
    embedding = entry.pop("embedding")
    assert path == saved["file_path"] == os.path.realpath(path)
    assert entry == {
        "tags": ["a"],
        "descriptionKeywords": ["k"],
        "mtime": int(Path(path).stat().st_mtime),
        "basename": "project",
        "filename": os.path.basename(path),
        "description": "Café: k8s pods.",
    }
    assert len(embedding) == 384
    assert all(value == round(value, 6) for value in embedding)
    assert sum(value * value for value in embedding) == pytest.approx(1, abs=1e-3)
    entry["embedding"] = embedding
    assert len(json.dumps(first)) < 5_000

    world.variables["HARDWON_STORE"] = str(world.folder / "another")
    assert (
        bring_in(world, first).stdout
        == "Imported 1 session, 0 known already; 1 vector kept, 0 vectors made.\n"
    )
    assert export(world) == first


def delete_sessions(world: World) -> None:
    for (entry_id,) in world.query("SELECT id FROM entry WHERE kind = 'session'"):
        assert hardwon(world, "delete", entry_id, "--yes").code == 0


def pending(world: World) -> int:
    return int(hardwon(world, "stats", "--json").document["embedding"]["pending"])


@pytest.fixture
def local_world(empty_world: World) -> World:
    """Return a world with three sessions in its store, embedded by the local model."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    for text in ("k8s pod restart debugging", "The parser reads feeds.", "Locks of the store."):
        assert hardwon(empty_world, "save", "--description", text).code == 0
    return empty_world


def test_after_export_delete_and_import_without_embedding_nothing_is_pending(
    local_world: World,
) -> None:
    exported = export(local_world)
    delete_sessions(local_world)
    assert local_world.query("SELECT count(*) FROM vector") == [(0,)]

    done = bring_in(local_world, exported, "--no-embed")

    assert done == (
        0,
        "Imported 3 sessions, 0 known already; 3 vectors kept, 0 vectors made.\n",
        "",
    )
    assert pending(local_world) == 0
    assert export(local_world) == exported
    [first, *_] = hardwon(
        local_world, "recall", "--in", "sessions", "kubernetes troubleshooting", "--json"
    ).items
    assert first["title"] == "k8s pod restart debugging"


def test_vectors_are_kept_in_a_fresh_store_that_decides_its_provider(local_world: World) -> None:
    exported = export(local_world)
    local_world.store = local_world.folder / "another"
    local_world.variables |= {
        "HARDWON_STORE": str(local_world.store),
        "HARDWON_EMBEDDING_PROVIDER": "auto",
    }

    done = bring_in(local_world, exported, "--no-embed", "--json")

    assert done.document == {
        "imported": {"added": 3, "known": 0, "skipped": []},
        "vectors_kept": 3,
        "embedded": 0,
    }
    noted = dict(local_world.query("SELECT key, value FROM _metadata"))
    assert noted["embedding_model"] == "all-MiniLM-L6-v2"
    assert "local" in noted.values()


def turned(vector: list[float], similarity: float) -> list[float]:
    """Return a unit vector of that cosine similarity to the unit *vector*."""
    across = [-vector[1], vector[0], *[0.0] * (len(vector) - 2)]
    length = math.hypot(*across)
    rest = math.sqrt(1 - similarity**2)
    return [
        similarity * value + rest * other / length
        for value, other in zip(vector, across, strict=True)
    ]


@pytest.mark.parametrize(("similarity", "left"), [(0.991, 0), (0.989, 3)])
def test_vectors_are_kept_when_the_one_embedded_again_is_99_percent_alike(
    local_world: World, similarity: float, left: int
) -> None:
    exported = export(local_world)
    for entry in exported.values():
        entry["embedding"] = turned(entry["embedding"], similarity)
    delete_sessions(local_world)

    done = bring_in(local_world, exported, "--no-embed")

    assert (done.code, pending(local_world)) == (0, left)
    lines = done.stderr.splitlines()
    assert len(lines) == bool(left)
    assert all(
        line.startswith("Warning: 3 vectors not kept, will be made again: they are not by")
        for line in lines
    )


@pytest.mark.parametrize(
    "embedding",
    [
        [0.5] * 383,
        ["0.5"] * 384,
        "0.5",
        [0.0] * 384,
        [float("nan")] * 384,
        [1e39] * 384,
        [10**400] * 384,
    ],
)
def test_a_vector_that_cannot_be_used_costs_nothing_but_a_line(
    local_world: World, embedding: object
) -> None:
    exported = export(local_world)
    path = min(exported)
    exported[path]["embedding"] = embedding
    delete_sessions(local_world)

    done = bring_in(local_world, exported, "--no-embed")

    assert (done.code, done.stdout) == (
        0,
        "Imported 3 sessions, 0 known already; 2 vectors kept, 0 vectors made.\n",
    )
    [line] = done.stderr.splitlines()
    assert line.startswith(f"Warning: 1 vector not kept, will be made again: {path!r}: ")
    assert pending(local_world) == 1
    assert hardwon(local_world, "embed").stdout == "1 vector made, 0 missing.\n"


def test_one_text_is_embedded_however_many_vectors_an_index_brings(local_world: World) -> None:
    exported = export(local_world)
    with running_stub() as stub:
        scene = Scene(local_world, stub)
        scene.choose("ollama")
        stub.dimensions = 384
        for entry in exported.values():
            entry["embedding"] = vector_of(entry["description"], 384)
        delete_sessions(local_world)

        done = bring_in(local_world, exported, "--no-embed")

        assert done.stdout.endswith("3 vectors kept, 0 vectors made.\n")
        [asked] = [request.body for request in scene.requests() if request.path == "/api/embed"]
    assert (asked["model"], len(asked["input"])) == ("all-minilm", 1)
    assert scene.vectors() == {"ollama": 3}


def test_a_provider_that_is_down_leaves_the_vectors_for_later(local_world: World) -> None:
    exported = export(local_world)
    delete_sessions(local_world)
    local_world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "ollama", "OLLAMA_HOST": "127.0.0.1:9"}

    done = bring_in(local_world, exported, "--no-embed")

    assert (done.code, done.stdout) == (
        0,
        "Imported 3 sessions, 0 known already; 0 vectors made.\n",
    )
    assert done.stderr.startswith(
        "Warning: 3 vectors not kept, will be made again: Ollama at 127.0.0.1:9"
    )
    assert done.stderr.count("\n") == 1


def test_an_index_from_before_vectors_is_valid_and_its_tags_are_found(world: World) -> None:
    done = bring_in(world, {"/no/such/memory-20260212-134206.md": OLD})

    assert done == (0, "Imported 1 session, 0 known already; 0 vectors made.\n", "")
    assert export(world) == {
        "/no/such/memory-20260212-134206.md": {**OLD, "description": "pod, restart"}
    }
    assert world.query("SELECT source_project, updated_at FROM entry") == [
        ("config-service", "2026-02-02T02:40:00.000000+00:00")
    ]
    assert world.query("SELECT value FROM entry_text, json_each(tags)") == [("k8s",)]


def test_an_update_without_a_vector_keeps_the_entry_valid(world: World) -> None:
    hardwon(world, "save", "--description", "Told.")
    first = export(world)
    for entry in first.values():
        entry |= {"description": "Told again.", "embedding": [0.5] * 384}

    assert bring_in(world, first, "--json").document["imported"] == {
        "added": 0,
        "known": 1,
        "skipped": [],
    }
    assert [entry["description"] for entry in export(world).values()] == ["Told again."]
    assert "embedding" not in next(iter(export(world).values()))
    assert "1 unchanged" in hardwon(world, "index").stdout


def test_only_sessions_are_exported(world: World) -> None:
    (world.project / "memory" / "gotchas").mkdir(parents=True)
    (world.project / "memory" / "gotchas" / "x.md").write_text("Not a session.")
    hardwon(world, "index")

    assert export(world) == {}


def test_an_export_to_a_file_is_whole_or_not_at_all(world: World) -> None:
    hardwon(world, "save", "--description", "Told.")
    (world.project / "out.json").write_text("before")

    done = hardwon(world, "export", "--format", "memory-index", "--output", "out.json", "--force")
    assert (done.code, done.stdout) == (0, "")
    assert json.loads((world.project / "out.json").read_text()) == export(world)

    refused = hardwon(world, "export", "--format", "memory-index", "--output", "no/folder/out.json")
    assert (refused.code, refused.stderr.count("\n"), "'no/folder/out.json'" in refused.stderr) == (
        1,
        1,
        True,
    )
    assert sorted(path.name for path in world.project.iterdir()) == ["memory", "out.json"]


def test_an_export_without_a_store_is_empty_and_makes_none(world: World) -> None:
    assert export(world) == {}
    assert not world.store.exists()


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ([], ("object",)),
        ({"/a.md": {**OLD, "tags": "k8s"}}, ("'/a.md'", "tags", "list of texts")),
        ({"/a.md": {**OLD, "mtime": "now"}}, ("'/a.md'", "mtime")),
        ({"/a.md": OLD, "b.md": OLD}, ("'b.md'", "absolute")),
        ({"/a.md": OLD, "/b.md": {**OLD, "description": "a\0b"}}, ("'/b.md'", "NUL")),
        (b"\x00\xff", ("UTF-8",)),
        (b"", ("not JSON", "hardwon can import")),
        (b"\xff\xfe\x00", ("not UTF-8", "hardwon can import")),
    ],
)
def test_an_index_with_a_mistake_is_refused_whole_in_one_line(
    world: World, index: object, words: tuple[str, ...]
) -> None:
    done = bring_in(world, index)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert all(word in done.stderr for word in words)
    assert export(world) == {}


def test_an_index_that_is_not_there_is_reported(world: World) -> None:
    done = hardwon(world, "import", "nowhere.json")

    assert (done.code, done.stderr.count("\n"), "'nowhere.json'" in done.stderr) == (1, 1, True)
    assert not world.store.exists()


AGENT = {"CLAUDECODE": "1"}
SUBJECTS = {
    "config-service": (
        "k8s pod restart debugging",
        "helm chart values",
        "kubernetes diagnostics of a node",
        "rollout",
    ),
    "billing": ("invoice rounding", "tax of partners", "currency table"),
    "search/indexer": ("tokens of the index", "shards", "ranking of results"),
}


def of_three_folders(src: Path) -> dict[str, dict[str, Any]]:
    """Return an index of ten sessions, none of whose files and folders is there."""
    return {
        f"{src}/{folder}/memory-2026021{at}-134206.md": {
            **OLD,
            "basename": folder.rpartition("/")[2],
            "filename": f"memory-2026021{at}-134206.md",
            "description": subject,
        }
        for folder, subjects in SUBJECTS.items()
        for at, subject in enumerate(subjects)
    }


def test_imported_sessions_are_found_in_the_projects_of_their_folders(empty_world: World) -> None:
    world, src = empty_world, empty_world.folder / "home" / "src"
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    variables = world.variables
    assert bring_in(world, of_three_folders(src)).stdout == (
        "Imported 10 sessions, 0 known already; 10 vectors made.\n"
    )

    (src / "config-service").mkdir(parents=True)
    (src / "sibling").mkdir()
    for folder, host, count in ((src / "config-service", {}, 10), (src / "sibling", {}, 10), (src.parent, {}, 10),
                                (src / "config-service", AGENT, 7), (src / "sibling", AGENT, 7)):  # fmt: skip
        world.project, world.variables = folder, {**variables, **host}
        first, second, *_ = hardwon(
            world, "recall", "kubernetes", "diagnostics"
        ).stdout.splitlines()
        assert first == f"Searching {count} memories..."
        place = second.removesuffix(second[second.rfind(" [") :]) if not host else second
        assert place.endswith("] config-service/memory-20260212-134206.md")
    world.project, world.variables = src / "config-service", variables
    assert hardwon(world, "index").code == 0
    listed = hardwon(world, "project", "list", "--json").items
    assert {item["label"]: item["entries"] for item in listed if item["entries"]} == {
        "config-service": 4,
        "billing": 3,
        "indexer": 3,
    }


def test_the_message_to_build_embeddings_counts_imported_sessions(empty_world: World) -> None:
    world, src = empty_world, empty_world.folder / "home" / "src"
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    bring_in(world, of_three_folders(src), "--no-embed")
    (src / "billing").mkdir(parents=True)
    world.project = src / "billing"

    done = hardwon(world, "recall", "invoice", "--in", "sessions", "--scope", "project")
    assert (
        done.stdout
        == "Searching 3 memories...\nRun `/save` to build embeddings, or `hardwon index --embed`\n"
    )
    assert done.stderr == "(3 without embeddings)\n"


def test_an_index_places_sessions_that_were_imported_without_a_project(world: World) -> None:
    src = world.folder / "home" / "src"
    bring_in(world, of_three_folders(src))
    world.query("UPDATE entry SET project = NULL, workspace = NULL")

    assert hardwon(world, "index", "--dry-run").code == 0
    assert world.query("SELECT count(*) FROM entry WHERE project IS NULL") == [(10,)]
    assert hardwon(world, "index").code == 0

    rows = world.query(
        "SELECT p.label, count(*) FROM entry e JOIN project p ON p.id = e.project GROUP BY 1 ORDER BY 1"
    )
    assert rows == [("billing", 3), ("config-service", 4), ("indexer", 3)]
    assert hardwon(world, "index").code == 0
    assert world.query("SELECT count(*) FROM entry") == [(10,)]


def test_a_folder_in_a_foreign_clone_keeps_its_imported_sessions_at_home(world: World) -> None:
    clone = Repositories(world).make("clone", UNTRUSTED)

    bring_in(
        world, {f"{clone}/memory-1.md": {**OLD, "basename": "clone", "description": "told there"}}
    )

    [row] = [
        item
        for item in hardwon(world, "project", "list", "--json").items
        if item["label"] == "clone"
    ]
    assert (row["state"], row["entries"]) == ("foreign", 1)
