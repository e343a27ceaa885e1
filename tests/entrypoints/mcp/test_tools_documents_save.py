"""`memory_save` indexes one markdown file."""

import datetime as dt
import os
import time
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import TOKENS, RawClient, Visit, write_document
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene

LONGEST_EMBEDDING_SECONDS = 2

SECTIONED = """\
---
title: Auth
importanceTier: critical
contextType: decision
importance_weight: 0.8
channel: main
sessionId: abc
---
# Auth

## Trigger Phrases
- rotate keys

<!-- ANCHOR:oauth-callback -->
The callback checks the state.
<!-- /ANCHOR:oauth-callback -->
<!-- ANCHOR:errors -->
## What went wrong
A token was logged.
<!-- /ANCHOR:errors -->
"""


def document_row(
    world: World, columns: str, path: Path, anchor: str | None = None
) -> tuple[object, ...]:
    [row] = world.query(
        f"SELECT {columns} FROM memory_index WHERE file_path = '{path}' AND anchor_id IS {anchor!r}".replace(
            "IS None", "IS NULL"
        )
    )
    return row


def test_a_file_is_indexed_and_the_answer_names_what_it_became(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(
        shared_world,
        "005-auth/memory/tokens.md",
        "---\ntriggers: [rotate keys]\n---\n# Tokens\n\nZ.",
    )
    saved = shared.answer("memory_save", filePath=str(path), force=True)

    expected = {
        "success": True,
        "action": "indexed",
        "specFolder": "005-auth",
        "title": "Tokens",
        "triggerPhrases": ["rotate keys"],
        "sections": 0,
        "embedded": False,
        "warnings": [],
    }
    assert {key: saved[key] for key in expected} == expected
    assert isinstance(saved["memoryId"], int)
    assert (saved["memoryId"], "Tokens\n\nZ.", "005-auth") == document_row(
        shared_world, "id, content, spec_folder", path
    )


def test_a_file_saved_twice_is_one_row_unless_forced_or_changed(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world, "005-auth/memory/twice.md")

    def action(**arguments: object) -> object:
        return shared.answer("memory_save", filePath=str(path), **arguments)["action"]

    assert [action(), action(), action(force=True)] == ["indexed", "unchanged", "indexed"]
    path.write_text("# Tokens\n\nNew text.")
    assert [action(), action()] == ["updated", "unchanged"]
    assert document_row(shared_world, "count(*), max(content)", path) == (1, "Tokens\n\nNew text.")


def test_the_sections_of_a_file_become_memories_of_their_own(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world, "006-oauth/memory/sections.md", SECTIONED)
    saved = shared.answer("memory_save", filePath=str(path))
    fields = "importance_tier, importance_weight, context_type, channel, session_id, spec_folder"

    assert (saved["sections"], saved["triggerPhrases"]) == (2, ["rotate keys"])
    assert document_row(shared_world, fields, path) == (
        "critical",
        0.8,
        "decision",
        "main",
        "abc",
        "006-oauth",
    )
    assert document_row(shared_world, fields, path, "errors") == document_row(
        shared_world, fields, path
    )
    assert document_row(shared_world, "title, content", path, "oauth-callback") == (
        "Auth: oauth callback",
        "The callback checks the state.",
    )
    assert document_row(shared_world, "title", path, "errors") == ("Auth: What went wrong",)
    assert "ANCHOR" not in str(document_row(shared_world, "content", path))

    path.write_text(SECTIONED.replace("errors", "mistakes"))
    shared.call("memory_save", filePath=str(path))
    anchors = shared_world.query(
        f"SELECT anchor_id FROM memory_index WHERE file_path = '{path}' ORDER BY anchor_id"
    )
    assert anchors == [(None,), ("mistakes",), ("oauth-callback",)]


def test_the_date_of_a_new_memory_is_that_of_its_name_in_local_time(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world, TOKENS)
    shared.call("memory_save", filePath=str(path))
    [created_at, epoch] = document_row(shared_world, "created_at, created_at_epoch", path)

    written = dt.datetime(2026, 11, 22, 14, 5).astimezone()  # names tell local time
    assert dt.datetime.fromisoformat(str(created_at)) == written
    assert (epoch, str(created_at)[-6:]) == (int(written.timestamp()), "+00:00")


def test_tier_and_weight_are_the_stores_once_the_memory_is_there(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world, "005-auth/memory/owned.md", SECTIONED)
    shared.call("memory_save", filePath=str(path))
    shared_world.query(
        "UPDATE entry SET tier = 'deprecated', importance_weight = 0.1 WHERE seq IN"
        f" (SELECT id FROM memory_index WHERE file_path = '{path}')"
    )
    path.write_text(SECTIONED.replace("critical", "temporary") + "More.")
    shared.call("memory_save", filePath=str(path))
    shared.call("memory_save", filePath=str(path), force=True)

    for anchor in (None, "errors"):
        assert document_row(shared_world, "importance_tier, importance_weight", path, anchor) == (
            "deprecated",
            0.1,
        )
    [change] = shared_world.query(
        f"SELECT field_changed, length(old_value), length(new_value) FROM memory_history WHERE memory_id ="
        f" (SELECT id FROM memory_index WHERE file_path = '{path}' AND anchor_id IS NULL)"
    )
    assert change == ("content", 64, 64)


def test_a_title_that_was_changed_stays_as_long_as_the_file_does(
    shared: RawClient, shared_world: World
) -> None:
    path = write_document(shared_world, "005-auth/memory/titled.md")
    number = shared.answer("memory_save", filePath=str(path))["memoryId"]
    shared_world.query(f"UPDATE entry_text SET name = 'My title' WHERE entry_seq = {number}")

    shared.call("memory_save", filePath=str(path), force=True)
    assert document_row(shared_world, "title", path) == ("My title",)
    path.write_text("# Own title\n\nText.")
    shared.call("memory_save", filePath=str(path))
    assert document_row(shared_world, "title", path) == ("Own title",)


def test_words_are_found_by_their_stem(shared: RawClient, shared_world: World) -> None:
    path = write_document(
        shared_world, "005-auth/memory/stem.md", "# Debugging\n\nWe were debugging a quagga."
    )
    shared.call("memory_save", filePath=str(path))

    found = hardwon(shared_world, "recall", "--in", "all", "--json", "debug", "quaggas").items
    assert [answer["title"] for answer in found] == ["Debugging"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("memory/x.md", "the path is not absolute"),
        ("/etc/passwd", "it lies outside, or leads there"),
        ("{project}/../outside.md", "it lies outside, or leads there"),
        ("{project}/memory/gone.md", "No such file or directory"),
        ("{project}/memory", "it is a folder"),
        ("{project}/memory/link.md", "it lies outside, or leads there"),
        ("{project}/memory/text.txt", "it is no regular file *.md"),
        ("{project}/memory/pipe.md", "it is no regular file *.md"),
        ("{project}/memory/binary.md", "it holds a NUL byte"),
        ("", "the path is not absolute"),
        ("{project}/memory/\0.md", "null"),
    ],
)
def test_an_unreadable_file_is_refused_in_one_line(
    shared: RawClient, shared_world: World, path: str, reason: str
) -> None:
    memory = shared_world.project / "memory"
    memory.mkdir(exist_ok=True)
    (shared_world.folder / "outside.md").write_text("Outside.")
    (memory / "binary.md").write_bytes(b"\0\1")
    (memory / "text.txt").write_text("Text.")
    if not (memory / "link.md").is_symlink():
        (memory / "link.md").symlink_to("/etc/hosts")
        os.mkfifo(memory / "pipe.md")
    refused = shared.refusal(
        "memory_save", filePath=path.format(project=shared_world.project.resolve())
    )

    assert reason in refused
    assert "\n" not in refused


def test_of_a_file_whose_text_was_forgotten_the_answer_says_so_and_what_to_do(
    world: World, visit: Visit
) -> None:
    text = "# Deploy\n\nThe okapi deploys at noon, never at night."
    path = write_document(world, text=text)
    client = visit(world)
    client.call("memory_save", filePath=str(path))
    assert hardwon(world, "forget", "okapi", "--yes").code == 0
    path.write_text(text)

    for force in (False, True):
        assert client.refusal("memory_save", filePath=str(path), force=force) == (
            f"nothing of it is kept: {str(path)!r}: it holds a text that was forgotten; erase it"
            " here too"
        )
    path.write_text("# Deploy\n\nAt noon.")
    assert client.answer("memory_save", filePath=str(path))["action"] == "indexed"


def test_a_root_that_is_set_may_be_read(world: World, visit: Visit) -> None:
    root = world.folder / "docs"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "guide.md").write_text("# Guide\n\nText.")
    world.variables["HARDWON_DOCUMENT_ROOTS"] = f"/nowhere{os.pathsep}{root}"
    saved = visit(world).answer("memory_save", filePath=str(root / "deep" / "guide.md"))

    assert saved["title"] == "Guide"
    assert visit(world).answer("memory_index_scan")["skipped"] == 1


def test_defaults_of_new_documents_are_settings(world: World, visit: Visit) -> None:
    world.configure(default_tier="important", default_context_type="research")
    path = write_document(world)
    visit(world).call("memory_save", filePath=str(path))

    assert document_row(world, "importance_tier, context_type", path) == ("important", "research")


def test_the_vector_is_made_at_once_or_the_answer_says_why_not(scene: Scene, visit: Visit) -> None:
    scene.choose("openai", keyword_provider="off")
    path = write_document(scene.world)
    assert visit(scene.world).answer("memory_save", filePath=str(path))["embedded"]

    scene.take_down()
    path.write_text("New text.")
    saved = visit(scene.world).answer("memory_save", filePath=str(path))
    assert (saved["success"], saved["embedded"]) == (True, False)
    assert saved["warnings"][0].startswith(
        "its vector follows, until then keyword search finds it: "
    )


@pytest.mark.soak
def test_a_file_is_embedded_within_two_seconds(world: World, visit: Visit) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    first = write_document(world)
    second = write_document(
        world, "005-auth/memory/long.md", "About the okapi and its tongue. " * 500
    )
    client = visit(world)
    client.call("memory_save", filePath=str(first), force=True)  # the model is loaded once
    started = time.process_time()
    saved = client.answer("memory_save", filePath=str(second), force=True)

    assert saved["embedded"]
    assert time.process_time() - started < LONGEST_EMBEDDING_SECONDS


def test_secrets_of_a_file_are_not_stored(world: World, visit: Visit) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    path = write_document(
        world, text=f"# Key\n<!-- ANCHOR:a -->\nIt is {secret}.\n<!-- /ANCHOR:a -->\n"
    )
    visit(world).call("memory_save", filePath=str(path))

    assert secret.encode() not in world.database.read_bytes()
    assert document_row(world, "content", path, "a") == ("It is [REDACTED].",)


def test_where_memory_is_switched_off_nothing_is_indexed(world: World, visit: Visit) -> None:
    world.configure(semantic_enabled="false")
    client = visit(world)
    path = write_document(world)

    for refused in (
        client.refusal("memory_save", filePath=str(path)),
        client.refusal("memory_index_scan"),
    ):
        assert refused.startswith("memory_semantic_enabled is not true")
    assert not world.store.exists()
