"""`hardwon export`, and `hardwon import` of what it wrote."""

import json
import shutil
import stat
from typing import Any

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep, run
from tests.fakes.doors import Ran

DECISION = "---\ntags: [db]\ntriggerPhrases: [which database]\n---\n# Use SQLite\n\nThe feed store is one SQLite file.\n"
QUESTIONS = ("units of numbers", "which database holds the feed", "k8s pods restart")


@pytest.fixture
def world(world_by_word: World) -> World:
    """Return a world with memories of several kinds that were used, changed and deleted."""
    world = world_by_word
    (world.project / "memory" / "decisions").mkdir(parents=True)
    (world.project / "memory" / "decisions" / "db.md").write_text(DECISION)
    lesson = keep(world)
    keep(
        world, name="Retry", description="Retry with a backoff, never at once.", category="patterns"
    )
    gone = keep(world, description="Deleted later on.")
    assert hardwon(world, "save", "--description", "Café: k8s pods restart.").code == 0
    assert hardwon(world, "index").code == 0
    assert hardwon(world, "update", lesson.entry_id, "--tier", "constitutional").code == 0
    assert hardwon(world, "validate", lesson.entry_id, "--useful").code == 0
    assert hardwon(world, "delete", gone.entry_id, "--yes").code == 0
    world.hook()
    return world


def into_another_store(world: World) -> None:
    world.store = world.folder / "another"
    world.variables["HARDWON_STORE"] = str(world.store)


def export(world: World, *arguments: str) -> str:
    done = hardwon(world, "export", *arguments)
    assert (done.code, done.stderr) == (0, "")
    return done.stdout


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def answers(world: World) -> list[object]:
    """Return all that a user and an agent are told."""
    asked = [hardwon(world, "recall", question, "--json").document for question in QUESTIONS]
    conversations = [
        hardwon(world, "recall", question, "--in", "all", "--json") for question in QUESTIONS
    ]
    lists = [hardwon(world, "list", "--json").document, hardwon(world, "context").stdout]
    return [*asked, *(done.stdout for done in conversations), *lists, *map(str, _stored(world))]


def _stored(world: World) -> list[object]:
    counted = world.query(
        "SELECT e.seq, e.id, tier, recall_count FROM entry e JOIN recall ON entry_seq = seq"
    )
    return [
        *counted,
        *world.query(
            "SELECT memory_id, field_changed, old_value, new_value FROM history ORDER BY id"
        ),
    ]


def test_an_import_into_an_empty_store_gives_the_same_answers(world: World) -> None:
    copy = export(world)
    before = answers(world)
    (world.folder / "copy.jsonl").write_text(copy)
    into_another_store(world)

    done = hardwon(world, "import", str(world.folder / "copy.jsonl"))

    assert done.code == 0, done
    assert done.stdout.startswith("Imported 4 entries from ")
    assert done.stdout.endswith(", 0 known already; 0 vectors made.\n")
    assert {line["kind"] for line in records(copy) if line["type"] == "entry"} == {
        "learning",
        "session",
        "decision",
    }
    assert any(line["type"] == "deleted-entry" for line in records(copy))
    assert records(export(world))[2:] == records(copy)[2:]
    assert answers(world) == before


def test_the_block_of_a_session_is_the_same(world: World) -> None:
    world.hook()
    original = world.folder / "original"
    shutil.copytree(world.store, original)
    first = world.hook().stdout
    shutil.rmtree(world.store)
    shutil.copytree(original, world.store)
    copy = export(world)
    into_another_store(world)

    assert import_text(world, copy).code == 0
    assert first
    assert world.hook().stdout == first


def import_text(world: World, text: str | bytes, *arguments: str) -> Ran:
    data = text.encode() if isinstance(text, str) else text
    return run(world, "hardwon", "import", "-", *arguments, stdin=data)


def test_an_import_reports_json_and_changes_nothing_the_second_time(world: World) -> None:
    copy = export(world)
    into_another_store(world)

    first = import_text(world, copy, "--json").document
    once = records(export(world))[1:]

    assert first["imported"] == {"added": 4, "known": 0, "forgotten": 0, "skipped": []}
    assert import_text(world, copy, "--json").document["imported"] == {
        **first["imported"],
        "added": 0,
        "known": 4,
    }
    assert records(export(world))[1:] == once


def test_forgotten_texts_are_left_out_with_a_count(world: World) -> None:
    copy = export(world)
    assert hardwon(world, "forget", "backoff", "--yes").code == 0

    done = import_text(world, copy)

    assert (
        done.stdout
        == "Imported 0 entries from -, 3 known already, 1 left out as forgotten; 0 vectors made.\n"
    )
    assert "backoff" not in export(world)


def test_the_file_is_whole_private_and_replaced_by_force_only(world: World) -> None:
    done = hardwon(world, "export", "--output", "copy.jsonl")
    path = world.project / "copy.jsonl"

    assert done == (0, "", "Exported 4 entries to copy.jsonl\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert records(path.read_text())[1:] == records(export(world))[1:]
    path.write_text("mine")
    refused = hardwon(world, "export", "-o", "copy.jsonl")
    assert (refused.code, refused.stderr.count("\n"), "--force" in refused.stderr) == (1, 1, True)
    assert path.read_text() == "mine"
    assert hardwon(world, "export", "-o", "copy.jsonl", "--force").code == 0
    assert path.read_text() != "mine"
    missing = hardwon(world, "export", "-o", "no/folder/copy.jsonl")
    assert (
        missing.code,
        missing.stderr.count("\n"),
        "'no/folder/copy.jsonl'" in missing.stderr,
    ) == (1, 1, True)
    assert sorted(path.name for path in world.project.iterdir()) == ["copy.jsonl", "memory"]


def test_standard_output_can_be_named(world: World) -> None:
    assert records(export(world, "-o", "-"))[1:] == records(export(world))[1:]


def test_an_export_without_a_store_is_empty_and_makes_none(empty_world: World) -> None:
    [header] = records(export(empty_world))

    assert set(header["counts"].values()) == {0}
    assert not empty_world.store.exists()


def test_secrets_of_the_store_receipts_and_trust_are_not_exported(world: World) -> None:
    hardwon(world, "forget", "nothing-that-is-here-fnord", "--yes")
    hardwon(world, "trust", str(world.project))
    copy = export(world)

    for (secret,) in world.query("SELECT value FROM _metadata WHERE key LIKE '%secret%'"):
        assert secret not in copy
    assert {line["type"] for line in records(copy)} <= {
        *(
            "header",
            "project",
            "entry",
            "deleted-entry",
            "source",
            "absent-file",
            "deleted-section",
        ),
    }
    assert {line["trust"] for line in records(copy) if line["type"] == "project"} == {"unsaid"}


def broken(copy: str) -> list[tuple[bytes, str]]:
    lines = copy.encode().splitlines(keepends=True)
    last = len(lines)
    return [
        (b"".join(lines)[:-5], f"line {last}: "),
        (b"".join(lines[:-1]), "was cut off or changed"),
        (lines[0], "was cut off or changed"),
        (lines[0][:40], "line 1: "),
        (b"".join([*lines[:2], b"no JSON\n", *lines[2:]]), "line 3: Invalid JSON"),
        (copy.replace('"version":2', '"version":99').encode(), "line 1: the export has version 99"),
        (copy.replace('"type":"entry"', '"type":"dream"').encode(), "the type 'dream' is unknown"),
        (copy.replace('"number":', '"number":"x","old":').encode(), "number"),
        (
            b"".join([lines[0], b'{"type":"entry","name":"', b"x" * (65 * 1024 * 1024), b'"}\n']),
            "line 2: it is longer",
        ),
        (b"", "standard input is no export"),
        (b"{}", "standard input is no export"),
        (b"\x00\xff" * 5_000, "standard input is no export"),
    ]


def test_a_broken_export_is_refused_in_one_line_and_makes_no_store(world: World) -> None:
    copy = export(world)
    into_another_store(world)

    for data, words in broken(copy):
        done = import_text(world, data)
        assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1), done
        assert words in done.stderr
        assert not world.store.exists()


def test_a_broken_export_changes_nothing_in_a_store(world: World) -> None:
    copy = export(world)
    into_another_store(world)
    keep(world, description="Another lesson.")
    before = records(export(world))[1:]

    for data, _ in broken(copy):
        assert import_text(world, data).code == 1
        assert records(export(world))[1:] == before


def test_another_machine_finds_the_clone_and_its_files(world: World) -> None:
    world.git("init")
    world.git(
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "commit",
        "--allow-empty",
        "-m",
        "First",
    )
    world.git("remote", "add", "origin", "https://example.org/shop.git")
    hardwon(world, "trust", str(world.project))
    hardwon(world, "index")
    copy, before = export(world), hardwon(world, "list", "--json").items
    there, world.project = world.project, world.folder / "elsewhere" / "shop"
    world.project.parent.mkdir()
    shutil.move(there, world.project)
    into_another_store(world)

    assert import_text(world, copy).code == 0

    paths = {
        path for (path,) in world.query("SELECT file_path FROM entry_text WHERE file_path NOT NULL")
    }
    assert paths == {str(path) for path in world.project.rglob("memory/*/*.md")} != set()
    assert len(world.query("SELECT 1 FROM project")) == 1
    assert hardwon(world, "index").stdout.startswith(
        "Indexed 0 files: 0 new, 0 changed, 2 unchanged, 0 removed"
    )
    assert {item["name"] for item in hardwon(world, "list", "--json").items} == {
        item["name"] for item in before
    }


def test_markdown_is_a_folder_whose_bank_can_be_imported(world: World) -> None:
    done = hardwon(world, "export", "--format", "markdown", "--output", "out")

    assert done == (0, "", "Exported 4 entries to out\n")
    out = world.project / "out" / "project"
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.md")) == [
        "decisions.md",
        "docs/knowledge-bank/heuristics.md",
        "docs/knowledge-bank/patterns.md",
        "sessions.md",
    ]
    assert "The feed store is one SQLite file." in (out / "decisions.md").read_text()
    into_another_store(world)
    learned = hardwon(world, "import", "--project-root", str(out)).stdout
    assert learned.startswith("Imported 2 entries, 0 known already")
    assert {text for (text,) in world.query("SELECT description FROM entry_text")} == {
        "A number without its unit is misread.",
        "Retry with a backoff, never at once.",
    }


@pytest.mark.parametrize("output", [(), ("-o", "-")])
def test_markdown_needs_a_folder(world: World, output: tuple[str, ...]) -> None:
    done = hardwon(world, "export", "--format", "markdown", *output)

    assert (done.code, done.stderr.count("\n"), "--output" in done.stderr) == (1, 1, True)


def test_markdown_replaces_a_folder_by_force_only(world: World) -> None:
    assert hardwon(world, "export", "--format", "markdown", "-o", "out").code == 0
    refused = hardwon(world, "export", "--format", "markdown", "-o", "out")

    assert (refused.code, refused.stderr.count("\n"), "--force" in refused.stderr) == (1, 1, True)
    assert hardwon(world, "export", "--format", "markdown", "-o", "out", "--force").code == 0


def test_a_secret_in_an_export_reaches_no_file_of_the_store(world: World) -> None:
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    copy = export(world)
    into_another_store(world)
    lines = records(copy)
    for line in lines:
        if line["type"] == "entry":
            line["description"] += f" The token is {secret}"
            line["tags"] = [secret]
            line["history"].append(
                {"field": "title", "old": secret, "new": None, "at": line["created_at"]}
            )
            line["used_in"] = [
                {"session_id": "s", "how": "answer", "phrase": secret, "at": line["created_at"]}
            ]

    done = import_text(world, "".join(f"{json.dumps(line)}\n" for line in lines))

    assert done.stdout.startswith("Imported 4 entries")
    assert not [
        path
        for path in world.store.rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ]
